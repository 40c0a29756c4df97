"""What the queues' adapters ask of SQS, and what they make of answers no emulator gives.

What the outbox asks of SQS, and what it makes of a refusal.
"""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from arbiter.adapters.sqs import (
    NotTaken,
    SqsEventQueue,
    SqsOutbox,
    SqsRepublishQueue,
)
from arbiter.application.queue_messages import QueueEntry, QueueName, message_body
from arbiter.dialects.base import SsbMessage

URLS: dict[QueueName, str] = {"moves": "the moves", "seeks": "the seeks"}

Refuses = Callable[[str], bool]


class ScriptedSqs:
    """Refuses the bodies it is told to refuse, or whole calls by raising; remembers the calls."""

    def __init__(
        self, refuses: Refuses = lambda _: False, trouble: Exception | None = None
    ) -> None:
        self.refuses = refuses
        self.trouble = trouble
        self.calls: list[tuple[str, list[dict[str, str]]]] = []
        self.single: list[dict[str, Any]] = []

    def send_message_batch(self, QueueUrl: str, Entries: list[dict[str, str]]) -> dict[str, Any]:  # noqa: N803
        self.calls.append((QueueUrl, Entries))
        if self.trouble:
            raise self.trouble
        refused = [entry for entry in Entries if self.refuses(entry["MessageBody"])]
        return {
            "Successful": [{"Id": entry["Id"]} for entry in Entries if entry not in refused],
            **(
                {"Failed": [{"Id": e["Id"], "Code": "InternalError"} for e in refused]}
                if refused
                else {}
            ),
        }

    def send_message(self, **arguments: Any) -> None:
        self.single.append(arguments)
        if self.trouble:
            raise self.trouble

    def bodies(self) -> list[list[str]]:
        return [[entry["MessageBody"] for entry in entries] for _, entries in self.calls]


def events(sqs: ScriptedSqs) -> SqsEventQueue:
    return SqsEventQueue(lambda: sqs, URLS)  # type: ignore[arg-type,return-value]


def entry(body: str, group: str = "g", queue: QueueName = "moves") -> QueueEntry:
    return QueueEntry(queue=queue, body=body, group_id=group, dedup_id=f"id of {body}")


def test_an_entry_is_sent_with_its_group_and_its_own_id() -> None:
    sqs = ScriptedSqs()

    assert events(sqs).send([entry("a")]) == ()

    ((url, (sent,)),) = sqs.calls
    assert url == "the moves"
    assert sent == {
        "Id": "0",
        "MessageBody": "a",
        "MessageGroupId": "g",
        "MessageDeduplicationId": "id of a",
    }


def test_each_queue_is_called_for_its_own_ten_at_a_time() -> None:
    sqs = ScriptedSqs()
    moves = [entry(f"m{number}") for number in range(11)]
    seeks = [entry(f"s{number}", queue="seeks") for number in range(3)]

    events(sqs).send([*seeks, *moves])

    assert [(url, len(entries)) for url, entries in sqs.calls] == [
        ("the seeks", 3),
        ("the moves", 10),
        ("the moves", 1),
    ]


def test_no_call_is_larger_than_sqs_takes() -> None:
    sqs = ScriptedSqs()

    events(sqs).send([entry(letter * 100_000) for letter in "abcde"])

    assert [len(bodies) for bodies in sqs.bodies()] == [2, 2, 1]


def test_an_entry_too_large_for_any_call_is_still_tried_alone() -> None:
    sqs = ScriptedSqs()

    events(sqs).send([entry("a"), entry("b" * 300_000), entry("c")])

    assert [len(bodies) for bodies in sqs.bodies()] == [1, 1, 1]


def test_what_sqs_refused_comes_back_in_the_order_it_was_given() -> None:
    sqs = ScriptedSqs(refuses=lambda body: body in {"a", "d"})
    batch = [entry(letter, group=letter) for letter in "abcd"]

    assert events(sqs).send(batch) == (batch[0], batch[3])


def test_the_same_entry_twice_comes_back_as_often_as_it_failed() -> None:
    twice = [entry("a"), entry("a")]

    assert events(ScriptedSqs(refuses=lambda _: True)).send(twice) == tuple(twice)


def test_nothing_overtakes_a_refused_entry_of_its_group_in_a_later_call() -> None:
    sqs = ScriptedSqs(refuses=lambda body: body == "m3")
    mine = [entry(f"m{number}") for number in range(10)]
    later = [entry("m10"), entry("other", group="h")]

    assert events(sqs).send([*mine, *later]) == (mine[3], later[0])

    assert sqs.bodies()[1] == ["other"]


def test_a_group_of_the_same_name_in_another_queue_is_another_group() -> None:
    sqs = ScriptedSqs(refuses=lambda body: body == "a move")
    batch = [entry("a move"), entry("a request", queue="seeks")]

    assert events(sqs).send(batch) == (batch[0],)


TROUBLE = [
    ClientError({"Error": {"Code": "ThrottlingException", "Message": "hush"}}, "SendMessageBatch"),
    EndpointConnectionError(endpoint_url="http://127.0.0.1"),
    ReadTimeoutError(endpoint_url="http://127.0.0.1"),
]


@pytest.mark.parametrize("trouble", TROUBLE, ids=lambda trouble: type(trouble).__name__)
def test_a_call_that_fails_brings_all_of_it_back_and_raises_nothing(trouble: Exception) -> None:
    batch = [entry(f"m{number}", group=str(number)) for number in range(12)]

    assert events(ScriptedSqs(trouble=trouble)).send(batch) == tuple(batch)


def test_a_bug_of_ours_is_not_taken_for_trouble_with_the_queue() -> None:
    with pytest.raises(TypeError):
        events(ScriptedSqs(trouble=TypeError())).send([entry("a")])


def test_the_log_says_what_went_wrong_and_not_what_was_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        events(ScriptedSqs(refuses=lambda _: True)).send([entry("a stranger's text")])
        events(ScriptedSqs(trouble=TROUBLE[0])).send([entry("a stranger's text")])

    assert "InternalError" in caplog.text
    assert "ThrottlingException" in caplog.text
    assert "stranger" not in caplog.text


@pytest.mark.parametrize(("asked", "sent"), [(0, 0), (7, 7), (900, 900), (901, 900), (-1, 0)])
def test_a_delay_is_kept_within_what_sqs_takes(asked: int, sent: int) -> None:
    sqs = ScriptedSqs()

    SqsRepublishQueue(lambda: sqs, "again").later("what", asked)  # type: ignore[arg-type,return-value]

    assert sqs.single == [{"QueueUrl": "again", "MessageBody": "what", "DelaySeconds": sent}]


@pytest.mark.parametrize("trouble", TROUBLE, ids=lambda trouble: type(trouble).__name__)
def test_what_cannot_be_said_again_later_is_raised(trouble: Exception) -> None:
    sqs = ScriptedSqs(trouble=trouble)

    with pytest.raises(type(trouble)):
        SqsRepublishQueue(lambda: sqs, "again").later("what", 1)  # type: ignore[arg-type,return-value]


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
    private = message_body(an_utterance(1, recps=("@her",)))

    assert private.isascii()
    assert json.loads(private) == {
        "id": f"{1:064x}",
        "root": "%root",
        "content": {"type": "chess_chat", "msg": "№ 1"},
        "recps": ["@her"],
    }
    assert "recps" not in json.loads(message_body(an_utterance(1)))


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
