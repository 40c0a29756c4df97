"""Two whose requests to play were kept back on the way, and come long after they were signed.

Neither is there any more, so what the arbiter promises is that they never meet: a request is good
for two minutes (PROTOCOL.md).
"""

from typing import TYPE_CHECKING, Any

from tests.simulation.history import Actor, Belief
from tests.simulation.keyring import Hand
from tests.simulation.lines import GATEWAY, Line

if TYPE_CHECKING:
    from tests.simulation.world import World

REQUEST = 20300
TIME = "240+2"
OLDEST_SECONDS, FRESHEST_SECONDS = 280, 150
"""Older ones no listener asks for."""
WITHIN_SECONDS = 10.0


class Latecomers:
    """Both of them."""

    def __init__(self, world: "World") -> None:
        self.name = "latecomers"
        self.is_away = False
        self._world = world
        self._hands = [Hand(world, self.name) for _ in range(2)]
        ways = (*world.relays, GATEWAY)
        self._lines = [Line(world, self.name, way, _hear, _opened) for way in ways]

    def actor(self) -> Actor:
        """They are gone, so nobody is owed an answer."""
        pubkeys = tuple(hand.pubkey for hand in self._hands)
        return Actor(name=self.name, pubkeys=pubkeys, dialect="dilger", is_honest=False)

    def beliefs(self) -> tuple[Belief, ...]:
        """Neither is there to hear."""
        return ()

    def start(self) -> None:
        """Let their requests come, one after the other."""
        for line in self._lines:
            line.dial()
        for hand in self._hands:
            seconds = 1.0 + self._world.chance.random() * WITHIN_SECONDS
            self._world.scheduler.after(seconds, lambda hand=hand: self._come(hand))  # type: ignore[misc]

    def is_content(self) -> bool:
        """Always: they wait for nothing."""
        return True

    def finish(self) -> None:
        """Say nothing more."""
        self.is_away = True

    def go_away(self) -> None:
        """They are away as it is."""

    def come_back(self) -> None:
        """They do not."""

    def _come(self, hand: Hand) -> None:
        if self.is_away:
            return
        age = self._world.chance.randint(FRESHEST_SECONDS, OLDEST_SECONDS)
        tags = (("p", self._world.server.pubkey), ("time", TIME))
        text = hand.sign(REQUEST, "", tags, self._world.now_ms() // 1000 - age)
        for line in self._lines:
            line.say_event(text)
        self._world.faults.note("late request", self.name)


def _hear(way: str, message: list[Any]) -> None:
    del way, message


def _opened(line: Line) -> None:
    del line
