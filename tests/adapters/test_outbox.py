"""What the outbox asks of SQS, and what it makes of a refusal."""

import json

import pytest
from botocore.exceptions import EndpointConnectionError

from arbiter.adapters.sqs import NotTaken, SqsOutbox, utterance_body
from arbiter.dialects.base import SsbMessage
from tests.adapters.test_queue import ScriptedSqs


def outbox(sqs: ScriptedSqs) -> SqsOutbox:
    return SqsOutbox(lambda: sqs, "the outbox")  # type: ignore[arg-type,return-value]


def an_utterance(number: int, root: str = "%root", recps: tuple[str, ...] = ()) -> SsbMessage:
    return SsbMessage(f"{number:064x}", root, {"type": "chess_chat", "msg": f"№ {number}"}, recps)


def test_an_utterance_waits_in_the_line_of_its_root_under_its_own_id() -> None:
    sqs = ScriptedSqs()

    outbox(sqs).send([an_utterance(1), an_utterance(2), an_utterance(3, "%other")])

    ((url, entries),) = sqs.calls
    one, two, other = entries
    assert url == "the outbox"
    assert one["MessageDeduplicationId"] == f"{1:064x}"
    assert one["MessageGroupId"] == two["MessageGroupId"] != other["MessageGroupId"]
    assert len(one["MessageGroupId"]) == 64


def test_its_body_is_ascii_and_says_whom_it_is_for() -> None:
    private = utterance_body(an_utterance(1, recps=("@her",)))

    assert private.isascii()
    assert json.loads(private) == {
        "id": f"{1:064x}",
        "root": "%root",
        "content": {"type": "chess_chat", "msg": "№ 1"},
        "recps": ["@her"],
    }
    assert "recps" not in json.loads(utterance_body(an_utterance(1)))


def test_no_call_has_more_than_ten() -> None:
    sqs = ScriptedSqs()

    outbox(sqs).send([an_utterance(number) for number in range(23)])

    assert [len(entries) for _, entries in sqs.calls] == [10, 10, 3]


def test_what_was_not_taken_is_a_failure_and_nothing_overtakes_it() -> None:
    sqs = ScriptedSqs(refuses=lambda body: "№ 3" in json.loads(body)["content"]["msg"])

    with pytest.raises(NotTaken, match="InternalError"):
        outbox(sqs).send([an_utterance(number) for number in range(23)])

    assert len(sqs.calls) == 1


def test_a_queue_out_of_reach_is_a_failure() -> None:
    sqs = ScriptedSqs(trouble=EndpointConnectionError(endpoint_url="http://127.0.0.1:9"))

    with pytest.raises(EndpointConnectionError):
        outbox(sqs).send([an_utterance(1)])


def test_nothing_to_say_asks_nothing() -> None:
    sqs = ScriptedSqs()

    outbox(sqs).send([])

    assert sqs.calls == []
