"""SQS queues: events for the arbiter, republications, requests to house players, SSB messages.

Invariant: what a queue does not accept is returned or raised, never dropped. After a failed entry,
later entries of its group are not sent in a later call of the batch; inside one, the game refuses a
move that overtook another. The outbox is FIFO with a group for each root.
"""

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.application.intake.queue_messages import house_body, message_body
from arbiter.application.ports import QueueRejected
from arbiter.application.records import HouseRequest, QueueEntry, QueueName
from arbiter.dialects.outgoing import SsbMessage

if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient
    from types_boto3_sqs.type_defs import SendMessageBatchResultTypeDef

_log = logging.getLogger(__name__)

ENTRIES_PER_CALL = 10
"""SQS's own limit."""

BYTES_PER_CALL = 256 * 1024
"""SQS bills by 64 KiB. The largest event fits: it grows threefold as ASCII JSON."""

MAX_DELAY_SECONDS = 900
"""SQS's own limit."""

_Numbered = tuple[int, QueueEntry]


class SqsEventQueue:
    """The FIFO queues of events."""

    def __init__(self, client: "Callable[[], SQSClient]", urls: Mapping[QueueName, str]) -> None:
        self._client = client
        self._urls = urls

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """Send the entries, each to its queue; those that failed, in their order. Never raises."""
        failed: set[int] = set()
        for queue in dict.fromkeys(entry.queue for entry in batch):
            failed_groups: set[str] = set()
            numbered = [(at, entry) for at, entry in enumerate(batch) if entry.queue == queue]
            for call in _calls(numbered):
                free = [(at, entry) for at, entry in call if entry.group_id not in failed_groups]
                unsent = {at for at, entry in call if entry.group_id in failed_groups} | self._send(
                    queue, free
                )
                failed |= unsent
                failed_groups |= {batch[at].group_id for at in unsent}
        return tuple(batch[at] for at in sorted(failed))

    def _send(self, queue: QueueName, numbered: Sequence[_Numbered]) -> set[int]:
        if not numbered:
            return set()
        try:
            answer = self._client().send_message_batch(
                QueueUrl=self._urls[queue],
                Entries=[
                    {
                        "Id": str(at),
                        "MessageBody": entry.body,
                        "MessageGroupId": entry.group_id,
                        "MessageDeduplicationId": entry.dedup_id,
                    }
                    for at, entry in numbered
                ],
            )
        except (BotoCoreError, ClientError) as error:
            # The code only: the message of such an error may quote the request.
            _log.warning("the queue took none of %d entries: %s", len(numbered), code_of(error))
            return {at for at, _ in numbered}
        failures = answer.get("Failed", [])
        if failures:
            codes = ", ".join(sorted({failure["Code"] for failure in failures}))
            _log.warning("the queue refused %d of %d: %s", len(failures), len(numbered), codes)
        return {int(failure["Id"]) for failure in failures}


class SqsRepublishQueue:
    """The standard queue for republications."""

    def __init__(self, client: "Callable[[], SQSClient]", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, body: str, delay_seconds: int) -> None:
        """Deliver this text after the delay, at most 900 seconds. Raises botocore's errors."""
        self._client().send_message(
            QueueUrl=self._url,
            MessageBody=body,
            DelaySeconds=max(0, min(delay_seconds, MAX_DELAY_SECONDS)),
        )


def _calls(numbered: Sequence[_Numbered]) -> Iterator[Sequence[_Numbered]]:
    """The entries of a queue in as few calls as their number and size allow."""
    call: list[_Numbered] = []
    size = 0
    for at, entry in numbered:
        if len(call) == ENTRIES_PER_CALL or (call and size + len(entry.body) > BYTES_PER_CALL):
            yield call
            call, size = [], 0
        call.append((at, entry))
        size += len(entry.body)  # ASCII, so characters are bytes
    if call:
        yield call


def code_of(error: BotoCoreError | ClientError) -> str:
    return (
        error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
    )


def raise_if_rejected(answer: "SendMessageBatchResultTypeDef") -> None:
    """Raise ``QueueRejected`` if some entry of this call was refused."""
    if failures := answer.get("Failed"):
        raise QueueRejected(", ".join(sorted({failure["Code"] for failure in failures})))


class SqsOutbox:
    """The outbox as an SQS FIFO queue."""

    def __init__(self, client: "Callable[[], SQSClient]", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, messages: Sequence[SsbMessage]) -> None:
        """Send in order, with the same ids again. Raises ``QueueRejected`` or botocore's errors."""
        for start in range(0, len(messages), ENTRIES_PER_CALL):
            call = messages[start : start + ENTRIES_PER_CALL]
            answer = self._client().send_message_batch(
                QueueUrl=self._url,
                Entries=[
                    {
                        "Id": str(at),
                        "MessageBody": message_body(one),
                        "MessageGroupId": hashlib.sha256(one.root.encode()).hexdigest(),
                        "MessageDeduplicationId": one.id,
                    }
                    for at, one in enumerate(call)
                ],
            )
            raise_if_rejected(answer)


class SqsHouse:
    """The requests to house players as an SQS FIFO queue."""

    def __init__(self, client: "Callable[[], SQSClient]", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, requests: Sequence[HouseRequest]) -> None:
        for request in requests:  # more than one hardly ever
            self._client().send_message(
                QueueUrl=self._url,
                MessageBody=house_body(request),
                MessageGroupId=request.group_id,
                MessageDeduplicationId=request.dedup_id,
            )


RECORDS_A_CALL = 10
"""SQS's own limit."""

WAIT_SECONDS = 2
"""Shorter than a client's timeout, and than a bridge may take to stop."""


VISIBLE_AGAIN_SECONDS = 15
"""Longer than a batch takes; if the bridge dies, its players wait for the rest."""


class QueueUnreachable(Exception):
    """The queue could not be reached; nothing is unsent. The text is an error code."""


@dataclass(frozen=True, slots=True)
class OutboxRecord:
    """The record of one message. Records of one group are published in order."""

    body: str
    group_id: str
    receipt: str


class SqsOutboxRecords:
    """The receiving end of the outbox, for the bridge."""

    def __init__(self, client: "Callable[[], SQSClient]", url: str, dead_url: str) -> None:
        self._client = client
        self._url = url
        self._dead_url = dead_url

    def receive(self) -> tuple[OutboxRecord, ...]:
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
        try:
            self._client().delete_message(QueueUrl=self._url, ReceiptHandle=record.receipt)
        except (BotoCoreError, ClientError) as error:
            raise QueueUnreachable(code_of(error)) from error

    def put_aside(self, record: OutboxRecord) -> None:
        """Move a record that can never be published to the dead letters, out of the way."""
        # Deduplicated by receipt: by message id, one that is redriven and fails again within five
        # minutes would be dropped. A second copy is harmless: the bridge publishes an id once.
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
