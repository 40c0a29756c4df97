"""What the contract suite cannot ask of the simulated table and queue: time, lag, faults, and
what AWS documents of a FIFO queue that other emulators do not keep.
"""

import random
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from tests.builders import NOW_MS
from tests.contract.queue_cloud import QueueCloud
from tests.contract.simulated import SimulatedClients
from tests.fakes.clock import FakeClock
from tests.fakes.faults import Crash, Hook, quiet
from tests.simulation.aws_errors import answer_lost, internal_error, throttled
from tests.simulation.sim_queue import SimSqs
from tests.simulation.sim_table import SimDynamoDb
from tests.template.source import properties

KEY = {"pk": {"S": "one"}}
ONCE = {"ConditionExpression": "attribute_not_exists(pk)"}


def a_table(clock: FakeClock | None = None, hook: Hook = quiet, **more: Any) -> SimDynamoDb:
    made, written = SimDynamoDb(clock or FakeClock(NOW_MS), hook, **more), properties("Table")
    asked = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
    made.create_table(TableName="t", **{name: written[name] for name in asked})
    return made


def put(table: SimDynamoDb, version: int, **more: Any) -> None:
    table.put_item(TableName="t", Item=KEY | {"v": {"N": str(version)}}, **more)


def got(table: SimDynamoDb, **more: Any) -> str | None:
    item = table.get_item(TableName="t", Key=KEY, **more).get("Item")
    return item["v"]["N"] if item else None


def raising(point: str, *errors: Exception) -> Hook:
    """A hook that raises these, one each time it comes to this point."""
    left = [*errors]

    def hook(reached: str) -> None:
        if reached == point and left:
            raise left.pop(0)

    return hook


def test_a_read_that_need_not_be_consistent_may_be_late() -> None:
    clock = FakeClock(NOW_MS)
    table = a_table(clock, lag_ms=lambda: 500)
    put(table, 1)
    assert (got(table), got(table, ConsistentRead=True)) == (None, "1")
    clock.advance(1)
    put(table, 2)
    clock.advance(0.4)
    assert got(table) == "1"
    clock.advance(0.2)
    assert got(table) == "2"


def test_an_index_may_be_later_than_its_table() -> None:
    clock = FakeClock(NOW_MS)
    table = a_table(clock, index_lag_ms=lambda: 2_000)
    live = KEY | {"l": {"S": "1"}, "c": {"N": "1"}}
    ask = {"TableName": "t", "IndexName": "live", "KeyConditionExpression": "l = :it"}
    found = []
    for item in (live, None, KEY, None):
        if item:
            table.put_item(TableName="t", Item=item)
        else:
            clock.advance(2)
        found.append(table.query(**ask, ExpressionAttributeValues={":it": {"S": "1"}})["Items"])
    assert found == [[], [live], [live], []]


@pytest.mark.parametrize(
    ("point", "errors", "raised", "stored"),
    [
        ("asked", [throttled("PutItem"), internal_error("PutItem")], None, "1"),
        ("asked", [throttled("PutItem") for _ in range(3)], ClientError, None),
        ("done", [answer_lost()], ClientError, "1"),  # it meets itself when it is sent again
        ("done", [answer_lost() for _ in range(3)], ReadTimeoutError, "1"),
        ("done", [Crash("")], Crash, "1"),
    ],
)
def test_a_write_that_fails_is_sent_again_as_botocore_does(
    point: str, errors: list[Exception], raised: type[Exception] | None, stored: str | None
) -> None:
    table = a_table(hook=raising(f"dynamodb.put_item.{point}", *errors))
    if raised is None:
        put(table, 1, **ONCE)
    else:
        with pytest.raises(raised):
            put(table, 1, **(ONCE if len(errors) == 1 else {}))
    assert got(table, ConsistentRead=True) == stored


@pytest.fixture
def clients() -> SimulatedClients:
    return SimulatedClients()


@pytest.fixture
def cloud(clients: SimulatedClients) -> QueueCloud:
    return QueueCloud(clients.sqs())


@pytest.mark.parametrize(
    ("scope", "groups", "seconds", "deleted", "bodies"),
    [
        ("messageGroup", "aa", 299, False, ["0"]),
        ("messageGroup", "aa", 299, True, []),
        ("messageGroup", "aa", 301, False, ["0", "1"]),
        ("messageGroup", "ab", 0, False, ["0", "1"]),
        ("queue", "ab", 0, False, ["0"]),
    ],
)
def test_a_repetition_is_known_for_five_minutes_in_its_scope(
    scope: str,
    groups: str,
    seconds: int,
    bodies: list[str],
    *,
    deleted: bool,
    cloud: QueueCloud,
    clients: SimulatedClients,
) -> None:
    limit = {"FifoThroughputLimit": "perQueue"} if scope == "queue" else {}
    url = cloud.fifo(DeduplicationScope=scope, **limit)
    for number, group in enumerate(groups):
        cloud.send(url, str(number), group, "same")
        if deleted and number == 0:
            cloud.delete(url, *cloud.receive(url))
        clients.clock.advance(seconds if number == 0 else 0)
    assert cloud.bodies(url) == bodies


def test_what_was_received_too_often_goes_to_the_dead_letters_and_can_be_given_back(
    cloud: QueueCloud,
) -> None:
    url, dead = cloud.with_dead_letters(max_receives=2)
    sent = cloud.send(url, "a1", "a", "same")
    cloud.send_all(url, "a2")
    for _ in range(2):
        cloud.let_go(url, *cloud.receive(url, 1))
    (second,) = cloud.receive(url)  # the group goes on, with a hole
    assert second["Body"] == "a2"
    (letter,) = cloud.receive(dead)
    told = letter["Attributes"]
    assert (told["MessageGroupId"], told["MessageDeduplicationId"]) == ("a", sent["MessageId"])
    cloud.let_go(dead, letter)
    cloud.delete(url, second)
    cloud.sqs.start_message_move_task(SourceArn=cloud.arn(dead))
    assert cloud.bodies(url) == ["a1"]


def a_queue(hook: Hook = quiet) -> tuple[SimSqs, str]:
    sqs = SimSqs(FakeClock(NOW_MS), hook, chance=random.Random(1))
    scope = {"FifoQueue": "true", "DeduplicationScope": "messageGroup", "VisibilityTimeout": "48"}
    url: str = sqs.create_queue(QueueName="moves.fifo", Attributes=scope)["QueueUrl"]
    return sqs, url


def an_entry(body: str) -> dict[str, str]:
    ids = {"MessageGroupId": body[0], "MessageDeduplicationId": body}
    return {"Id": body, "MessageBody": body, **ids}


def test_an_entry_that_is_to_fail_fails_alone_and_a_lost_answer_repeats_the_rest() -> None:
    errors: dict[str, Exception] = {
        "sqs.entry a2": throttled("SendMessageBatch"),
        "sqs.send_message_batch.done": answer_lost(),
    }

    def hook(point: str) -> None:
        if error := errors.pop(point, None):
            raise error

    sqs, url = a_queue(hook)
    statuses: list[tuple[str, str]] = []
    sqs.took = lambda _queue, _group, dedup_id, _body, status: statuses.append((dedup_id, status))
    sqs.send_message_batch(QueueUrl=url, Entries=[an_entry("a1"), an_entry("a2")])
    assert statuses == [("a1", "taken"), ("a1", "repeated"), ("a2", "taken")]
