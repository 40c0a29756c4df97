"""The calls that take messages out of queues, for a while or for good."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from tests.simulation.aws_errors import Refused, Unsupported
from tests.simulation.queue_answers import Answer, each, handled, told
from tests.simulation.queue_rules import MOST_ENTRIES, check_batch, check_visibility
from tests.simulation.queue_state import Message, Queue
from tests.simulation.queues import Queues

Buried = Callable[[str, str, str, str], None]
"""Who hears of a dead letter: queue, group, message id, body."""


class Receiving:
    """What empties the queues; one without order in the order that ``chance`` makes."""

    def __init__(self, queues: Queues, chance: random.Random | None, buried: Buried) -> None:
        self._queues = queues
        self._chance = chance
        self._buried = buried

    def receive_message(self, call: Mapping[str, Any]) -> Answer:
        """Up to ten messages that nobody else has."""
        queue, now_ms = self._queues.of(call), self._queues.clock.now_ms()
        most = call.get("MaxNumberOfMessages", 1)
        if not 1 <= most <= MOST_ENTRIES:
            raise Refused("InvalidParameterValue", "1 to 10 messages are received at once")
        seconds = call.get("VisibilityTimeout", queue.settings.visibility_ms // 1000)
        check_visibility(seconds)
        in_flight = len(queue.in_flight(now_ms))
        if in_flight >= queue.settings.most_in_flight and not queue.settings.fifo:
            raise Refused("OverLimit", "too many messages are in flight")
        found = self._found(queue, min(most, queue.settings.most_in_flight - in_flight), now_ms)
        for message in found:
            queue.receive(message, now_ms, 1000 * seconds)
        names = {*call.get("AttributeNames", ()), *call.get("MessageSystemAttributeNames", ())}
        messages = [told(message, names, fifo=queue.settings.fifo) for message in found]
        return {"Messages": messages} if messages else {}

    def _found(self, queue: Queue, most: int, now_ms: int) -> list[Message]:
        """The next messages; on the way to them those are buried that came too often."""
        found: list[Message] = []
        for message in queue.receivable(now_ms, self._chance):
            if len(found) >= most:
                break
            if 0 < queue.settings.max_receives <= message.receives:
                self._bury(queue, message, now_ms)
            else:
                found.append(message)
        return found

    def _bury(self, queue: Queue, message: Message, now_ms: int) -> None:
        """Move a message to the dead letters. In a FIFO queue its time of enqueueing is then a new
        one, and its deduplication id is its message id, so that it repeats no other.
        """
        queue.drop(message)
        message.source, message.visible_ms = queue.settings.name, now_ms
        if queue.settings.fifo:
            message.enqueued_ms, message.dedup_id = now_ms, message.id
        self._queues.named(queue.settings.dead_letters).put(message, is_new=False)
        self._buried(queue.settings.name, message.group, message.id, message.body)

    def start_message_move_task(self, call: Mapping[str, Any]) -> Answer:
        """Move what waits among the dead letters back to where each came from, or to the queue that
        is named. They are new messages there, and the whole is done at once.
        """
        if unknown := {*call} - {"SourceArn", "DestinationArn"}:
            raise Unsupported(f"a redrive with {sorted(unknown)}")
        dead, now_ms = self._queues.at(call["SourceArn"]), self._queues.clock.now_ms()
        if not self._queues.takes_dead_letters(dead):
            raise Refused("InvalidParameterValue", "the source is of nobody's dead letters")
        for message in [*dead.messages.values()]:
            if message.visible_ms <= now_ms:
                dead.drop(message)
                moved = self._queues.message(message.body, 0, message.group, message.dedup_id)
                to = call.get("DestinationArn")
                home = self._queues.at(to) if to else self._queues.named(message.source)
                home.put(moved, is_new=False)
        return {"TaskHandle": f"move-{now_ms}"}

    def delete_message(self, call: Mapping[str, Any]) -> Answer:
        """One message that was received is done with."""
        queue = self._queues.of(call)
        message, is_latest = handled(queue, call["ReceiptHandle"])
        if message is None:
            return {}
        is_late = message.visible_ms <= self._queues.clock.now_ms() or not is_latest
        if queue.settings.fifo and is_late:
            raise Refused("InvalidParameterValue", "the receipt handle has expired")
        if is_latest:
            queue.drop(message)
        return {}

    def delete_message_batch(self, call: Mapping[str, Any]) -> Answer:
        """Up to ten messages that were received are done with, each for itself."""
        check_batch(call["Entries"])
        return each(call, lambda entry: self.delete_message({**call, **entry}))

    def change_message_visibility(self, call: Mapping[str, Any]) -> Answer:
        """One message that was received is hidden for so long from now on."""
        queue, now_ms = self._queues.of(call), self._queues.clock.now_ms()
        check_visibility(call["VisibilityTimeout"])
        message, is_latest = handled(queue, call["ReceiptHandle"])
        if message is None or not is_latest or message.visible_ms <= now_ms:
            code = "AWS.SimpleQueueService.MessageNotInflight"
            raise Refused(code, "nobody has received that message, or lately")
        message.visible_ms = now_ms + 1000 * call["VisibilityTimeout"]
        return {}

    def change_message_visibility_batch(self, call: Mapping[str, Any]) -> Answer:
        """Up to ten messages that were received are hidden for so long, each for itself."""
        check_batch(call["Entries"])
        return each(call, lambda entry: self.change_message_visibility({**call, **entry}))
