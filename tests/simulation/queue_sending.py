"""The calls that bring messages into queues."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from tests.simulation.queue_answers import Answer, each
from tests.simulation.queue_rules import check_batch, check_message
from tests.simulation.queue_state import Queue
from tests.simulation.queues import Queues

Took = Callable[[str, str, str, str, str], None]
"""Who hears of a message: queue, group, deduplication id, body, and "taken" or "repeated"."""


class Sending:
    """What fills the queues. ``ask`` is asked of each entry of a batch, by its deduplication id or
    else its own, and may raise.
    """

    def __init__(
        self,
        queues: Queues,
        chance: random.Random | None,
        duplicates: float,
        took: Took,
        ask: Callable[[str], None],
    ) -> None:
        self._queues = queues
        self._chance = chance
        self._duplicates = duplicates
        self._took = took
        self._ask = ask

    def send_message(self, call: Mapping[str, Any]) -> Answer:
        """One message."""
        return self._take(self._queues.of(call), call)

    def send_message_batch(self, call: Mapping[str, Any]) -> Answer:
        """Up to ten messages, each for itself."""
        check_batch(call["Entries"])

        def take(entry: Mapping[str, Any]) -> Answer:
            self._ask(entry.get("MessageDeduplicationId", entry["Id"]))
            return self._take(self._queues.of(call), entry)

        return each(call, take)

    def _take(self, queue: Queue, call: Mapping[str, Any]) -> Answer:
        check_message(call, fifo=queue.settings.fifo)
        group, dedup_id = call.get("MessageGroupId", ""), call.get("MessageDeduplicationId", "")
        now_ms = self._queues.clock.now_ms()
        message = queue.repeats(group, dedup_id, now_ms) if queue.settings.fifo else None
        status = "repeated" if message else "taken"
        if message is None:
            made = (call["MessageBody"], call.get("DelaySeconds", 0), group, dedup_id)
            message = self._queues.message(*made)
            queue.put(message)
            if not queue.settings.fifo and self._is_doubled():
                copy = self._queues.message(*made)
                copy.id = message.id
                queue.put(copy)
        self._took(queue.settings.name, group, dedup_id, call["MessageBody"], status)
        number = {"SequenceNumber": f"{message.serial:020}"} if queue.settings.fifo else {}
        return {"MessageId": message.id} | number

    def _is_doubled(self) -> bool:
        if not self._chance or not self._duplicates:
            return False
        return self._chance.random() < self._duplicates
