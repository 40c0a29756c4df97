"""Strangers: keys, and lines to relays or to the gateway, and no game that they are owed.

What each of them does is written elsewhere; here is what they all are to the world.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tests.simulation.history import Actor, Belief
from tests.simulation.keyring import Hand
from tests.simulation.lines import Line
from tests.simulation.links import nothing
from tests.simulation.relays import Event

if TYPE_CHECKING:
    from tests.simulation.world import World


def _ignore(event: Event) -> None:
    """They do not listen."""


class Stranger:
    """``reads`` is the filter that they subscribe by on every line, if they do; ``hears`` is told
    of each event once. ``begins`` and ``ends`` are done when they come in and when all is healed;
    ``is_done`` says whether they wait for nothing more.
    """

    def __init__(
        self,
        world: "World",
        name: str,
        keys: int,
        ways: Iterable[str],
        reads: dict[str, Any] | None = None,
        hears: Callable[[Event], None] = _ignore,
    ) -> None:
        self.name = name
        self.dialect = "dilger"
        self.is_away = False
        self.hands = tuple(Hand(world, name) for _ in range(keys))
        self.pubkeys = tuple(hand.pubkey for hand in self.hands)
        self.begins: Callable[[], None] = nothing
        self.ends: Callable[[], None] = nothing
        self.is_done: Callable[[], bool] = lambda: True
        self._reads = reads
        self._hears = hears
        self._seen: set[str] = set()
        self.lines = [Line(world, name, way, self._hear, self._opened) for way in ways]

    def actor(self) -> Actor:
        """They are owed nothing."""
        return Actor(name=self.name, pubkeys=self.pubkeys, dialect=self.dialect, is_honest=False)

    def beliefs(self) -> tuple[Belief, ...]:
        """Nothing that matters."""
        return ()

    def is_content(self) -> bool:
        """Whether they wait for nothing more."""
        return self.is_done()

    def start(self) -> None:
        """Come in."""
        for line in self.lines:
            line.dial()
        self.begins()

    def finish(self) -> None:
        """Say nothing more."""
        self.ends()
        self.is_away = True

    def go_away(self) -> None:
        """They stay: only players go."""

    def come_back(self) -> None:
        """They were there all the time."""

    def say(self, text: str) -> None:
        """Say an event, given as JSON, on every line."""
        for line in self.lines:
            line.say_event(text)

    def _opened(self, line: Line) -> None:
        if self._reads is not None:
            line.say("REQ", "all", self._reads)

    def _hear(self, way: str, message: list[Any]) -> None:
        del way
        if self.is_away or message[0] != "EVENT" or message[2]["id"] in self._seen:
            return
        self._seen.add(message[2]["id"])
        self._hears(message[2])
