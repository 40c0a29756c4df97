"""SQS in memory: the calls that our adapters and Lambda's poller make of it, in virtual time.

The law is that of sim_table.py: what it does not know, it refuses to do. Nothing waits here: a long
poll answers at once, and ``due_ms`` tells when it is worth asking again.

A standard queue is as bad as AWS allows if ``chance`` is given: its messages come in any order, and
some of them (``duplicates``, a probability) twice. A FIFO queue keeps what AWS promises of one.

Faults come through the hook (see aws_errors.py). ``sqs.entry <deduplication id>`` is asked for each
entry of a batch that is sent, of a standard queue with the entry's own id: a ClientError raised
there makes it one of those that failed.
"""

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

from arbiter.application.ports import Clock
from tests.fakes.faults import Hook, quiet
from tests.simulation.aws_errors import ATTEMPTS, Unsupported, aws_error, tried
from tests.simulation.queue_answers import Answer, each, handled, told
from tests.simulation.queue_rules import (
    MOST_ENTRIES,
    Refused,
    check_batch,
    check_message,
    check_visibility,
)
from tests.simulation.queue_state import Message, Queue, Settings

_ARN = "arn:aws:sqs:us-east-1:000000000000:"
_URL = "https://sqs.invalid/000000000000/"
_SETTINGS = {
    "DeduplicationScope",
    "FifoQueue",
    "FifoThroughputLimit",
    "MessageRetentionPeriod",
    "RedrivePolicy",
    "VisibilityTimeout",
}


def _taken(queue: str, group: str, dedup_id: str, body: str, fate: str) -> None:
    """Nobody wants to know."""


def _buried(queue: str, group: str, message_id: str, body: str) -> None:
    """Nobody wants to know."""


