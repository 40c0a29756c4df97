"""What SQS says of messages, as botocore gives it."""

from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from tests.simulation.aws_errors import Refused, Unsupported
from tests.simulation.queue_state import Message, Queue

Answer = dict[str, Any]

_ATTRIBUTES = {
    "ApproximateFirstReceiveTimestamp",
    "ApproximateReceiveCount",
    "MessageDeduplicationId",
    "MessageGroupId",
    "SentTimestamp",
    "SequenceNumber",
}


def each(call: Mapping[str, Any], do: Callable[[Mapping[str, Any]], Answer]) -> Answer:
    """The answer to a batch, of which each entry succeeds or fails by itself."""
    done: list[Answer] = []
    failed: list[Answer] = []
    for entry in call["Entries"]:
        try:
            done.append({"Id": entry["Id"], **do(entry)})
        except Refused as error:
            failed.append({"Id": entry["Id"], "Code": error.code, "SenderFault": True})
        except ClientError as error:
            code = error.response["Error"]["Code"]
            failed.append({"Id": entry["Id"], "Code": code, "SenderFault": False})
    return {"Successful": done} | ({"Failed": failed} if failed else {})


def handled(queue: Queue, handle: str) -> tuple[Message | None, bool]:
    """The message of a receipt handle, if it is still there, and whether the handle is the last
    that was given out for it.
    """
    serial, _, receives = handle.partition("#")
    if not (serial.isdecimal() and receives.isdecimal()):
        raise Refused("ReceiptHandleIsInvalid", "that is no receipt handle")
    message = queue.messages.get(int(serial))
    return message, message is not None and message.receives == int(receives)


def told(message: Message, names: set[str], *, fifo: bool) -> Answer:
    """A message that was just received, with those of its attributes that were asked for."""
    attributes = {
        "ApproximateFirstReceiveTimestamp": str(message.first_received_ms),
        "ApproximateReceiveCount": str(message.receives),
        "SentTimestamp": str(message.sent_ms),
    }
    if fifo:
        attributes |= {
            "MessageDeduplicationId": message.dedup_id,
            "MessageGroupId": message.group,
            "SequenceNumber": f"{message.serial:020}",
        }
    if unknown := names - _ATTRIBUTES - {"All"}:
        raise Unsupported(f"a message's {sorted(unknown)}")
    wanted = attributes if "All" in names else {name: attributes[name] for name in names}
    answer = {
        "MessageId": message.id,
        "ReceiptHandle": f"{message.serial}#{message.receives}",
        "Body": message.body,
    }
    return answer | ({"Attributes": wanted} if wanted else {})
