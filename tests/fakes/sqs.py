"""SQS in memory, in virtual time: the calls that our adapters and Lambda's poller make of it.

What it does not know is ``Unsupported``; what AWS bounds, the emulators of tests/contract refuse.
Nothing waits here: a long poll answers at once, and ``due_ms`` tells when it is worth asking again.
A standard queue is as bad as AWS allows if ``chance`` is given: its messages come in any order. A
FIFO queue keeps what AWS promises.

Faults come through the hook (see aws_errors.py); a ClientError at ``sqs.entry <deduplication id>``,
of a standard queue with the entry's own id, makes it one of a batch that failed.
"""

import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from botocore.exceptions import ClientError

from arbiter.application.ports import Clock
from tests.fakes.aws_errors import Refused, Unsupported, answered
from tests.fakes.faults import Hook, quiet

DEDUPLICATED_MS: Final = 5 * 60 * 1000

_CODE: Final = "AWS.SimpleQueueService."
_ARN: Final = "arn:aws:sqs:us-east-1:000000000000:"
_URL: Final = "https://sqs.invalid/000000000000/"
_SETTINGS: Final = {
    "DeduplicationScope",
    "FifoQueue",
    "FifoThroughputLimit",
    "MessageRetentionPeriod",
    "RedrivePolicy",
    "VisibilityTimeout",
}
_MESSAGE: Final = {
    "QueueUrl",
    "Id",
    "MessageBody",
    "DelaySeconds",
    "MessageGroupId",
    "MessageDeduplicationId",
}

Answer = dict[str, Any]
Call = Mapping[str, Any]


@dataclass
class Message:
    """``serial`` is in the order in which queues took them; ``visible_ms`` (unix, as all times) is
    when it can be received (again).
    """

    serial: int
    body: str
    sent_ms: int
    visible_ms: int
    group: str = ""
    dedup_id: str = ""
    receives: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        self.id = f"{self.serial:08x}-0000-4000-8000-000000000000"
        self.enqueued_ms = self.sent_ms


class Queue:
    """The messages that wait in one queue, and the ids that it has seen."""

    def __init__(self, name: str, asked: Mapping[str, str]) -> None:
        if unknown := {*asked} - _SETTINGS:
            raise Unsupported(f"a queue with {sorted(unknown)}")
        policy = json.loads(asked.get("RedrivePolicy", "{}"))
        self.name = name
        self.fifo = name.endswith(".fifo")
        self.by_group = asked.get("DeduplicationScope") == "messageGroup"
        self.visibility_seconds = int(asked.get("VisibilityTimeout", "30"))
        self.retention_ms = 1000 * int(asked.get("MessageRetentionPeriod", "345600"))
        self.dead_letters: str = policy.get("deadLetterTargetArn", "").removeprefix(_ARN)
        self.max_receives = int(policy.get("maxReceiveCount", "0"))
        self.messages: dict[int, Message] = {}
        self._groups: dict[str, dict[int, Message]] = {}
        self._received: dict[int, Message] = {}
        self._seen: dict[tuple[str, str], Message] = {}
        self._oldest_ms = sys.maxsize

    def repeats(self, group: str, dedup_id: str, now_ms: int) -> Message | None:
        """The message of the last five minutes that this one repeats; it may be long deleted."""
        for key in [*self._seen]:  # in the order in which they were sent
            if now_ms - self._seen[key].sent_ms < DEDUPLICATED_MS:
                break
            del self._seen[key]
        return self._seen.get((group if self.by_group else "", dedup_id))

    def put(self, message: Message, *, is_new: bool = True) -> None:
        self.messages[message.serial] = message
        self._groups.setdefault(message.group, {})[message.serial] = message
        self._oldest_ms = min(self._oldest_ms, message.enqueued_ms)
        if self.fifo and is_new:
            self._seen[message.group if self.by_group else "", message.dedup_id] = message

    def drop(self, message: Message) -> None:
        self.messages.pop(message.serial, None)
        self._received.pop(message.serial, None)
        group = self._groups[message.group]
        group.pop(message.serial, None)
        if not group:
            del self._groups[message.group]

    def expire(self, now_ms: int) -> None:
        kept_since = now_ms - self.retention_ms
        if self._oldest_ms > kept_since:
            return
        for message in [*self.messages.values()]:
            if message.enqueued_ms <= kept_since:
                self.drop(message)
        self._oldest_ms = min(
            (it.enqueued_ms for it in self.messages.values()), default=sys.maxsize
        )

    def in_flight(self, now_ms: int) -> list[Message]:
        for message in [*self._received.values()]:
            if message.visible_ms <= now_ms:
                del self._received[message.serial]
        return [*self._received.values()]

    def receive(self, message: Message, now_ms: int) -> None:
        message.receives += 1
        message.visible_ms = now_ms + 1000 * self.visibility_seconds
        self._received[message.serial] = message

    def receivable(self, now_ms: int, chance: random.Random | None) -> Iterator[Message]:
        """The messages that can be received now, in the order in which they are handed out: of a
        FIFO queue group by group, without groups that have a message in flight; of another any
        order that ``chance`` makes.
        """
        if not self.fifo:
            free = [one for one in self.messages.values() if one.visible_ms <= now_ms]
            if chance:
                chance.shuffle(free)
            yield from free
            return
        blocked = {message.group for message in self.in_flight(now_ms)}
        for group in [group for group in self._groups if group not in blocked]:
            yield from [*self._groups[group].values()]

    def due_ms(self, now_ms: int) -> int | None:
        """The time at which the next message can be received; None if nothing changes that by
        itself.
        """
        if not self.fifo:
            times = (max(message.visible_ms, now_ms) for message in self.messages.values())
            return min(times, default=None)
        until: dict[str, int] = {}
        for message in self.in_flight(now_ms):
            until[message.group] = max(until.get(message.group, 0), message.visible_ms)
        return min((until.get(group, now_ms) for group in self._groups), default=None)