class SimSqs:
    """One region's queues, as one client sees them."""

    def __init__(
        self,
        clock: Clock,
        hook: Hook = quiet,
        *,
        attempts: int = ATTEMPTS,
        chance: random.Random | None = None,
        duplicates: float = 0.0,
        scan_limit: int = 120_000,
    ) -> None:
        """``clock`` is the cloud's own, which never goes back; ``attempts`` are botocore's for one
        call; ``scan_limit`` bounds the messages of a FIFO queue that are looked at, and those that
        are in flight.

        Who sets ``took`` hears of each message at the moment when a queue takes it (its fate is
        "taken") or knows it already ("repeated"), and who sets ``buried`` of each that goes to the
        dead letters.
        """
        self.hook = hook
        self.took: Callable[[str, str, str, str, str], None] = _taken
        self.buried: Callable[[str, str, str, str], None] = _buried
        self._clock = clock
        self._attempts = attempts
        self._chance = chance
        self._duplicates = duplicates
        self._scan_limit = scan_limit
        self._queues: dict[str, Queue] = {}
        self._serial = 0

    # ---------------------------------------------------------------------- queues

    def create_queue(self, **call: Any) -> Answer:
        """A queue, by the attributes that ours have, which are texts."""
        name, asked = call["QueueName"], call.get("Attributes", {})
        if unknown := {*asked} - _SETTINGS:
            raise Unsupported(f"a queue with {sorted(unknown)}")
        policy = json.loads(asked.get("RedrivePolicy", "{}"))
        self._queues[name] = Queue(
            Settings(
                name,
                fifo=name.endswith(".fifo"),
                dedup_by_group=asked.get("DeduplicationScope") == "messageGroup",
                visibility_ms=1000 * int(asked.get("VisibilityTimeout", "30")),
                retention_ms=1000 * int(asked.get("MessageRetentionPeriod", "345600")),
                dead_letters=policy.get("deadLetterTargetArn", "").removeprefix(_ARN),
                max_receives=int(policy.get("maxReceiveCount", "0")),
                most_in_flight=self._scan_limit,
                scanned=self._scan_limit,
            )
        )
        return {"QueueUrl": _URL + name}

    def get_queue_attributes(self, **call: Any) -> Answer:
        """How much waits, is in flight and is delayed, and the queue's name among resources."""
        return self._answer("get_queue_attributes", self._get_queue_attributes, call)

    def _get_queue_attributes(self, call: Mapping[str, Any]) -> Answer:
        queue, now_ms = self._queue(call), self._clock.now_ms()
        hidden = len(queue.in_flight(now_ms))
        late = [one for one in queue.messages.values() if one.visible_ms > now_ms]
        found = {
            "ApproximateNumberOfMessages": str(len(queue.messages) - len(late)),
            "ApproximateNumberOfMessagesNotVisible": str(hidden),
            "ApproximateNumberOfMessagesDelayed": str(len(late) - hidden),
            "QueueArn": _ARN + queue.settings.name,
        }
        return {"Attributes": {name: found[name] for name in call["AttributeNames"]}}

    def due_ms(self, url: str) -> int | None:
        """When the next message of this queue can be received; None if none waits."""
        return self._queue({"QueueUrl": url}).due_ms(self._clock.now_ms())

    def waiting(self, url: str) -> list[str]:
        """The bodies of all that is in this queue, in flight or not, in the order it came."""
        return [message.body for message in self._queue({"QueueUrl": url}).messages.values()]

    # ------------------------------------------------------------------------ send

    def send_message(self, **call: Any) -> Answer:
        """One message."""
        return self._answer("send_message", self._send_message, call)

    def _send_message(self, call: Mapping[str, Any]) -> Answer:
        return self._take(self._queue(call), call)

    def send_message_batch(self, **call: Any) -> Answer:
        """Up to ten messages, each for itself."""
        return self._answer("send_message_batch", self._send_message_batch, call)

    def _send_message_batch(self, call: Mapping[str, Any]) -> Answer:
        check_batch(call["Entries"])

        def take(entry: Mapping[str, Any]) -> Answer:
            self.hook(f"sqs.entry {entry.get('MessageDeduplicationId', entry['Id'])}")
            return self._take(self._queue(call), entry)

        return each(call, take)

    def _take(self, queue: Queue, call: Mapping[str, Any]) -> Answer:
        check_message(call, fifo=queue.settings.fifo)
        now_ms = self._clock.now_ms()
        group, dedup_id = call.get("MessageGroupId", ""), call.get("MessageDeduplicationId", "")
        known = queue.repeats(group, dedup_id, now_ms) if queue.settings.fifo else None
        fate = "repeated" if known else "taken"
        if known is None:
            visible_ms = now_ms + 1000 * call.get("DelaySeconds", 0)
            known = self._message(call["MessageBody"], now_ms, visible_ms, group, dedup_id)
            queue.put(known)
            if not queue.settings.fifo and self._chance and self._is_doubled(self._chance):
                copy = self._message(known.body, now_ms, visible_ms)
                copy.id = known.id
                queue.put(copy)
        self.took(queue.settings.name, group, dedup_id, call["MessageBody"], fate)
        answer = {"MessageId": known.id}
        return answer | ({"SequenceNumber": f"{known.serial:020}"} if queue.settings.fifo else {})

    def _is_doubled(self, chance: random.Random) -> bool:
        return self._duplicates > 0 and chance.random() < self._duplicates

    def _message(
        self, body: str, now_ms: int, visible_ms: int, group: str = "", dedup_id: str = ""
    ) -> Message:
        self._serial += 1
        id_ = f"{self._serial:08x}-0000-4000-8000-000000000000"
        return Message(self._serial, id_, body, now_ms, now_ms, visible_ms, group, dedup_id)

    # --------------------------------------------------------------------- receive

    def receive_message(self, **call: Any) -> Answer:
        """Up to ten messages that nobody else has."""
        return self._answer("receive_message", self._receive_message, call)

    def _receive_message(self, call: Mapping[str, Any]) -> Answer:
        queue, now_ms = self._queue(call), self._clock.now_ms()
        most = call.get("MaxNumberOfMessages", 1)
        if not 1 <= most <= MOST_ENTRIES:
            raise Refused("InvalidParameterValue", "1 to 10 messages are received at once")
        seconds = call.get("VisibilityTimeout", queue.settings.visibility_ms // 1000)
        check_visibility(seconds)
        in_flight = len(queue.in_flight(now_ms))
        if in_flight >= queue.settings.most_in_flight and not queue.settings.fifo:
            raise Refused("OverLimit", "too many messages are in flight")
        most = min(most, queue.settings.most_in_flight - in_flight)
        found: list[Message] = []
        for message in queue.receivable(now_ms, self._chance):
            if len(found) >= most:
                break
            if 0 < queue.settings.max_receives <= message.receives:
                self._bury(queue, message, now_ms)
                continue
            found.append(message)
        for message in found:
            queue.receive(message, now_ms, 1000 * seconds)
        names = {*call.get("AttributeNames", ()), *call.get("MessageSystemAttributeNames", ())}
        messages = [told(message, names, fifo=queue.settings.fifo) for message in found]
        return {"Messages": messages} if messages else {}

    def _bury(self, queue: Queue, message: Message, now_ms: int) -> None:
        """Move a message to the dead letters. In a FIFO queue its time of enqueueing is then a new
        one, and its deduplication id is its message id, so that it repeats no other.
        """
        queue.drop(message)
        message.source, message.visible_ms = queue.settings.name, now_ms
        if queue.settings.fifo:
            message.enqueued_ms, message.dedup_id = now_ms, message.id
        self._queues[queue.settings.dead_letters].put(message, is_new=False)
        self.buried(queue.settings.name, message.group, message.id, message.body)

    def start_message_move_task(self, **call: Any) -> Answer:
        """Move what waits among the dead letters back to where each came from, or to the queue that
        is named. They are new messages there, and the whole is done at once.
        """
        return self._answer("start_message_move_task", self._move, call)

    def _move(self, call: Mapping[str, Any]) -> Answer:
        if unknown := {*call} - {"SourceArn", "DestinationArn"}:
            raise Unsupported(f"a redrive with {sorted(unknown)}")
        dead, now_ms = self._named(call["SourceArn"].removeprefix(_ARN)), self._clock.now_ms()
        if all(one.settings.dead_letters != dead.settings.name for one in self._queues.values()):
            raise Refused("InvalidParameterValue", "the source is of nobody's dead letters")
        to = call.get("DestinationArn", "").removeprefix(_ARN)
        for message in [*dead.messages.values()]:
            if message.visible_ms <= now_ms:
                dead.drop(message)
                body, group, dedup_id = message.body, message.group, message.dedup_id
                moved = self._message(body, now_ms, now_ms, group, dedup_id)
                self._named(to or message.source).put(moved, is_new=False)
        return {"TaskHandle": f"move-{now_ms}"}

    # ---------------------------------------------------------------------- delete

    def delete_message(self, **call: Any) -> Answer:
        """One message that was received is done with."""
        return self._answer("delete_message", self._delete_message, call)

    def _delete_message(self, call: Mapping[str, Any]) -> Answer:
        queue = self._queue(call)
        message, is_latest = handled(queue, call["ReceiptHandle"])
        if message is None:
            return {}
        is_late = message.visible_ms <= self._clock.now_ms() or not is_latest
        if queue.settings.fifo and is_late:
            raise Refused("InvalidParameterValue", "the receipt handle has expired")
        if is_latest:
            queue.drop(message)
        return {}

    def delete_message_batch(self, **call: Any) -> Answer:
        """Up to ten messages that were received are done with, each for itself."""
        return self._answer("delete_message_batch", self._delete_message_batch, call)

    def _delete_message_batch(self, call: Mapping[str, Any]) -> Answer:
        check_batch(call["Entries"])
        return each(call, lambda entry: self._delete_message({**call, **entry}))

    def change_message_visibility(self, **call: Any) -> Answer:
        """One message that was received is hidden for so long from now on."""
        return self._answer("change_message_visibility", self._change_visibility, call)

    def _change_visibility(self, call: Mapping[str, Any]) -> Answer:
        queue, now_ms = self._queue(call), self._clock.now_ms()
        check_visibility(call["VisibilityTimeout"])
        message, is_latest = handled(queue, call["ReceiptHandle"])
        if message is None or not is_latest or message.visible_ms <= now_ms:
            code = "AWS.SimpleQueueService.MessageNotInflight"
            raise Refused(code, "nobody has received that message, or lately")
        message.visible_ms = now_ms + 1000 * call["VisibilityTimeout"]
        return {}

    def change_message_visibility_batch(self, **call: Any) -> Answer:
        """Up to ten messages that were received are hidden for so long, each for itself."""
        return self._answer("change_message_visibility_batch", self._change_batch, call)

    def _change_batch(self, call: Mapping[str, Any]) -> Answer:
        check_batch(call["Entries"])
        return each(call, lambda entry: self._change_visibility({**call, **entry}))

    # ----------------------------------------------------------------------- calls

    def _answer(
        self, name: str, make: Callable[[Mapping[str, Any]], Answer], call: Mapping[str, Any]
    ) -> Answer:
        operation = "".join(map(str.capitalize, name.split("_")))

        def attempt() -> Answer:
            try:
                return make(call)
            except Refused as error:
                raise aws_error(error.code, operation, str(error)) from error

        return tried(f"sqs.{name}", self.hook, self._attempts, attempt)

    def _queue(self, call: Mapping[str, Any]) -> Queue:
        return self._named(call["QueueUrl"].removeprefix(_URL))

    def _named(self, name: str) -> Queue:
        if name not in self._queues:
            code = "AWS.SimpleQueueService.NonExistentQueue"
            raise Refused(code, "there is no such queue")
        self._queues[name].expire(self._clock.now_ms())
        return self._queues[name]
