"""Our event source on moto's queues: a record is deleted if, and only if, it succeeded."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from local.event_source import EventSource, Source, failed_of

if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient

_REGION = "us-east-1"

Records = list[dict[str, Any]]


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
        """Feed one batch to this function."""

        def handler(invocation: dict[str, Any], context: object) -> object:
            self.batches.append(invocation["Records"])
            return function(invocation["Records"])

        source = Source(
            queue_url=self._url,
            queue_arn=self.arn,
            region=_REGION,
            function_name="function",
            batch_size=batch_size,
        )
        return EventSource(self._sqs, source, handler).feed()

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
        yield Queue(boto3.client("sqs", region_name=_REGION))


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


@pytest.mark.parametrize(
    "function",
    [_raising, lambda records: {"batchItemFailures": [{"itemIdentifier": object()}]}],
    ids=["it raised", "no JSON"],
)
def test_a_bad_answer_keeps_the_whole_batch(
    queue: Queue, function: Callable[[Records], object]
) -> None:
    queue.put("a1", "b1")
    queue.feed(function)
    assert queue.waiting() == 2


_BATCH = ("one", "two", "three")
_NONE, _ALL = frozenset[str](), frozenset(_BATCH)


def _naming(*names: object) -> object:
    return {"batchItemFailures": [{"itemIdentifier": name} for name in names]}


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        *((answer, _NONE) for answer in (None, {}, _naming(), {"batchItemFailures": None})),
        ({"somethingElse": True}, _NONE),
        (_naming("one"), {"one"}),
        (_naming("three", "one"), {"one", "three"}),
        (_naming("two", "two"), {"two"}),
        (_naming(*_BATCH), _ALL),
        *((_naming(name), _ALL) for name in ("", None, 7, "unknown")),
        (_naming("one", ""), _ALL),
        ({"batchItemFailures": [{"itemIdentifer": "one"}]}, _ALL),
        ({"batchItemFailures": [{}]}, _ALL),
        ({"batchItemFailures": ["one"]}, _ALL),
        ({"batchItemFailures": "one"}, _ALL),
        ({"batchItemFailures": {"itemIdentifier": "one"}}, _ALL),
        ("done", _ALL),
        ([], _ALL),
        (7, _ALL),
    ],
)
def test_an_answer_that_aws_would_not_understand_fails_the_whole_batch(
    answer: object, failed: set[str]
) -> None:
    assert failed_of(answer, _BATCH) == failed
