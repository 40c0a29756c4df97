"""The queues of one region, and the making of messages."""

import json
from collections.abc import Mapping
from typing import Any

from arbiter.application.ports import Clock
from tests.simulation.aws_errors import Refused, Unsupported
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


class Queues:
    """All queues by name. ``scan_limit`` bounds what each FIFO queue looks at and has in flight."""

    def __init__(self, clock: Clock, scan_limit: int) -> None:
        self.clock = clock
        self._scan_limit = scan_limit
        self._by_name: dict[str, Queue] = {}
        self._serial = 0

    def create(self, call: Mapping[str, Any]) -> str:
        """Make the queue that a CreateQueue call asks for; its URL."""
        name: str = call["QueueName"]
        asked: Mapping[str, str] = call.get("Attributes", {})
        if unknown := {*asked} - _SETTINGS:
            raise Unsupported(f"a queue with {sorted(unknown)}")
        policy = json.loads(asked.get("RedrivePolicy", "{}"))
        self._by_name[name] = Queue(
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
        return _URL + name

    def of(self, call: Mapping[str, Any]) -> Queue:
        """The queue whose URL a call names."""
        return self.named(call["QueueUrl"].removeprefix(_URL))

    def at(self, arn: str) -> Queue:
        """The queue of this name among all resources."""
        return self.named(arn.removeprefix(_ARN))

    def named(self, name: str) -> Queue:
        """The queue of this name, without what has waited there for too long."""
        if name not in self._by_name:
            code = "AWS.SimpleQueueService.NonExistentQueue"
            raise Refused(code, "there is no such queue")
        queue = self._by_name[name]
        queue.expire(self.clock.now_ms())
        return queue

    def takes_dead_letters(self, queue: Queue) -> bool:
        """Whether any queue gives its dead letters to this one."""
        name = queue.settings.name
        return any(other.settings.dead_letters == name for other in self._by_name.values())

    def attributes(self, call: Mapping[str, Any]) -> dict[str, str]:
        """Those attributes of a queue that a call asks for."""
        queue, now_ms = self.of(call), self.clock.now_ms()
        hidden = len(queue.in_flight(now_ms))
        late = [one for one in queue.messages.values() if one.visible_ms > now_ms]
        found = {
            "ApproximateNumberOfMessages": str(len(queue.messages) - len(late)),
            "ApproximateNumberOfMessagesNotVisible": str(hidden),
            "ApproximateNumberOfMessagesDelayed": str(len(late) - hidden),
            "QueueArn": _ARN + queue.settings.name,
        }
        return {name: found[name] for name in call["AttributeNames"]}

    def message(
        self, body: str, delay_seconds: int = 0, group: str = "", dedup_id: str = ""
    ) -> Message:
        """A new message, which is in no queue yet."""
        self._serial += 1
        id_ = f"{self._serial:08x}-0000-4000-8000-000000000000"
        now_ms = self.clock.now_ms()
        visible_ms = now_ms + 1000 * delay_seconds
        return Message(self._serial, id_, body, now_ms, now_ms, visible_ms, group, dedup_id)
