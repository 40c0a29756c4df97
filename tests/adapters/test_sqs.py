"""The queue adapters' requests to SQS, and their results for answers that no emulator gives."""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from arbiter.adapters.sqs import (
    OutboxRecord,
    QueueUnreachable,
    SqsEventQueue,
    SqsHouse,
    SqsOutbox,
    SqsOutboxRecords,
    SqsRepublishQueue,
)
from arbiter.adapters.timers import QueueTimers
from arbiter.application.intake.queue_messages import message_body, parse_house
from arbiter.application.ports import QueueRejected
from arbiter.application.records import HouseRequest, QueueEntry, QueueName, Timer
from arbiter.dialects.outgoing import SsbMessage

URLS: dict[QueueName, str] = {"moves": "the moves", "seeks": "the seeks"}
FAILURES = [
    ClientError({"Error": {"Code": "ThrottlingException", "Message": "hush"}}, "SendMessageBatch"),
    EndpointConnectionError(endpoint_url="http://127.0.0.1"),
    ReadTimeoutError(endpoint_url="http://127.0.0.1"),
]
each_failure = pytest.mark.parametrize("failure", FAILURES, ids=lambda it: type(it).__name__)


class ScriptedSqs:
    """Refuses these bodies of a batch, or fails with each call; remembers the calls."""

    def __init__(
        self,
        refuses: Callable[[str], bool] = lambda _: False,
        failure: Exception | None = None,
        messages: tuple[dict[str, Any], ...] = (),
    ) -> None:
        self.refuses = refuses
        self.failure = failure
        self.messages = messages
        self.batches: list[tuple[str, list[dict[str, Any]]]] = []
        self.calls: list[dict[str, Any]] = []

    def send_message_batch(self, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        self.batches.append((QueueUrl, Entries))
        if self.failure:
            raise self.failure
        refused = [entry for entry in Entries if self.refuses(entry["MessageBody"])]
        failed = [{"Id": entry["Id"], "Code": "InternalError"} for entry in refused]
        taken = [{"Id": entry["Id"]} for entry in Entries if entry not in refused]
        return {"Successful": taken, **({"Failed": failed} if failed else {})}

    def _call(self, **arguments: Any) -> dict[str, Any]:
        self.calls.append(arguments)
        if self.failure:
            raise self.failure
        return {}

    send_message = delete_message = _call

    def receive_message(self, **arguments: Any) -> dict[str, Any]:
        self._call(**arguments)
        return {"Messages": [*self.messages]} if self.messages else {}

    def bodies(self) -> list[list[str]]:
        return [[entry["MessageBody"] for entry in entries] for _, entries in self.batches]


def scripted(sqs: Any) -> Callable[[], Any]:
    return lambda: sqs


def events(sqs: Any) -> SqsEventQueue:
    return SqsEventQueue(lambda: sqs, URLS)


def entry(body: str, group: str = "g", queue: QueueName = "moves") -> QueueEntry:
    return QueueEntry(queue=queue, body=body, group_id=group, dedup_id=f"id of {body}")


def test_a_timer_that_the_queue_refuses_is_an_error_though_others_are_set() -> None:
    sqs = ScriptedSqs(lambda body: '"ply":3,' in body)
    timers = QueueTimers(scripted(sqs), "the clock")

    with pytest.raises(QueueRejected, match="InternalError"):
        timers.set([Timer("ab" * 16, ply, 5_000) for ply in range(12)], 3_001)

    ((url, entries),) = sqs.batches
    assert (url, len(entries), entries[0]["DelaySeconds"]) == ("the clock", 10, 2)


def test_an_entry_is_sent_with_its_group_and_its_own_id() -> None:
    sqs = ScriptedSqs()

    assert events(sqs).send([entry("a")]) == ()

    sent = {"MessageGroupId": "g", "MessageDeduplicationId": "id of a"}
    assert sqs.batches == [("the moves", [{"Id": "0", "MessageBody": "a", **sent}])]


@pytest.mark.parametrize(
    ("sizes", "batches"),
    [([1] * 11, [10, 1]), ([100_000] * 5, [2, 2, 1]), ([1, 300_000, 1], [1, 1, 1])],
)
def test_a_call_has_ten_entries_and_no_more_bytes_than_sqs_takes(
    sizes: list[int], batches: list[int]
) -> None:
    sqs = ScriptedSqs()

    events(sqs).send([entry("s", queue="seeks"), *[entry("x" * size) for size in sizes]])

    assert [(url, len(entries)) for url, entries in sqs.batches] == [
        ("the seeks", 1),
        *[("the moves", count) for count in batches],
    ]


def test_refused_entries_come_back_in_the_order_they_were_given() -> None:
    batch = [entry(letter, group=letter) for letter in "abcda"]
    # A group of the same name in another queue is another group.
    batch.append(entry("a request", group="a", queue="seeks"))

    assert events(ScriptedSqs(lambda body: body in "ad")).send(batch) == tuple(
        batch[at] for at in (0, 3, 4)
    )


def test_nothing_overtakes_a_refused_entry_of_its_group_in_a_later_call() -> None:
    sqs = ScriptedSqs(lambda body: body == "m3")
    mine = [entry(f"m{number}") for number in range(10)]
    later = [entry("m10"), entry("other", group="h")]

    assert events(sqs).send([*mine, *later]) == (mine[3], later[0])

    assert sqs.bodies()[1] == ["other"]


@each_failure
def test_a_call_that_fails_brings_all_of_it_back_and_raises_nothing(failure: Exception) -> None:
    batch = [entry(f"m{number}", group=str(number)) for number in range(12)]

    assert events(ScriptedSqs(failure=failure)).send(batch) == tuple(batch)


def test_a_bug_of_ours_is_raised() -> None:
    with pytest.raises(TypeError):
        events(ScriptedSqs(failure=TypeError())).send([entry("a")])


def test_the_log_says_what_went_wrong_and_not_what_was_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        events(ScriptedSqs(lambda _: True)).send([entry("a stranger's text")])
        events(ScriptedSqs(failure=FAILURES[0])).send([entry("a stranger's text")])

    assert "InternalError" in caplog.text
    assert "ThrottlingException" in caplog.text
    assert "stranger" not in caplog.text


def republish(sqs: Any) -> SqsRepublishQueue:
    return SqsRepublishQueue(lambda: sqs, "again")


@pytest.mark.parametrize(("asked", "sent"), [(0, 0), (7, 7), (900, 900), (901, 900), (-1, 0)])
def test_a_delay_is_kept_within_what_sqs_takes(asked: int, sent: int) -> None:
    sqs = ScriptedSqs()

    republish(sqs).send("what", asked)

    assert sqs.calls == [{"QueueUrl": "again", "MessageBody": "what", "DelaySeconds": sent}]


def test_a_nudge_about_a_game_waits_for_no_challenge_and_each_question_has_its_id() -> None:
    sqs, player = ScriptedSqs(), "ab" * 32
    game = HouseRequest(player=player, game_id="12" * 16, version=3)
    newer = HouseRequest(player=player, game_id="12" * 16, version=4)
    challenge = HouseRequest(player=player, challenge_id="34" * 16)

    SqsHouse(lambda: sqs, "the house").send([game, newer, challenge])  # type: ignore[arg-type,return-value]

    groups = [call["MessageGroupId"] for call in sqs.calls]
    assert groups[0] == groups[1] != groups[2]
    assert len({call["MessageDeduplicationId"] for call in sqs.calls}) == 3
    assert [parse_house(call["MessageBody"]) for call in sqs.calls] == [game, newer, challenge]


def outbox(sqs: Any) -> SqsOutbox:
    return SqsOutbox(lambda: sqs, "the outbox")


def a_message(number: int, root: str = "%root", recps: tuple[str, ...] = ()) -> SsbMessage:
    return SsbMessage(f"{number:064x}", root, {"type": "chess_chat", "msg": f"№ {number}"}, recps)


def test_a_message_is_in_the_group_of_its_root_under_its_own_id_ten_a_call() -> None:
    sqs = ScriptedSqs()

    outbox(sqs).send([*map(a_message, range(22)), a_message(22, "%other")])

    assert [(url, len(entries)) for url, entries in sqs.batches] == [
        ("the outbox", count) for count in (10, 10, 3)
    ]
    sent = [entry for _, entries in sqs.batches for entry in entries]
    assert [it["MessageDeduplicationId"] for it in sent] == [f"{at:064x}" for at in range(23)]
    groups = [it["MessageGroupId"] for it in sent]
    assert (len(groups[0]), len({*groups[:22]}), groups[22] == groups[0]) == (64, 1, False)


def test_a_messages_body_is_ascii_and_says_whom_it_is_for() -> None:
    private = message_body(a_message(1, recps=("@her",)))

    assert private.isascii()
    assert json.loads(private) == {
        "id": f"{1:064x}",
        "root": "%root",
        "content": {"type": "chess_chat", "msg": "№ 1"},
        "recps": ["@her"],
    }
    assert "recps" not in json.loads(message_body(a_message(1)))


def test_a_message_that_was_not_taken_is_raised_and_nothing_overtakes_it() -> None:
    sqs = ScriptedSqs(lambda body: "№ 3" in json.loads(body)["content"]["msg"])

    with pytest.raises(QueueRejected, match="InternalError"):
        outbox(sqs).send([*map(a_message, range(23))])
    assert len(sqs.batches) == 1


@each_failure
def test_what_could_not_be_queued_is_raised(failure: Exception) -> None:
    sqs = ScriptedSqs(failure=failure)
    house = SqsHouse(scripted(sqs), "the house")
    sends: list[Callable[[], object]] = [
        lambda: republish(sqs).send("what", 1),
        lambda: outbox(sqs).send([a_message(1)]),
        lambda: house.send([HouseRequest(player="ab" * 32)]),
    ]
    for send in sends:
        with pytest.raises(type(failure)):
            send()


RECORD = OutboxRecord(body="{}", group_id="g", receipt="r" * 1024)


def records(sqs: Any) -> SqsOutboxRecords:
    return SqsOutboxRecords(lambda: sqs, "the outbox", "its dead")


def test_a_record_is_received_with_its_group_and_deleted_by_its_receipt() -> None:
    message = {"Body": "{}", "ReceiptHandle": "r", "Attributes": {"MessageGroupId": "g"}}
    sqs = ScriptedSqs(messages=(message,))

    (record,) = records(sqs).receive()
    records(sqs).delete(record)

    assert record == OutboxRecord(body="{}", group_id="g", receipt="r")
    asked, deleted = sqs.calls
    assert asked["QueueUrl"] == "the outbox"
    assert asked["MessageSystemAttributeNames"] == ["MessageGroupId"]
    # Less than a client waits for an answer: see adapters/aws_clients.py.
    assert 0 < asked["WaitTimeSeconds"] < 3
    assert deleted == {"QueueUrl": "the outbox", "ReceiptHandle": "r"}
    assert records(ScriptedSqs()).receive() == ()


def test_a_record_that_is_put_aside_is_a_dead_letter_of_its_own_before_it_is_deleted() -> None:
    sqs = ScriptedSqs()

    for record in (RECORD, OutboxRecord(body="{}", group_id="g", receipt="second")):
        records(sqs).put_aside(record)

    sent, deleted, again, _ = sqs.calls
    assert (sent["QueueUrl"], sent["MessageBody"], sent["MessageGroupId"]) == (
        "its dead",
        "{}",
        "g",
    )
    assert deleted == {"QueueUrl": "the outbox", "ReceiptHandle": RECORD.receipt}
    # Under one id SQS would drop the second.
    assert len(sent["MessageDeduplicationId"]) <= 128
    assert sent["MessageDeduplicationId"] != again["MessageDeduplicationId"]


@pytest.mark.parametrize(
    ("failure", "named"),
    [
        (EndpointConnectionError(endpoint_url="http://x"), "EndpointConnectionError"),
        (ClientError({"Error": {"Code": "Throttled", "Message": "of {}"}}, "Receive"), "Throttled"),
    ],
)
def test_a_queue_that_cannot_be_reached_is_named_by_a_code_alone(
    failure: Exception, named: str
) -> None:
    sqs = ScriptedSqs(failure=failure)
    out = records(sqs)

    for call in (out.receive, lambda: out.delete(RECORD), lambda: out.put_aside(RECORD)):
        with pytest.raises(QueueUnreachable, match=f"^{named}$"):
            call()
    # What was not put aside is not deleted either.
    assert [asked["QueueUrl"] for asked in sqs.calls] == ["the outbox", "the outbox", "its dead"]
