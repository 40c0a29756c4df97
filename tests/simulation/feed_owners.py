"""Who plays on Scuttlebutt: he owns a feed, reads others, goes away and comes back.

How he plays is his program's: it hears, acts and writes for him.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from arbiter.nostr.keys import placeholder_key
from tests.simulation.feeds import Content, Message, Reader, named
from tests.simulation.history import Actor, Belief
from tests.simulation.pace import Pace

if TYPE_CHECKING:
    from tests.simulation.world import World


class Program(Protocol):
    """How somebody plays."""

    def begin(self) -> None:
        """Do what comes before all else."""

    def hear(self, message: Message) -> None:
        """Take in what somebody wrote whom he reads."""

    def act(self) -> None:
        """Do what there is to do now, if anything."""

    def is_content(self) -> bool:
        """Whether nothing is left to do or to wait for."""

    def beliefs(self) -> tuple[Belief, ...]:
        """What he believes of his latest game."""


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
        self._reader = Reader(name, self._program.hear)
        world.bridges.read(self.feed)
        self.follow(self.us)

    # ------------------------------------------------------------------ what others ask

    def actor(self) -> Actor:
        """Who this is, for the history: a stand-in for his feed."""
        pubkeys = tuple(placeholder_key(server, "ssb", self.feed) for server in self.world.servers)
        return Actor(name=self.name, pubkeys=pubkeys, dialect="ssb", is_honest=self._is_honest)

    def beliefs(self) -> tuple[Belief, ...]:
        """What he believes of his latest game."""
        return self._program.beliefs()

    def start(self) -> None:
        """Come in."""
        self._program.begin()
        self.pace.keep()

    def go_away(self) -> None:
        """Leave the network."""
        self.is_away = True
        self.world.feeds.close(self._reader)

    def come_back(self) -> None:
        """Be there again."""
        if self.is_away and not self.world.is_settling:
            self.is_away = False
            self.world.feeds.open(self._reader)
            self.pace.keep()

    def is_content(self) -> bool:
        """Whether nothing is left to do or to wait for."""
        return self._program.is_content()

    def finish(self) -> None:
        """Begin no more games, and end the present one."""
        self.is_finishing = True

    # ---------------------------------------------------------- what his program does for him

    def act(self) -> None:
        """Do what there is to do now, if anything."""
        self._program.act()

    def follow(self, author: str) -> None:
        """Read this log."""
        self.world.feeds.follow(self._reader, author)

    def write(self, content: Content, *, is_private: bool = False) -> Message:
        """Append to his log, for all or for us alone."""
        recps = (self.feed, self.us) if is_private else ()
        return self.world.feeds.write(self.name, self.feed, content, recps)
