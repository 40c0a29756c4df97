"""What SQS takes, and what it says of the rest. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.simulation.aws_errors import Refused, Unsupported

MOST_ENTRIES: Final = 10
MOST_BYTES: Final = 1024 * 1024
LONGEST_DELAY_SECONDS: Final = 900
LONGEST_VISIBILITY_SECONDS: Final = 43_200

_ENTRY_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,80}")
_GROUP_OR_DEDUP_ID: Final = re.compile(r"[!-~]{1,128}")
_REFUSED: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no character for."""

_KNOWN: Final = {
    "QueueUrl",
    "Id",
    "MessageBody",
    "DelaySeconds",
    "MessageGroupId",
    "MessageDeduplicationId",
}


def check_batch(entries: Sequence[Mapping[str, Any]]) -> None:
    """Refused, if SQS takes none of these entries, be they to send, to delete or to hide."""
    if not entries:
        raise Refused("AWS.SimpleQueueService.EmptyBatchRequest", "a batch has an entry")
    if len(entries) > MOST_ENTRIES:
        code = "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"
        raise Refused(code, f"a batch has {MOST_ENTRIES} entries at most")
    ids = [entry["Id"] for entry in entries]
    if not all(map(_ENTRY_ID.fullmatch, ids)):
        code = "AWS.SimpleQueueService.InvalidBatchEntryId"
        raise Refused(code, "an id has 1 to 80 letters, digits, hyphens and underscores")
    if len({*ids}) < len(ids):
        raise Refused("AWS.SimpleQueueService.BatchEntryIdsNotDistinct", "an id comes once")
    if sum(len(_octets(entry.get("MessageBody", ""))) for entry in entries) > MOST_BYTES:
        code = "AWS.SimpleQueueService.BatchRequestTooLong"
        raise Refused(code, f"a batch has {MOST_BYTES} bytes at most")


def check_message(call: Mapping[str, Any], *, fifo: bool) -> None:
    """Refused, if SQS does not take this message, of a batch or by itself."""
    if unknown := {*call} - _KNOWN:
        raise Unsupported(f"a message with {sorted(unknown)}")
    body = call["MessageBody"]
    if not body:
        raise Refused("MissingParameter", "a message has a body")
    if _REFUSED.search(body):
        raise Refused("InvalidMessageContents", "the body has a character that is none of XML's")
    if len(_octets(body)) > MOST_BYTES:
        raise Refused("InvalidParameterValue", f"a message has {MOST_BYTES} bytes at most")
    if not 0 <= call.get("DelaySeconds", 0) <= LONGEST_DELAY_SECONDS:
        raise Refused(
            "InvalidParameterValue", f"a delay is of 0 to {LONGEST_DELAY_SECONDS} seconds"
        )
    if fifo:
        _check_order(call)
    elif {"MessageGroupId", "MessageDeduplicationId"} & {*call}:
        raise Unsupported("a group in a queue that is not FIFO")


def _check_order(call: Mapping[str, Any]) -> None:
    """Refused, if a FIFO queue does not know where this message belongs."""
    if call.get("DelaySeconds"):
        raise Refused("InvalidParameterValue", "in a FIFO queue no single message is delayed")
    if "MessageGroupId" not in call:
        raise Refused("MissingParameter", "in a FIFO queue a message has a group")
    if "MessageDeduplicationId" not in call:
        raise Refused("InvalidParameterValue", "this queue makes no deduplication ids of contents")
    for name in ("MessageGroupId", "MessageDeduplicationId"):
        if not _GROUP_OR_DEDUP_ID.fullmatch(call[name]):
            raise Refused("InvalidParameterValue", f"{name} has 1 to 128 plain characters")


def check_visibility(seconds: int) -> None:
    """Refused, if nothing can be hidden for so long."""
    if not 0 <= seconds <= LONGEST_VISIBILITY_SECONDS:
        raise Refused("InvalidParameterValue", "a message is hidden for 12 hours at most")


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
