"""Signs of life, really looked for: a table and queues at moto, relays on loopback."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from moto.server import ThreadedMotoServer

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.health import KEPT_MS, AwsVitals, Watched
from arbiter.adapters.relays.reach import reach
from arbiter.application.queries import QueueDepth, RelayReach
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.fakes.relay import FakeRelay


@pytest.fixture(scope="module")
def clients() -> Iterator[AwsClients]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    yield AwsClients(
        {
            "endpoint_url": f"http://127.0.0.1:{port}",
            "region_name": "us-east-1",
            "aws_access_key_id": "test",
            "aws_secret_access_key": "test",
        }
    )
    server.stop()


@pytest.fixture
def table(clients: AwsClients) -> str:
    name = uuid4().hex
    clients.dynamodb().create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
    )
    return name


@pytest.fixture
def queue(clients: AwsClients) -> str:
    return clients.sqs().create_queue(QueueName=uuid4().hex)["QueueUrl"]


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


class CloudWatch:
    """Answers as CloudWatch does, or fails."""

    def __init__(self, *ages: float, error: Exception | None = None) -> None:
        self.ages = ages
        self.error = error
        self.asked: list[Any] = []

    def get_metric_statistics(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        if self.error:
            raise self.error
        start = datetime(2027, 1, 1, tzinfo=UTC)
        points = [
            {"Timestamp": start + timedelta(minutes=minute), "Maximum": age}
            for minute, age in enumerate(self.ages)
        ]
        return {"Datapoints": points[::-1]}


def vitals(
    clients: AwsClients, watched: Watched, clock: FakeClock, cloudwatch: CloudWatch | None = None
) -> AwsVitals:
    seen = cloudwatch or CloudWatch()
    return AwsVitals(watched, clock, clients.dynamodb, clients.sqs, lambda: seen)


def nowhere() -> AwsClients:
    """Clients of an endpoint at which nobody is."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return AwsClients(
        {
            "endpoint_url": f"http://127.0.0.1:{port}",
            "region_name": "us-east-1",
            "aws_access_key_id": "test",
            "aws_secret_access_key": "test",
        }
    )


def test_a_table_that_can_be_read_is_there(clients: AwsClients, table: str) -> None:
    clock = FakeClock(NOW_MS)

    assert vitals(clients, Watched(table=table), clock).has_table()
    assert not vitals(clients, Watched(table="another"), clock).has_table()


def test_what_waits_in_a_queue_is_counted(clients: AwsClients, queue: str) -> None:
    for _ in range(3):
        clients.sqs().send_message(QueueUrl=queue, MessageBody="x")
    cloudwatch = CloudWatch(2.0, 7.0)
    watched = Watched(table="t", queues={"moves": queue})

    signs = vitals(clients, watched, FakeClock(NOW_MS), cloudwatch).signs()

    assert signs.queues == (QueueDepth("moves", 3, 7),)
    (asked,) = cloudwatch.asked
    assert asked["Dimensions"] == [{"Name": "QueueName", "Value": queue.rpartition("/")[2]}]
    assert asked["EndTime"] == datetime.fromtimestamp(NOW_MS / 1000, UTC)


def test_nobody_waits_in_an_empty_queue_and_cloudwatch_is_not_asked(
    clients: AwsClients, queue: str
) -> None:
    cloudwatch = CloudWatch(99.0)
    watched = Watched(table="t", queues={"moves": queue})

    signs = vitals(clients, watched, FakeClock(NOW_MS), cloudwatch).signs()

    assert signs.queues == (QueueDepth("moves", 0, 0),)
    assert cloudwatch.asked == []


DENIED = ClientError({"Error": {"Code": "AccessDenied"}}, "GetMetricStatistics")


@pytest.mark.parametrize(
    "cloudwatch",
    [
        CloudWatch(),
        CloudWatch(error=DENIED),
        CloudWatch(error=EndpointConnectionError(endpoint_url="http://x")),
    ],
)
def test_an_age_that_cannot_be_had_is_not_known(
    clients: AwsClients, queue: str, cloudwatch: CloudWatch
) -> None:
    clients.sqs().send_message(QueueUrl=queue, MessageBody="x")
    watched = Watched(table="t", queues={"moves": queue})

    signs = vitals(clients, watched, FakeClock(NOW_MS), cloudwatch).signs()

    assert signs.queues == (QueueDepth("moves", 1, None),)


def test_a_queue_that_is_not_there_does_not_answer(clients: AwsClients, queue: str) -> None:
    watched = Watched(table="t", queues={"moves": queue + "x", "seeks": queue})

    signs = vitals(clients, watched, FakeClock(NOW_MS)).signs()

    assert signs.queues == (QueueDepth("moves", None), QueueDepth("seeks", 0, 0))


def test_dead_letters_are_counted_together_and_only_if_all_can_be(clients: AwsClients) -> None:
    urls = [clients.sqs().create_queue(QueueName=uuid4().hex)["QueueUrl"] for _ in range(2)]
    for url in urls:
        clients.sqs().send_message(QueueUrl=url, MessageBody="x")

    def told(*dead: str) -> tuple[QueueDepth, ...]:
        watched = Watched(table="t", dead_letters=dead)
        return vitals(clients, watched, FakeClock(NOW_MS)).signs().queues

    assert told(*urls) == (QueueDepth("dead_letters", 2),)
    assert told(*urls, urls[0] + "x") == (QueueDepth("dead_letters", None),)


def test_a_cloud_that_is_gone_is_told_and_never_raised() -> None:
    watched = Watched(table="t", queues={"moves": "http://127.0.0.1:1/q"})
    gone = vitals(nowhere(), watched, FakeClock(NOW_MS))

    assert not gone.has_table()
    assert gone.signs().queues == (QueueDepth("moves", None),)


def test_a_relay_that_shakes_hands_is_reached() -> None:
    with FakeRelay() as relay:
        assert reach(relay.url) == RelayReach(relay.url)


def test_what_is_no_relay_is_told_in_one_word(silent_port: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = server.getsockname()[1]

    assert reach(f"ws://127.0.0.1:{closed}").trouble == "unreachable"
    assert reach(f"ws://127.0.0.1:{silent_port}", 0.05).trouble == "no-websocket"
    assert reach("https://relay.example").trouble == "unreachable"


def test_who_asks_again_within_half_a_minute_is_told_the_same_and_nobody_is_dialled(
    clients: AwsClients,
) -> None:
    clock = FakeClock(NOW_MS)
    with FakeRelay() as relay:
        looking = vitals(clients, Watched(table="t", relays=(relay.url,)), clock)
        first = looking.signs()
    clock.ms += KEPT_MS - 1

    kept = looking.signs()
    clock.ms += 1
    fresh = looking.signs()

    assert (first.relays[0].trouble, first.looked_at_ms) == (None, NOW_MS)
    assert kept is first
    assert (fresh.relays[0].trouble, fresh.looked_at_ms) == ("unreachable", NOW_MS + KEPT_MS)


def test_many_who_ask_at_once_cost_one_look(clients: AwsClients, queue: str) -> None:
    clients.sqs().send_message(QueueUrl=queue, MessageBody="x")
    cloudwatch = CloudWatch(1.0)
    watched = Watched(table="t", queues={"moves": queue})
    looking = vitals(clients, watched, FakeClock(NOW_MS), cloudwatch)
    threads = [Thread(target=looking.signs) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(cloudwatch.asked) == 1
