"""Brings records from moto's queues to the functions.

moto invokes functions one record at a time and deletes what they report as failed. This is the part
of Lambda that is needed: receive a batch, invoke, delete what succeeded. What failed stays
invisible until the queue's visibility timeout, is delivered again in its group's order, and becomes
a dead letter after `maxReceiveCount` deliveries, all by the queue.

Invariant: one process feeds from one queue, one batch at a time. With two receivers moto's message
groups lose their order.

Unlike Lambda, nothing stops a function that outlasts its timeout.
"""

import argparse
import contextlib
import importlib
import json
import logging
import os
import sys
import threading
import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from local.signals import stop_when_asked

if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient
    from types_boto3_sqs.type_defs import MessageTypeDef

_MAX_POLL_SECONDS = 1
_AFTER_AN_ERROR_SECONDS = 0.5
_MAX_BATCH = 10

_logger = logging.getLogger("event_source")

Function = Callable[[dict[str, Any], object], object]


@dataclass(frozen=True, slots=True)
class Invocation:
    """The context argument of a function, as far as ours read it."""

    aws_request_id: str
    function_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A queue and the function it feeds. At most ten records make a batch of a FIFO queue."""

    queue_url: str
    queue_arn: str
    region: str
    function_name: str
    batch_size: int = _MAX_BATCH


class EventSource:
    """Feeds one function from one queue."""

    def __init__(self, sqs: "SQSClient", source: Source, function: Function) -> None:
        """``function`` is a Lambda handler: it gets an invocation and a context."""
        self._sqs = sqs
        self._source = source
        self._function = function

    def feed(self, wait_seconds: int = 0) -> int:
        """Receive a batch, waiting for its first record, and have it processed; its size.

        Raises botocore's errors when the queue cannot be reached; nothing is lost by that.
        """
        messages = self._sqs.receive_message(
            QueueUrl=self._source.queue_url,
            MaxNumberOfMessages=min(self._source.batch_size, _MAX_BATCH),
            WaitTimeSeconds=wait_seconds,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        ).get("Messages", [])
        if messages:
            self._process(messages)
        return len(messages)

    def _process(self, messages: "list[MessageTypeDef]") -> None:
        ids = [message["MessageId"] for message in messages]
        invocation = {"Records": [self._record(message) for message in messages]}
        context = Invocation(str(uuid.uuid4()), self._source.function_name)
        try:
            # Through JSON and back, as Lambda's answer is: what JSON cannot say is no answer.
            failed = failed_of(json.loads(json.dumps(self._function(invocation, context))), ids)
        except Exception:
            _logger.exception("the function failed; its whole batch will be delivered again")
            failed = frozenset(ids)
        done = [message for message in messages if message["MessageId"] not in failed]
        if done:
            self._sqs.delete_message_batch(
                QueueUrl=self._source.queue_url,
                Entries=[
                    {"Id": str(number), "ReceiptHandle": message["ReceiptHandle"]}
                    for number, message in enumerate(done)
                ],
            )

    def _record(self, message: "MessageTypeDef") -> dict[str, Any]:
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": dict(message.get("Attributes", {})),
            "messageAttributes": {
                name: {key[:1].lower() + key[1:]: part for key, part in attribute.items()}
                for name, attribute in message.get("MessageAttributes", {}).items()
            },
            "md5OfBody": message["MD5OfBody"],
            "eventSource": "aws:sqs",
            "eventSourceARN": self._source.queue_arn,
            "awsRegion": self._source.region,
        }


def failed_of(answer: object, batch: Collection[str]) -> frozenset[str]:
    """The message ids of ``batch`` that must be delivered again after this answer of the function.

    Invariant: an answer that cannot be understood never deletes a record. Lambda developer guide,
    "Reporting batch item failures": a batch succeeds completely if the function returns an empty or
    null batchItemFailures list or an empty or null response; it fails completely for an empty or
    null itemIdentifier, or one with a bad key name. An identifier of no record of the batch counts
    as a bad answer too.
    """
    if answer is None or answer == {}:
        return frozenset()
    everything = frozenset(batch)
    if not isinstance(answer, dict):
        return everything
    listed = answer.get("batchItemFailures")
    if listed is None:
        return frozenset()
    if not isinstance(listed, list):
        return everything
    failed = set()
    for item in listed:
        identifier = item.get("itemIdentifier") if isinstance(item, dict) else None
        if not isinstance(identifier, str) or identifier not in everything:
            return everything
        failed.add(identifier)
    return frozenset(failed)


def keep_feeding(event_source: EventSource, stop: threading.Event) -> None:
    """Feed until the stop is set; retry while the queue cannot be reached."""
    while not stop.is_set():
        try:
            event_source.feed(_MAX_POLL_SECONDS)
        except (BotoCoreError, ClientError):
            _logger.exception("the queue cannot be reached; trying again")
            stop.wait(_AFTER_AN_ERROR_SECONDS)


def main() -> int:
    """Feed the function named by the arguments until SIGTERM, finishing the batch in hand."""
    parser = argparse.ArgumentParser(prog="python -m local.event_source")
    parser.add_argument("--function", required=True, help="module:attribute of the handler")
    parser.add_argument("--queue-url", required=True)
    parser.add_argument("--queue-arn", required=True)
    parser.add_argument("--batch-size", type=int, default=_MAX_BATCH)
    options = parser.parse_args()
    logging.basicConfig(level=os.environ.get("LOG_LEVEL", "INFO"))
    stop = threading.Event()
    stop_when_asked(stop)
    module, _, attribute = options.function.partition(":")
    source = Source(
        queue_url=options.queue_url,
        queue_arn=options.queue_arn,
        region=os.environ["AWS_REGION"],
        function_name=module,
        batch_size=options.batch_size,
    )
    function: Function = getattr(importlib.import_module(module), attribute)
    sqs: SQSClient = boto3.client("sqs")
    with contextlib.closing(sqs):
        keep_feeding(EventSource(sqs, source, function), stop)
    return 0


if __name__ == "__main__":
    sys.exit(main())
