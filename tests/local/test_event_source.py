"""Our event source on moto's queues: what succeeded is gone, what failed comes again, in order."""

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from local.event_source import EventSource, Source

if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient

_REGION = "us-east-1"
_MAX_RECEIVES = 3

Records = list[dict[str, Any]]


class Queue:
    """A FIFO queue with a dead letters' queue, and what its function was given."""

    def __init__(self, sqs: "SQSClient") -> None:
        self._sqs = sqs
        dead = sqs.create_queue(QueueName="dead.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
        self._dead_url = dead
        dead_arn = self._attribute(dead, "QueueArn")
        redrive = {"deadLetterTargetArn": dead_arn, "maxReceiveCount": _MAX_RECEIVES}
        self._url = sqs.create_queue(
            QueueName="moves.fifo",
            Attributes={
                "FifoQueue": "true",
                "VisibilityTimeout": "600",
                "RedrivePolicy": json.dumps(redrive),
            },
        )["QueueUrl"]
        self.arn = self._attribute(self._url, "QueueArn")
        self.seen: list[list[str]] = []
        self.records: Records = []

    def put(self, *bodies: str) -> None:
        """Send bodies, each to the group its first letter names."""
        for body in bodies:
            self._sqs.send_message(
                QueueUrl=self._url,
                MessageBody=body,
                MessageGroupId=body[0],
                MessageDeduplicationId=body,
            )

    def feed(self, function: Callable[[Records], object], batch_size: int = 10) -> int:
        """Feed one batch to this function."""

        def handler(invocation: dict[str, Any], context: object) -> object:
            records = invocation["Records"]
            self.seen.append([record["body"] for record in records])
            self.records = records
            return function(records)

        source = Source(
            queue_url=self._url,
            queue_arn=self.arn,
            region=_REGION,
            function_name="function",
            batch_size=batch_size,
        )
        return EventSource(self._sqs, source, handler).feed()

    def let_visibility_time_out(self) -> None:
        """What ten minutes would do: everything received and not deleted is visible again."""
        for record in self.records:
            with contextlib.suppress(self._sqs.exceptions.ReceiptHandleIsInvalid):  # deleted
                self._sqs.change_message_visibility(
                    QueueUrl=self._url, ReceiptHandle=record["receiptHandle"], VisibilityTimeout=0
                )

    def waiting(self) -> int:
        """How many messages there are, visible or not."""
        return self._count(self._url)

    def dead(self) -> int:
        """How many were put aside."""
        return self._count(self._dead_url)

    def _count(self, url: str) -> int:
        visible = self._attribute(url, "ApproximateNumberOfMessages")
        return int(visible) + int(self._attribute(url, "ApproximateNumberOfMessagesNotVisible"))

    def _attribute(self, url: str, name: Any) -> str:
        return self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][
            name
        ]


@pytest.fixture
def queue() -> Iterator[Queue]:
    with mock_aws():
        yield Queue(boto3.client("sqs", region_name=_REGION))


def _succeeding(records: Records) -> object:
    return {"batchItemFailures": []}


def _failing(*bodies: str) -> Callable[[Records], object]:
    def function(records: Records) -> object:
        failed = [record["messageId"] for record in records if record["body"] in bodies]
        return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in failed]}

    return function


def _raising(records: Records) -> object:
    raise RuntimeError("a fault of our own")


def test_what_succeeded_is_deleted(queue: Queue) -> None:
    queue.put("a1", "b1")
    assert queue.feed(_succeeding) == 2
    assert queue.waiting() == 0


def test_an_empty_queue_invokes_nobody(queue: Queue) -> None:
    assert queue.feed(_raising) == 0
    assert queue.seen == []


def test_a_batch_is_never_larger_than_it_may_be(queue: Queue) -> None:
    queue.put("a1", "b1", "c1")
    assert queue.feed(_succeeding, batch_size=2) == 2
    assert queue.waiting() == 1


def test_a_batch_may_hold_several_groups_each_in_its_order(queue: Queue) -> None:
    queue.put("a1", "b1", "a2", "b2")
    while queue.feed(_succeeding):
        pass
    seen = [body for batch in queue.seen for body in batch]
    assert [body for body in seen if body[0] == "a"] == ["a1", "a2"]
    assert [body for body in seen if body[0] == "b"] == ["b1", "b2"]


def test_what_failed_stays_and_the_rest_of_its_batch_does_not(queue: Queue) -> None:
    queue.put("a1", "b1")
    queue.feed(_failing("a1"))
    assert queue.waiting() == 1
    queue.let_visibility_time_out()
    queue.feed(_succeeding)
    assert queue.seen[-1] == ["a1"]
    assert queue.waiting() == 0


def test_what_failed_is_not_delivered_again_before_its_time(queue: Queue) -> None:
    queue.put("a1")
    queue.feed(_failing("a1"))
    assert queue.feed(_succeeding) == 0


def test_a_group_waits_for_what_failed_in_it_and_other_groups_do_not(queue: Queue) -> None:
    queue.put("a1")
    queue.feed(_failing("a1"))
    failed = queue.records
    queue.put("a2", "b1")
    queue.feed(_succeeding)
    assert queue.seen[-1] == ["b1"]
    queue.records = failed
    queue.let_visibility_time_out()
    while queue.feed(_succeeding):
        pass
    assert [body for batch in queue.seen[2:] for body in batch] == ["a1", "a2"]


@pytest.mark.parametrize(
    "function",
    [
        _raising,
        lambda records: {"batchItemFailures": [{"itemIdentifier": ""}]},
        lambda records: {"batchItemFailures": [{"itemIdentifier": "nobody"}]},
        lambda records: {"batchItemFailures": [{"itemIdentifier": object()}]},
    ],
    ids=["it raised", "an empty identifier", "an unknown identifier", "no JSON"],
)
def test_a_bad_answer_keeps_the_whole_batch(
    queue: Queue, function: Callable[[Records], object]
) -> None:
    queue.put("a1", "b1")
    queue.feed(function)
    assert queue.waiting() == 2
    queue.let_visibility_time_out()
    queue.feed(_succeeding)
    assert sorted(queue.seen[-1]) == ["a1", "b1"]


def test_a_record_says_how_often_it_was_received(queue: Queue) -> None:
    queue.put("a1")
    counts = []
    for _ in range(2):
        queue.feed(_failing("a1"))
        counts.append(queue.records[0]["attributes"]["ApproximateReceiveCount"])
        queue.let_visibility_time_out()
    assert counts == ["1", "2"]


def test_what_fails_too_often_is_put_aside_and_its_group_goes_on(queue: Queue) -> None:
    queue.put("a1", "a2")
    deliveries = 0
    while deliveries < _MAX_RECEIVES + 1 and not queue.dead():
        queue.feed(_failing("a1"), batch_size=1)
        queue.let_visibility_time_out()
        deliveries += 1
    assert queue.dead() == 1
    while queue.feed(_succeeding):
        pass
    assert queue.seen[-1] == ["a2"]
    assert queue.waiting() == 0


def test_a_record_looks_as_lambda_makes_it(queue: Queue) -> None:
    queue.put("a1")
    queue.feed(_succeeding)
    [record] = queue.records
    assert record["body"] == "a1"
    assert record["eventSource"] == "aws:sqs"
    assert record["eventSourceARN"] == queue.arn
    assert record["awsRegion"] == _REGION
    assert record["messageAttributes"] == {}
    assert record["attributes"]["MessageGroupId"] == "a"
    assert record["attributes"]["MessageDeduplicationId"] == "a1"
    assert {"messageId", "receiptHandle", "md5OfBody"} <= record.keys()
