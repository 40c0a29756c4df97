"""The queue in which utterances wait for the bridge.

The law: it is FIFO, in a group for each root, for a log keeps what it is given in that order for
ever. Each record is one utterance, and the bridge sees to it that each id is published once; the
queue's own memory of ids is a few minutes long, and only spares work.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from arbiter.adapters.queue import ENTRIES_PER_CALL
from arbiter.dialects.base import SsbMessage

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
