"""Our event source on moto's queues: a record is deleted if, and only if, it succeeded."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from local.event_source import EventSource

if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient

_REGION = "us-east-1"

Records = list[dict[str, Any]]


@cache
def _sqs() -> "SQSClient":
    """Made once: to make one takes a third of a second."""
    return boto3.client("sqs", region_name=_REGION)


class Queue:
    """A FIFO queue, and the batches that its function received."""

    def __init__(self, sqs: "SQSClient") -> None:
        self._sqs = sqs
        attributes: Any = {"FifoQueue": "true", "VisibilityTimeout": "600"}
        self._url = sqs.create_queue(QueueName="q.fifo", Attributes=attributes)["QueueUrl"]
        self.arn = self._attribute("QueueArn")
        self.batches: list[Records] = []

    def put(self, *bodies: str) -> None:
        """Send bodies, each to the message group of its first letter."""
        for body in bodies:
            self._sqs.send_message(
                QueueUrl=self._url,
                MessageBody=body,
                MessageGroupId=body[0],
                MessageDeduplicationId=body,
            )

    def feed(self, function: Callable[[Records], object], batch_size: int = 10) -> int:

        def handler(invocation: dict[str, Any], context: object) -> object:
            self.batches.append(invocation["Records"])
            return function(invocation["Records"])

        return EventSource(self._sqs, self._url, self.arn, batch_size, handler).feed()

    def waiting(self) -> int:
        """The number of messages, visible or not."""
        names = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        return sum(int(self._attribute(name)) for name in names)

    def _attribute(self, name: Any) -> str:
        answer = self._sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=[name])
        return answer["Attributes"][name]


@pytest.fixture
def queue() -> Iterator[Queue]:
    with mock_aws():
        yield Queue(_sqs())


def _succeeding(records: Records) -> object:
    return {"batchItemFailures": []}


def _raising(records: Records) -> object:
    raise RuntimeError("a fault of our own")


def test_records_have_the_shape_that_lambda_sends_and_are_deleted_on_success(queue: Queue) -> None:
    queue.put("a1", "b1", "c1")

    assert queue.feed(_succeeding, batch_size=2) == 2
    assert queue.waiting() == 1
    assert queue.feed(_succeeding) == 1
    assert queue.feed(_raising) == 0
    assert (queue.waiting(), len(queue.batches)) == (0, 2)
    record = queue.batches[0][0]
    assert {"messageId", "receiptHandle", "md5OfBody"} <= record.keys()
    assert (record["eventSource"], record["eventSourceARN"]) == ("aws:sqs", queue.arn)
    assert (record["awsRegion"], record["messageAttributes"]) == (_REGION, {})
    attributes = record["attributes"]
    assert (record["body"], attributes["ApproximateReceiveCount"]) == ("a1", "1")
    assert attributes["MessageGroupId"] == "a"
    assert attributes["MessageDeduplicationId"] == "a1"


def _naming(*names: object) -> object:
    return {"batchItemFailures": [{"itemIdentifier": name} for name in names]}


def test_a_record_that_the_function_names_is_kept_and_the_others_are_deleted(queue: Queue) -> None:
    queue.put("a1", "b1", "c1")

    queue.feed(lambda records: _naming(records[1]["messageId"]))

    assert queue.waiting() == 1


@pytest.mark.parametrize(
    "function",
    [
        _raising,
        lambda _: _naming(object()),
        lambda records: _naming(records[0]["messageId"], "unknown"),
        lambda _: _naming(None),
        lambda _: {"batchItemFailures": [{"itemIdentifer": "misspelled"}]},
        lambda _: {"batchItemFailures": "one"},
        lambda _: "done",
        lambda _: None,
    ],
    ids=["it raised", "no JSON", "unknown", "null", "a bad key", "a text", "a word", "nothing"],
)
def test_an_answer_that_is_not_understood_keeps_the_whole_batch(
    queue: Queue, function: Callable[[Records], object]
) -> None:
    queue.put("a1", "b1")
    queue.feed(function)
    assert queue.waiting() == 2
