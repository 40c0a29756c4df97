"""The network of Scuttlebutt: logs, how they come to their readers, and the owner of a feed.

A log is append-only, and a reader gets each author's messages in their order, once. Anything else
that may happen to a message is a fault: it is late, it comes again, or its author has written two
of one number.
"""

import base64
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from arbiter.nostr.keys import placeholder_key
from tests.simulation.clients import Pace
from tests.simulation.history import Actor, Authored, Belief

if TYPE_CHECKING:
    from tests.simulation.world import World


Content = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a log; ``recps`` are the feeds that can read it, if not all."""

    key: str
    author: str
    sequence: int
    timestamp: int
    content: Content
    recps: tuple[str, ...] = ()

    def is_read_by(self, feed: str) -> bool:
        return not self.recps or feed in (self.author, *self.recps)


Hears = Callable[[Message], None]


@dataclass(eq=False)
class Reader:
    """Who copies logs: what they are told by, and until when each log is held up."""

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
        self._readers[author].append(reader)
        for message in self._logs[author]:
            self._send(reader, message)

    def write(
        self, who: str, author: str, content: Content, recps: tuple[str, ...] = ()
    ) -> Message:
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
        readers = (reader for readers in self._readers.values() for reader in readers)
        return not any(reader.under_way or reader.missed for reader in readers)

    def open(self, reader: Reader) -> None:
        reader.is_up = True
        missed, reader.missed = reader.missed, []
        for message in missed:
            self._take(reader, message)

    def close(self, reader: Reader) -> None:
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


class Program(Protocol):
    """How one player plays."""

    def begin(self) -> None:
        """Do what comes before all else."""

    def hear(self, message: Message) -> None:
        """Take in a message of a log that they read."""

    def act(self) -> None:
        """Do what there is to do now, if anything."""

    def is_content(self) -> bool:
        """Whether nothing is left to do or to wait for."""

    def beliefs(self) -> tuple[Belief, ...]:
        """What they believe of their latest game."""


class FeedOwner:
    """One player."""

    def __init__(
        self,
        world: "World",
        name: str,
        program: Callable[["FeedOwner"], Program],
        *,
        is_honest: bool = True,
    ) -> None:
        self.world = world
        self.name = name
        self.feed = named("@", name, world.settings.seed)
        self.us = world.bridges.disk.us
        self.is_away = False
        self.is_finishing = False
        self.pace = Pace(self)
        self._is_honest = is_honest
        self._program = program(self)
        self._heard: set[str] = set()
        self._reader = Reader(name, self._hear)
        world.bridges.read(self.feed)
        self.follow(self.us)

    def actor(self) -> Actor:
        """Who this is, for the history: a stand-in for their feed."""
        pubkeys = tuple(placeholder_key(server, "ssb", self.feed) for server in self.world.servers)
        return Actor(name=self.name, pubkeys=pubkeys, dialect="ssb", is_honest=self._is_honest)

    def beliefs(self) -> tuple[Belief, ...]:
        return self._program.beliefs()

    def start(self) -> None:
        self._program.begin()
        self.pace.keep()

    def go_away(self) -> None:
        self.is_away = True
        self.world.feeds.close(self._reader)

    def come_back(self) -> None:
        if self.is_away and not self.world.is_settling:
            self.is_away = False
            self.world.feeds.open(self._reader)
            self.pace.keep()

    def is_content(self) -> bool:
        return self._program.is_content()

    def finish(self) -> None:
        self.is_finishing = True

    def act(self) -> None:
        self._program.act()

    def follow(self, author: str) -> None:
        self.world.feeds.follow(self._reader, author)

    def _hear(self, message: Message) -> None:
        # The database of their program stores a message once, whatever copies come.
        if message.key not in self._heard:
            self._heard.add(message.key)
            self._program.hear(message)

    def write(self, content: Content, *, is_private: bool = False) -> Message:
        recps = (self.feed, self.us) if is_private else ()
        return self.world.feeds.write(self.name, self.feed, content, recps)