class SimSqs:
    """One region's queues, as one client sees them. ``took`` receives each message (queue, group,
    deduplication id, body, "taken" or "repeated") and ``buried`` each that goes to the dead letters
    (queue, group, message id, body).
    """

    def __init__(
        self, clock: Clock, hook: Hook = quiet, *, chance: random.Random | None = None
    ) -> None:
        self.hook = hook
        self.took: Callable[[str, str, str, str, str], None] = lambda *_: None
        self.buried: Callable[[str, str, str, str], None] = lambda *_: None
        self._clock = clock
        self._chance = chance
        self._queues: dict[str, Queue] = {}
        self._serial = 0

    def create_queue(self, **call: Any) -> Answer:
        self._queues[call["QueueName"]] = Queue(call["QueueName"], call.get("Attributes", {}))
        return {"QueueUrl": _URL + call["QueueName"]}

    def due_ms(self, url: str) -> int | None:
        """The time at which the next message of this queue can be received; None if none waits."""
        return self._at(url).due_ms(self._clock.now_ms())

    def waiting(self, url: str) -> list[str]:
        return [one.body for one in self._at(url).messages.values()]

    def __getattr__(self, name: str) -> Callable[..., Answer]:
        make = type(self).__dict__.get(f"_{name}")
        if make is None:
            raise AttributeError(name)
        return lambda **call: answered("sqs", name, self.hook, lambda: make(self, call))

    def _get_queue_attributes(self, call: Call) -> Answer:
        queue = self._at(call["QueueUrl"])
        count = str(len(queue.messages))
        return {"Attributes": {"ApproximateNumberOfMessages": count, "QueueArn": _ARN + queue.name}}

    def _send_message(self, call: Call) -> Answer:
        queue, now_ms = self._at(call["QueueUrl"]), self._clock.now_ms()
        if unknown := {*call} - _MESSAGE:
            raise Unsupported(f"a message with {sorted(unknown)}")
        group, dedup_id = call.get("MessageGroupId", ""), call.get("MessageDeduplicationId", "")
        message = queue.repeats(group, dedup_id, now_ms) if queue.fifo else None
        status = "repeated" if message else "taken"
        if message is None:
            message = self._new(call["MessageBody"], group, dedup_id)
            message.visible_ms += 1000 * call.get("DelaySeconds", 0)
            queue.put(message)
        self.took(queue.name, group, dedup_id, call["MessageBody"], status)
        return {"MessageId": message.id}

    def _send_message_batch(self, call: Call) -> Answer:
        done: list[Answer] = []
        failed: list[Answer] = []
        for entry in call["Entries"]:
            try:
                self.hook(f"sqs.entry {entry.get('MessageDeduplicationId', entry['Id'])}")
                sent = self._send_message({"QueueUrl": call["QueueUrl"], **entry})
                done.append({"Id": entry["Id"], **sent})
            except ClientError as error:
                code = error.response["Error"]["Code"]
                failed.append({"Id": entry["Id"], "Code": code, "SenderFault": False})
        return {"Successful": done} | ({"Failed": failed} if failed else {})

    def _receive_message(self, call: Call) -> Answer:
        queue, now_ms = self._at(call["QueueUrl"]), self._clock.now_ms()
        messages: list[Message] = []
        for message in queue.receivable(now_ms, self._chance):
            if len(messages) == call.get("MaxNumberOfMessages", 1):
                break
            if 0 < queue.max_receives <= message.receives:
                self._bury(queue, message, now_ms)
                continue
            messages.append(message)
        for message in messages:
            queue.receive(message, now_ms)
        return {"Messages": [_told(message) for message in messages]} if messages else {}

    def _bury(self, queue: Queue, message: Message, now_ms: int) -> None:
        """Move a message to the dead letters. In a FIFO queue its time of enqueueing is then a new
        one, and its deduplication id is its message id, so that it repeats no other.
        """
        queue.drop(message)
        message.source, message.visible_ms = queue.name, now_ms
        if queue.fifo:
            message.enqueued_ms, message.dedup_id = now_ms, message.id
        self._named(queue.dead_letters).put(message, is_new=False)
        self.buried(queue.name, message.group, message.id, message.body)

    def _start_message_move_task(self, call: Call) -> Answer:
        """Move what waits among the dead letters back to where each came from, all at once, as new
        messages.
        """
        now_ms = self._clock.now_ms()
        dead = self._named(call["SourceArn"].removeprefix(_ARN))
        for message in [*dead.messages.values()]:
            if message.visible_ms <= now_ms:
                dead.drop(message)
                moved = self._new(message.body, message.group, message.dedup_id)
                self._named(message.source).put(moved, is_new=False)
        return {"TaskHandle": f"move-{now_ms}"}

    def _delete_message(self, call: Call) -> Answer:
        queue = self._at(call["QueueUrl"])
        message, is_latest = _handled(queue, call["ReceiptHandle"])
        if message is None:
            return {}
        is_late = message.visible_ms <= self._clock.now_ms() or not is_latest
        if queue.fifo and is_late:
            raise Refused("InvalidParameterValue", "the receipt handle has expired")
        if is_latest:
            queue.drop(message)
        return {}

    def _change_message_visibility(self, call: Call) -> Answer:
        queue, now_ms = self._at(call["QueueUrl"]), self._clock.now_ms()
        message, is_latest = _handled(queue, call["ReceiptHandle"])
        if message is None or not is_latest or message.visible_ms <= now_ms:
            raise Refused(f"{_CODE}MessageNotInflight", "that message is not in flight")
        message.visible_ms = now_ms + 1000 * call["VisibilityTimeout"]
        return {}

    def _new(self, body: str, group: str, dedup_id: str) -> Message:
        self._serial += 1
        now_ms = self._clock.now_ms()
        return Message(self._serial, body, now_ms, now_ms, group, dedup_id)

    def _at(self, url: str) -> Queue:
        return self._named(url.removeprefix(_URL))

    def _named(self, name: str) -> Queue:
        if name not in self._queues:
            raise Refused(f"{_CODE}NonExistentQueue", "there is no such queue")
        self._queues[name].expire(self._clock.now_ms())
        return self._queues[name]


def _handled(queue: Queue, handle: str) -> tuple[Message | None, bool]:
    """The message of this receipt, and whether it is the latest; None if it is gone."""
    serial, _, receives = handle.partition("#")
    message = queue.messages.get(int(serial))
    return message, message is not None and message.receives == int(receives)


def _told(message: Message) -> Answer:
    attributes = {"ApproximateReceiveCount": str(message.receives)}
    if message.group:
        attributes |= {"MessageDeduplicationId": message.dedup_id, "MessageGroupId": message.group}
    return {
        "MessageId": message.id,
        "ReceiptHandle": f"{message.serial}#{message.receives}",
        "Body": message.body,
        "Attributes": attributes,
    }
