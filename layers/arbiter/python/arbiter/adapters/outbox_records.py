"""Utterances on their way out of the queue: what a bridge receives, and deletes once it is said."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.adapters.queue import code_of

if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient

RECORDS_A_CALL = 10
"""SQS's own limit."""

WAIT_SECONDS = 2
"""Less than a client waits for an answer, and little to wait for when the bridge is to stop."""


VISIBLE_AGAIN_SECONDS = 15
"""A batch is said within a few seconds. Had it been received by a bridge that died, its players
would wait for the rest of this.
"""


class QueueUnreachable(Exception):
    """The queue could not be asked; nothing is lost by that. The text is a code, no more."""


@dataclass(frozen=True, slots=True)
class OutboxRecord:
    """One utterance's record. Records of one group are said in their order."""

    body: str
    group_id: str
    receipt: str


class SqsOutboxRecords:
    """The queue of utterances, from its far end."""

    def __init__(self, client: "Callable[[], SQSClient]", url: str, dead_url: str) -> None:
        """``client`` makes or returns the client when it is first needed; ``dead_url`` is where the
        queue's own dead letters are.
        """
        self._client = client
        self._url = url
        self._dead_url = dead_url

    def receive(self) -> tuple[OutboxRecord, ...]:
        """The next records, or none after a short wait. Whoever is not deleted comes again."""
        try:
            answer = self._client().receive_message(
                QueueUrl=self._url,
                MaxNumberOfMessages=RECORDS_A_CALL,
                WaitTimeSeconds=WAIT_SECONDS,
                VisibilityTimeout=VISIBLE_AGAIN_SECONDS,
                MessageSystemAttributeNames=["MessageGroupId"],
            )
        except (BotoCoreError, ClientError) as error:
            raise QueueUnreachable(code_of(error)) from error
        return tuple(
            OutboxRecord(
                body=message["Body"],
                group_id=message.get("Attributes", {}).get("MessageGroupId", ""),
                receipt=message["ReceiptHandle"],
            )
            for message in answer.get("Messages", ())
        )

    def delete(self, record: OutboxRecord) -> None:
        """It has been said."""
        try:
            self._client().delete_message(QueueUrl=self._url, ReceiptHandle=record.receipt)
        except (BotoCoreError, ClientError) as error:
            raise QueueUnreachable(code_of(error)) from error

    def put_aside(self, record: OutboxRecord) -> None:
        """It will never be said: move it among the dead letters now. The queue itself would do it
        after its thousandth receipt, and hold up the rest of its group until then.
        """
        # By its receipt: under a lasting id one that was given back and dies again would be dropped
        # within five minutes. A second copy does no harm, for nothing is said twice.
        copy = hashlib.sha256(record.receipt.encode()).hexdigest()
        try:
            self._client().send_message(
                QueueUrl=self._dead_url,
                MessageBody=record.body,
                MessageGroupId=record.group_id,
                MessageDeduplicationId=copy,
            )
        except (BotoCoreError, ClientError) as error:
            raise QueueUnreachable(code_of(error)) from error
        self.delete(record)
