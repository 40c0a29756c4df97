"""Two who pass by: each asks for a game that nobody else wants, more than half an hour apart.

Neither comes back, so what the arbiter promises is that they never meet: a wish waits for thirty
minutes (BEHAVIOR.md).
"""

from typing import TYPE_CHECKING, Any

from tests.simulation.history import Actor, Belief
from tests.simulation.keyring import Hand
from tests.simulation.lines import Line

if TYPE_CHECKING:
    from tests.simulation.world import World

REQUEST = 20300
TIME = "300+3"
APART_SECONDS = 32 * 60.0


class Passers:
    """Both of them."""

    def __init__(self, world: "World") -> None:
        self.name = "passers-by"
        self.is_away = False
        self._world = world
        self._hands = [Hand(world, self.name) for _ in range(2)]
        self._left = 2
        self._lines = [Line(world, self.name, way, _hear, _opened) for way in world.relays]

    def actor(self) -> Actor:
        """They ask once, so nobody is owed an answer."""
        pubkeys = tuple(hand.pubkey for hand in self._hands)
        return Actor(name=self.name, pubkeys=pubkeys, dialect="dilger", is_honest=False)

    def beliefs(self) -> tuple[Belief, ...]:
        """Neither stays to hear."""
        return ()

    def start(self) -> None:
        """The first one comes, and much later the second."""
        for line in self._lines:
            line.dial()
        self._world.scheduler.after(1.0, self._ask)
        self._world.scheduler.after(APART_SECONDS, self._ask)

    def is_content(self) -> bool:
        """When both were there."""
        return self._left == 0

    def finish(self) -> None:
        """What is to come still comes."""

    def go_away(self) -> None:
        """They are away as it is."""

    def come_back(self) -> None:
        """They do not."""

    def _ask(self) -> None:
        self._left -= 1
        tags = (("p", self._world.server.pubkey), ("time", TIME))
        text = self._hands[self._left].sign(REQUEST, "", tags)
        for line in self._lines:
            line.say_event(text)


def _hear(way: str, message: list[Any]) -> None:
    del way, message


def _opened(line: Line) -> None:
    del line
