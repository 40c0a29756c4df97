"""The network of Scuttlebutt: everybody's log, and how logs come to those who read them.

The law: a log is append-only, and a reader gets each author's messages in their order, once; of two
authors nobody knows who comes first. Whatever else may happen to a message is a fault: it is late,
it comes again, or its author has written two under one number.
"""

import base64
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.simulation.history import Authored

if TYPE_CHECKING:
    from tests.simulation.world import World

Content = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of somebody's log; ``recps`` are the feeds that can read it, if not all."""

    key: str
    author: str
    sequence: int
    timestamp: int
    content: Content
    recps: tuple[str, ...] = ()

    def is_read_by(self, feed: str) -> bool:
        """Whether this feed can read it."""
        return not self.recps or feed in (self.author, *self.recps)


Hears = Callable[[Message], None]


@dataclass(eq=False)
class Reader:
    """Who copies logs: what he is told by, and until when each log is held up."""

    name: str
    hears: Hears
    is_up: bool = True
    clear_at: dict[str, float] = field(default_factory=dict)
    missed: list[Message] = field(default_factory=list)
    under_way: int = 0


def named(kind: str, *what: object) -> str:
    """A feed's id (``kind`` is ``@``) or a message's key (``%``), that follows from this."""
    octets = hashlib.sha256(json.dumps(what).encode()).digest()
    return f"{kind}{base64.b64encode(octets).decode()}.{'ed25519' if kind == '@' else 'sha256'}"


class Feeds:
    """All logs."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._logs: dict[str, list[Message]] = defaultdict(list)
        self._readers: dict[str, list[Reader]] = defaultdict(list)

    def follow(self, reader: Reader, author: str) -> None:
        """Let this reader have this log, from its beginning."""
        self._readers[author].append(reader)
        for message in self._logs[author]:
            self._send(reader, message)

    def write(
        self, who: str, author: str, content: Content, recps: tuple[str, ...] = ()
    ) -> Message:
        """Append to a log, and let it spread."""
        message = self._made(who, author, len(self._logs[author]) + 1, content, recps)
        self._logs[author].append(message)
        for reader in self._readers[author]:
            self._send(reader, message)
        return message

    def fork(self, who: str, author: str, one: Content, other: Content) -> None:
        """Append two messages of one number; each reader gets first the one or the other."""
        number = len(self._logs[author]) + 1
        both = [self._made(who, author, number, content, ()) for content in (one, other)]
        self._logs[author].append(both[0])
        for reader in self._readers[author]:
            for message in self._world.chance.sample(both, 2):
                self._send(reader, message)

    def is_idle(self) -> bool:
        """Whether everybody has what he reads."""
        readers = (reader for readers in self._readers.values() for reader in readers)
        return not any(reader.under_way or reader.missed for reader in readers)

    def open(self, reader: Reader) -> None:
        """He is there again, and hears what he missed."""
        reader.is_up = True
        missed, reader.missed = reader.missed, []
        for message in missed:
            self._take(reader, message)

    def close(self, reader: Reader) -> None:
        """He is not there for a while."""
        reader.is_up = False

    def _made(
        self, who: str, author: str, number: int, content: Content, recps: tuple[str, ...]
    ) -> Message:
        now_ms = self._world.now_ms()
        key = named("%", author, number, now_ms, dict(content))
        message = Message(key, author, number, now_ms, content, recps)
        text = json.dumps(dict(content), separators=(",", ":"))
        self._world.write(
            Authored(
                at_ms=now_ms,
                who=who,
                author=author,
                key=key,
                sequence=number,
                content=text,
                recps=recps,
            )
        )
        return message

    def _send(self, reader: Reader, message: Message) -> None:
        world, chance = self._world, self._world.chance
        seconds = chance.random() * chance.choice((0.05, 0.5, 2.0))
        if world.faults.strikes("late log", reader.name):
            seconds += chance.random() * chance.choice((10.0, 60.0, 300.0))
        # A log is copied in its order: what follows something late is late as well.
        at = max(world.scheduler.now + seconds, reader.clear_at.get(message.author, 0.0))
        reader.clear_at[message.author] = at
        self._at(reader, message, at)
        if world.faults.strikes("log again", reader.name):
            self._at(reader, message, at + chance.random() * 60.0)

    def _at(self, reader: Reader, message: Message, when: float) -> None:
        reader.under_way += 1

        def arrive() -> None:
            reader.under_way -= 1
            self._take(reader, message)

        self._world.scheduler.at(when, arrive)

    def _take(self, reader: Reader, message: Message) -> None:
        if reader.is_up:
            reader.hears(message)
        else:
            reader.missed.append(message)
