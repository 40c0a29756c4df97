"""The queues: events on their way to the arbiter, and publications that wait for another try.

The law: what the queue did not take is returned, never dropped, and nothing overtakes it. An entry
of a group whose earlier entry failed is not sent in a later call of the same batch; inside one call
SQS decides, and a move that overtook another is refused by the game itself.

The queue in which utterances wait for the bridge.

The law: it is FIFO, in a group for each root, for a log keeps what it is given in that order for
ever. Each record is one utterance, and the bridge sees to it that each id is published once; the
queue's own memory of ids is a few minutes long, and only spares work.

Utterances on their way out of the queue: what a bridge receives, and deletes once it is said.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.application.queue_messages import QueueEntry, QueueName
from arbiter.dialects.base import SsbMessage

if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient

_log = logging.getLogger(__name__)

ENTRIES_PER_CALL = 10
"""SQS's own limit."""

BYTES_PER_CALL = 256 * 1024
"""What SQS has always taken; it takes more today, but larger calls save nothing, since they are
billed by 64 KiB. The largest event fits: its 64 KiB grow at most threefold as ASCII-only JSON.
"""

LONGEST_DELAY_SECONDS = 900
"""SQS's own limit."""

_Numbered = tuple[int, QueueEntry]


class SqsEventQueue:
    """The FIFO queues that events wait in."""

    def __init__(self, client: "Callable[[], SQSClient]", urls: Mapping[QueueName, str]) -> None:
        """``client`` makes or returns the client when it is first needed; ``urls`` tells where each
        queue is.
        """
        self._client = client
        self._urls = urls

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """Send the entries, each to its queue; those that failed come back, in the order they were
        given.

        Never raises for infrastructure: a call that failed as a whole has failed for each of its
        entries.
        """
        failed: set[int] = set()
        for queue in dict.fromkeys(entry.queue for entry in batch):
            stuck: set[str] = set()
            numbered = [(at, entry) for at, entry in enumerate(batch) if entry.queue == queue]
            for call in _calls(numbered):
                free = [(at, entry) for at, entry in call if entry.group_id not in stuck]
                lost = {at for at, entry in call if entry.group_id in stuck} | self._send(
                    queue, free
                )
                failed |= lost
                stuck |= {batch[at].group_id for at in lost}
        return tuple(batch[at] for at in sorted(failed))

    def _send(self, queue: QueueName, numbered: Sequence[_Numbered]) -> set[int]:
        """The numbers of those that this one call did not bring into the queue."""
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
            # What went wrong, not what was sent: the message of such an error may quote the
            # request.
            _log.warning("the queue took none of %d entries: %s", len(numbered), code_of(error))
            return {at for at, _ in numbered}
        failures = answer.get("Failed", [])
        if failures:
            codes = ", ".join(sorted({failure["Code"] for failure in failures}))
            _log.warning("the queue refused %d of %d: %s", len(failures), len(numbered), codes)
        return {int(failure["Id"]) for failure in failures}


class SqsRepublishQueue:
    """The standard queue whose messages come when their delay is over."""

    def __init__(self, client: "Callable[[], SQSClient]", url: str) -> None:
        """``client`` as for the events."""
        self._client = client
        self._url = url

    def later(self, what: str, delay_seconds: int) -> None:
        """Deliver this text to the arbiter after the delay, or after 900 seconds if it is longer.

        Raises botocore's errors when the queue does not take it.
        """
        self._client().send_message(
            QueueUrl=self._url,
            MessageBody=what,
            DelaySeconds=max(0, min(delay_seconds, LONGEST_DELAY_SECONDS)),
        )


def _calls(numbered: Sequence[_Numbered]) -> Iterator[Sequence[_Numbered]]:
    """Cut a queue's entries into as few calls as their number and size allow."""
    call: list[_Numbered] = []
    size = 0
    for at, entry in numbered:
        if len(call) == ENTRIES_PER_CALL or (call and size + len(entry.body) > BYTES_PER_CALL):
            yield call
            call, size = [], 0
        call.append((at, entry))
        size += len(entry.body)  # ASCII alone, so characters are bytes
    if call:
        yield call


def code_of(error: BotoCoreError | ClientError) -> str:
    """What went wrong with a call, without what was asked in it."""
    return (
        error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
    )


if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient


class NotTaken(Exception):
    """The queue refused an utterance. Those before it may be in the queue."""


class SqsOutbox:
    """The outbox as an SQS FIFO queue."""

    def __init__(self, client: "Callable[[], SQSClient]", url: str) -> None:
        """``client`` makes or returns the client when it is first needed."""
        self._client = client
        self._url = url

    def send(self, utterances: Sequence[SsbMessage]) -> None:
        """Send them in order. Raises ``NotTaken`` or botocore's errors; whatever went before is
        sent again with the rest, and is the same then.
        """
        for start in range(0, len(utterances), ENTRIES_PER_CALL):
            call = utterances[start : start + ENTRIES_PER_CALL]
            answer = self._client().send_message_batch(
                QueueUrl=self._url,
                Entries=[
                    {
                        "Id": str(at),
                        "MessageBody": utterance_body(one),
                        "MessageGroupId": hashlib.sha256(one.root.encode()).hexdigest(),
                        "MessageDeduplicationId": one.id,
                    }
                    for at, one in enumerate(call)
                ],
            )
            if failures := answer.get("Failed"):
                raise NotTaken(", ".join(sorted({failure["Code"] for failure in failures})))


def utterance_body(utterance: SsbMessage) -> str:
    """An utterance as its record carries it: ASCII-only JSON, without ``recps`` where it is
    public.
    """
    body = {"id": utterance.id, "root": utterance.root, "content": dict(utterance.content)}
    if utterance.recps:
        body["recps"] = [*utterance.recps]
    return json.dumps(body, ensure_ascii=True, separators=(",", ":"))


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
