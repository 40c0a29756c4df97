"""Health checks of a table and queues that answer as a test says, and of relays on loopback."""

import socket
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from arbiter.adapters.health import KEPT_MS, AwsHealth, Watched
from arbiter.adapters.relays.connection import trouble_with
from arbiter.application.queries import QueueDepth
from tests.adapters.scripted import ScriptedClient, refused
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.fakes.relay import FakeRelay

GONE = EndpointConnectionError(endpoint_url="http://x")


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def ages(*seconds: float) -> ScriptedClient:
    """CloudWatch, in which the oldest message was so old in each of the last minutes."""
    start = datetime(2027, 1, 1, tzinfo=UTC)
    points = [
        {"Timestamp": start + timedelta(minutes=minute), "Maximum": age}
        for minute, age in enumerate(seconds)
    ]
    return ScriptedClient(get_metric_statistics={"Datapoints": points[::-1]})


def waiting(**depths: int) -> ScriptedClient:
    """SQS, in which so many messages wait at these URLs, and no other queue is there."""

    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        if asked["QueueUrl"] not in depths:
            raise refused("AWS.SimpleQueueService.NonExistentQueue")
        return {"Attributes": {"ApproximateNumberOfMessages": str(depths[asked["QueueUrl"]])}}

    return ScriptedClient(get_queue_attributes=answer)


def health(
    sqs: Any = None,
    cloudwatch: Any = None,
    clock: FakeClock | None = None,
    dynamodb: Any = None,
    **watched: Any,
) -> AwsHealth:
    seen = cloudwatch or ages()
    table: Any = dynamodb or ScriptedClient()
    watching = Watched(**{"table": "games"} | watched)
    return AwsHealth(watching, clock or FakeClock(NOW_MS), lambda: table, lambda: sqs, lambda: seen)


def test_a_table_that_can_be_read_is_there() -> None:
    assert health().has_table()
    for failure in (refused("ResourceNotFoundException"), GONE):
        assert not health(dynamodb=ScriptedClient(get_item=failure)).has_table()


def test_messages_in_a_queue_are_counted_and_their_age_is_cloudwatchs_latest() -> None:
    cloudwatch = ages(2.0, 7.0)

    report = health(waiting(moves=3), cloudwatch, queues={"moves": "moves"}).report()

    assert report.queues == (QueueDepth("moves", 3, 7),)
    ((_, asked),) = cloudwatch.calls
    assert asked["Dimensions"] == [{"Name": "QueueName", "Value": "moves"}]
    assert asked["EndTime"] == datetime.fromtimestamp(NOW_MS / 1000, UTC)


def metrics(answer: object) -> ScriptedClient:
    return ScriptedClient(get_metric_statistics=answer)


@pytest.mark.parametrize(
    ("sqs", "cloudwatch", "depth"),
    [
        (waiting(moves=0), ages(99.0), QueueDepth("moves", 0, 0)),
        (waiting(moves=1), ages(), QueueDepth("moves", 1, None)),
        (waiting(moves=1), metrics(refused("AccessDenied")), QueueDepth("moves", 1, None)),
        (waiting(moves=1), metrics(GONE), QueueDepth("moves", 1, None)),
        (waiting(seeks=1), ages(1.0), QueueDepth("moves", None)),
        (ScriptedClient(get_queue_attributes=GONE), ages(1.0), QueueDepth("moves", None)),
    ],
)
def test_what_cannot_be_read_is_unknown_and_an_empty_queue_has_no_age(
    sqs: ScriptedClient, cloudwatch: ScriptedClient, depth: QueueDepth
) -> None:
    report = health(sqs, cloudwatch, queues={"moves": "moves"}).report()

    assert report.queues == (depth,)
    assert len(cloudwatch.calls) == bool(depth.waiting)


def test_dead_letters_are_added_up_if_all_their_queues_can_be_read() -> None:
    def buried(*dead: str) -> tuple[QueueDepth, ...]:
        return health(waiting(a=1, b=1), dead_letters=dead).report().queues

    assert buried("a", "b") == (QueueDepth("dead_letters", 2),)
    assert buried("a", "b", "c") == (QueueDepth("dead_letters", None),)


def test_a_relay_is_reached_or_one_word_says_why_not(closed_port: int) -> None:
    with FakeRelay() as relay:
        assert trouble_with(relay.url) is None
    assert trouble_with(f"ws://127.0.0.1:{closed_port}") == "unreachable"
    assert trouble_with("https://relay.example") == "unreachable"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert trouble_with(f"ws://127.0.0.1:{port}", 0.05) == "no-websocket"


def test_signs_are_kept_for_half_a_minute() -> None:
    clock = FakeClock(NOW_MS)
    with FakeRelay() as relay:
        watching = health(clock=clock, relays=(relay.url,))
        first = watching.report()
    clock.ms += KEPT_MS - 1
    kept = watching.report()
    clock.ms += 1
    fresh = watching.report()

    assert (first.relays[0].trouble, first.looked_at_ms) == (None, NOW_MS)
    assert kept is first
    assert (fresh.relays[0].trouble, fresh.looked_at_ms) == ("unreachable", NOW_MS + KEPT_MS)


def test_requests_at_the_same_time_cost_one_check() -> None:
    cloudwatch = ages(1.0)
    watching = health(waiting(moves=1), cloudwatch, queues={"moves": "moves"})
    threads = [Thread(target=watching.report) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(cloudwatch.calls) == 1
