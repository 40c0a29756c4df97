"""Brings records from one of moto's queues to a function, as Lambda does: receive a batch, invoke,
delete what succeeded; moto itself would invoke one at a time and delete what failed.

Invariant: one process feeds from one queue, one batch at a time: with two, groups lose their order.
Unlike Lambda, nothing stops a function that outlasts its timeout.
"""

import importlib
import json
import logging
import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from local.signals import stop_when_asked

if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient
    from types_boto3_sqs.type_defs import MessageTypeDef

_MAX_POLL_SECONDS = 1
_AFTER_AN_ERROR_SECONDS = 0.5

_logger = logging.getLogger("event_source")

Function = Callable[[dict[str, Any], object], object]


class EventSource:
    """Feeds one function, a Lambda handler, from one queue."""

    def __init__(
        self, sqs: "SQSClient", url: str, arn: str, batch_size: int, function: Function
    ) -> None:
        self._sqs = sqs
        self._url = url
        self._arn = arn
        self._batch_size = batch_size
        self._function = function

    def feed(self, wait_seconds: int = 0) -> int:
        """Receive a batch and have it processed; its size. Raises botocore's errors."""
        messages = self._sqs.receive_message(
            QueueUrl=self._url,
            MaxNumberOfMessages=self._batch_size,
            WaitTimeSeconds=wait_seconds,
            MessageSystemAttributeNames=["All"],
        ).get("Messages", [])
        failed = self._failed(messages) if messages else set()
        done = [message for message in messages if message["MessageId"] not in failed]
        if done:
            self._sqs.delete_message_batch(
                QueueUrl=self._url,
                Entries=[
                    {"Id": str(number), "ReceiptHandle": message["ReceiptHandle"]}
                    for number, message in enumerate(done)
                ],
            )
        return len(messages)

    def _failed(self, messages: "list[MessageTypeDef]") -> set[str]:
        """The ids to be delivered again: all where the answer cannot be understood."""
        invocation = {"Records": [self._record(message) for message in messages]}
        ids = {message["MessageId"] for message in messages}
        try:
            # Through JSON and back, as Lambda's answer is: what JSON cannot say is no answer.
            # None of ours that takes records reads the context.
            answer = json.loads(json.dumps(self._function(invocation, None)))
            failed = {it["itemIdentifier"] for it in answer["batchItemFailures"]}
            if failed <= ids:
                return failed
            _logger.error("the function names records that it was not given: %s", failed - ids)
        except Exception:
            _logger.exception("the function failed; its whole batch will be delivered again")
        return ids

    def _record(self, message: "MessageTypeDef") -> dict[str, Any]:
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": dict(message.get("Attributes", {})),
            "messageAttributes": {},
            "md5OfBody": message["MD5OfBody"],
            "eventSource": "aws:sqs",
            "eventSourceARN": self._arn,
            "awsRegion": self._arn.split(":")[3],
        }


def main() -> None:
    """Feed a function (module:attribute) from a queue (URL, ARN, batch size) until SIGTERM."""
    name, url, arn, batch_size = sys.argv[1:]
    logging.basicConfig(level=os.environ.get("LOG_LEVEL", "INFO"))
    stop = threading.Event()
    stop_when_asked(stop)
    module, _, attribute = name.partition(":")
    function: Function = getattr(importlib.import_module(module), attribute)
    source = EventSource(boto3.client("sqs"), url, arn, int(batch_size), function)
    while not stop.is_set():
        try:
            source.feed(_MAX_POLL_SECONDS)
        except (BotoCoreError, ClientError):
            _logger.exception("the queue cannot be reached; trying again")
            stop.wait(_AFTER_AN_ERROR_SECONDS)


if __name__ == "__main__":
    main()
