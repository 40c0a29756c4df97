"""Health checks of a table and queues on moto, and of relays on loopback."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from moto import mock_aws

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.health import KEPT_MS, AwsVitals, Watched
from arbiter.adapters.relays.connection import trouble_with
from arbiter.application.queries import QueueDepth
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.fakes.relay import FakeRelay

SETTINGS = {
    "region_name": "us-east-1",
    "aws_access_key_id": "test",
    "aws_secret_access_key": "test",
}


@pytest.fixture
def clients(by_botocore: None) -> Iterator[AwsClients]:
    # In this process: a server would answer too late when the machine is busy.
    with mock_aws():
        yield AwsClients(SETTINGS)


@pytest.fixture
def queue(clients: AwsClients) -> str:
    return clients.sqs().create_queue(QueueName="moves")["QueueUrl"]


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


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
    clients: AwsClients,
    cloudwatch: CloudWatch | None = None,
    clock: FakeClock | None = None,
    **watched: Any,
) -> AwsVitals:
    seen = cloudwatch or CloudWatch()
    watching = Watched(**{"table": "games"} | watched)
    return AwsVitals(
        watching, clock or FakeClock(NOW_MS), clients.dynamodb, clients.sqs, lambda: seen
    )


def send(clients: AwsClients, queue: str, count: int = 1) -> None:
    for _ in range(count):
        clients.sqs().send_message(QueueUrl=queue, MessageBody="x")


def test_a_table_that_can_be_read_is_there(clients: AwsClients) -> None:
    clients.dynamodb().create_table(
        TableName="games",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
    )

    assert vitals(clients).has_table()
    assert not vitals(clients, table="another").has_table()


def test_messages_in_a_queue_are_counted_and_their_age_is_cloudwatchs_latest(
    clients: AwsClients, queue: str
) -> None:
    send(clients, queue, 3)
    cloudwatch = CloudWatch(2.0, 7.0)

    signs = vitals(clients, cloudwatch, queues={"moves": queue}).signs()

    assert signs.queues == (QueueDepth("moves", 3, 7),)
    (asked,) = cloudwatch.asked
    assert asked["Dimensions"] == [{"Name": "QueueName", "Value": "moves"}]
    assert asked["EndTime"] == datetime.fromtimestamp(NOW_MS / 1000, UTC)


def test_cloudwatch_is_not_asked_for_the_age_of_an_empty_queue(
    clients: AwsClients, queue: str
) -> None:
    cloudwatch = CloudWatch(99.0)

    signs = vitals(clients, cloudwatch, queues={"moves": queue}).signs()

    assert signs.queues == (QueueDepth("moves", 0, 0),)
    assert cloudwatch.asked == []


@pytest.mark.parametrize(
    "error",
    [
        None,
        ClientError({"Error": {"Code": "AccessDenied"}}, "GetMetricStatistics"),
        EndpointConnectionError(endpoint_url="http://x"),
    ],
)
def test_an_age_that_cannot_be_read_is_unknown(
    clients: AwsClients, queue: str, error: Exception | None
) -> None:
    send(clients, queue)

    signs = vitals(clients, CloudWatch(error=error), queues={"moves": queue}).signs()

    assert signs.queues == (QueueDepth("moves", 1, None),)


def test_the_depth_of_a_queue_that_does_not_exist_is_unknown(
    clients: AwsClients, queue: str
) -> None:
    signs = vitals(clients, queues={"moves": queue + "x", "seeks": queue}).signs()

    assert signs.queues == (QueueDepth("moves", None), QueueDepth("seeks", 0, 0))


def test_dead_letters_are_added_up_if_all_their_queues_can_be_read(clients: AwsClients) -> None:
    urls = [clients.sqs().create_queue(QueueName=name)["QueueUrl"] for name in ("a", "b")]
    for url in urls:
        send(clients, url)

    def buried(*dead: str) -> tuple[QueueDepth, ...]:
        return vitals(clients, dead_letters=dead).signs().queues

    assert buried(*urls) == (QueueDepth("dead_letters", 2),)
    assert buried(*urls, urls[0] + "x") == (QueueDepth("dead_letters", None),)


def test_an_unreachable_cloud_is_reported_and_not_raised(closed_port: int) -> None:
    gone = AwsClients(SETTINGS | {"endpoint_url": f"http://127.0.0.1:{closed_port}"})
    signs = vitals(gone, queues={"moves": f"http://127.0.0.1:{closed_port}/q"})

    assert not signs.has_table()
    assert signs.signs().queues == (QueueDepth("moves", None),)


def test_a_relay_is_reached_or_one_word_says_why_not(closed_port: int) -> None:
    with FakeRelay() as relay:
        assert trouble_with(relay.url) is None
    assert trouble_with(f"ws://127.0.0.1:{closed_port}") == "unreachable"
    assert trouble_with("https://relay.example") == "unreachable"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert trouble_with(f"ws://127.0.0.1:{port}", 0.05) == "no-websocket"


def test_signs_are_kept_for_half_a_minute(clients: AwsClients) -> None:
    clock = FakeClock(NOW_MS)
    with FakeRelay() as relay:
        watching = vitals(clients, clock=clock, relays=(relay.url,))
        first = watching.signs()
    clock.ms += KEPT_MS - 1
    kept = watching.signs()
    clock.ms += 1
    fresh = watching.signs()

    assert (first.relays[0].trouble, first.looked_at_ms) == (None, NOW_MS)
    assert kept is first
    assert (fresh.relays[0].trouble, fresh.looked_at_ms) == ("unreachable", NOW_MS + KEPT_MS)


def test_requests_at_the_same_time_cost_one_check(clients: AwsClients, queue: str) -> None:
    send(clients, queue)
    cloudwatch = CloudWatch(1.0)
    watching = vitals(clients, cloudwatch, queues={"moves": queue})
    threads = [Thread(target=watching.signs) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(cloudwatch.asked) == 1
