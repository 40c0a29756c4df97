"""One queue, from message to message. Times are unix milliseconds."""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

DEDUPLICATED_MS: Final = 5 * 60 * 1000


@dataclass
class Message:
    """One message, or one of two copies of it. ``serial`` is its alone, and tells the order in
    which the queue took them; ``visible_ms`` is when it can be received (again).
    """

    serial: int
    id: str
    body: str
    sent_ms: int
    enqueued_ms: int
    visible_ms: int
    group: str = ""
    dedup_id: str = ""
    receives: int = 0
    first_received_ms: int = 0
    source: str = ""


@dataclass(frozen=True)
class Settings:
    """What a queue is told when it is made. ``dead_letters`` is the name of another, or empty;
    ``most_in_flight`` and ``scanned`` are AWS's own bounds of a FIFO queue.
    """

    name: str
    fifo: bool
    dedup_by_group: bool = False
    visibility_ms: int = 30_000
    retention_ms: int = 345_600_000
    dead_letters: str = ""
    max_receives: int = 0
    most_in_flight: int = 120_000
    scanned: int = 120_000


@dataclass
class Queue:
    """What waits in one queue, and what it remembers of what it has seen."""

    settings: Settings
    messages: dict[int, Message] = field(default_factory=dict)
    _groups: dict[str, dict[int, Message]] = field(default_factory=dict)
    _received: dict[int, Message] = field(default_factory=dict)
    _seen: dict[tuple[str, str], Message] = field(default_factory=dict)
    _oldest_ms: int = sys.maxsize

    def repeats(self, group: str, dedup_id: str, now_ms: int) -> Message | None:
        """The message of the last five minutes that this one repeats; it may be long deleted."""
        for key in [*self._seen]:  # in the order in which they were sent
            if now_ms - self._seen[key].sent_ms < DEDUPLICATED_MS:
                break
            del self._seen[key]
        return self._seen.get(self._dedup_key(group, dedup_id))

    def put(self, message: Message, *, is_new: bool = True) -> None:
        """Let a message wait here. One that is not new, but moved, is never a repetition."""
        self.messages[message.serial] = message
        self._groups.setdefault(message.group, {})[message.serial] = message
        self._oldest_ms = min(self._oldest_ms, message.enqueued_ms)
        if self.settings.fifo and is_new:
            self._seen[self._dedup_key(message.group, message.dedup_id)] = message

    def drop(self, message: Message) -> None:
        """Let a message be gone."""
        self.messages.pop(message.serial, None)
        self._received.pop(message.serial, None)
        group = self._groups[message.group]
        group.pop(message.serial, None)
        if not group:
            del self._groups[message.group]

    def expire(self, now_ms: int) -> None:
        """Drop what has waited for longer than this queue keeps anything."""
        kept_since = now_ms - self.settings.retention_ms
        if self._oldest_ms > kept_since:
            return
        for message in [*self.messages.values()]:
            if message.enqueued_ms <= kept_since:
                self.drop(message)
        times = (message.enqueued_ms for message in self.messages.values())
        self._oldest_ms = min(times, default=sys.maxsize)

    def in_flight(self, now_ms: int) -> list[Message]:
        """What somebody has received, and neither deleted nor let go."""
        for message in [*self._received.values()]:
            if message.visible_ms <= now_ms:
                del self._received[message.serial]
        return [*self._received.values()]

    def receive(self, message: Message, now_ms: int, visibility_ms: int) -> None:
        """Hand a message out."""
        message.receives += 1
        message.first_received_ms = message.first_received_ms or now_ms
        message.visible_ms = now_ms + visibility_ms
        self._received[message.serial] = message

    def receivable(self, now_ms: int, chance: random.Random | None) -> Iterator[Message]:
        """What can be received now, in the order in which it is handed out.

        Of a FIFO queue that is group by group: each in its order, and none of which a message is in
        flight, or which no message is of among the first that the queue looks at. Of another it is
        any order that ``chance`` makes.
        """
        if not self.settings.fifo:
            free = [one for one in self.messages.values() if one.visible_ms <= now_ms]
            if chance:
                chance.shuffle(free)
            yield from free
            return
        blocked = {message.group for message in self.in_flight(now_ms)}
        looked_at = self._groups.keys() - blocked
        if len(self.messages) > self.settings.scanned:
            first = islice(self.messages.values(), self.settings.scanned)
            looked_at &= {message.group for message in first}
        for group in [group for group in self._groups if group in looked_at]:
            yield from [*self._groups[group].values()]

    def due_ms(self, now_ms: int) -> int | None:
        """When the next message can be received: now, later, or never as things stand."""
        if not self.settings.fifo:
            times = (max(message.visible_ms, now_ms) for message in self.messages.values())
            return min(times, default=None)
        until: dict[str, int] = {}
        for message in self.in_flight(now_ms):
            until[message.group] = max(until.get(message.group, 0), message.visible_ms)
        return min((until.get(group, now_ms) for group in self._groups), default=None)

    def _dedup_key(self, group: str, dedup_id: str) -> tuple[str, str]:
        return (group if self.settings.dedup_by_group else "", dedup_id)
