"""A stranger with many keys, who fills a game that they see with questions and words of their own.

Nothing of it may stand in a player's line or cost a player time.
"""

from typing import TYPE_CHECKING, Any

from tests.simulation.history import Actor, Belief
from tests.simulation.keyring import Hand
from tests.simulation.lines import Line

if TYPE_CHECKING:
    from tests.simulation.world import World

STATE, MOVE = 20302, 20303

_KEYS = 4
_WORDS = ("state", "state", "state", "e2e4", "flag", "draw")
_ROUNDS = 3
_MOST_FLOODS = 6


class Flooder:
    """One stranger, listening on every relay."""

    def __init__(self, world: "World", name: str) -> None:
        self.name = name
        self.hands = tuple(Hand(world, name) for _ in range(_KEYS))
        self.is_away = False
        self._world = world
        self._seen: set[str] = set()
        self._floods = 0
        self._lines = [Line(world, name, way, self._hear, self._opened) for way in world.relays]

    def actor(self) -> Actor:
        """Nobody is owed anything here."""
        keys = tuple(hand.pubkey for hand in self.hands)
        return Actor(name=self.name, pubkeys=keys, dialect="dilger", is_honest=False)

    def beliefs(self) -> tuple[Belief, ...]:
        """Nothing that matters."""
        return ()

    def is_content(self) -> bool:
        """Always: they wait for nothing."""
        return True

    def start(self) -> None:
        """Listen."""
        for line in self._lines:
            line.dial()

    def finish(self) -> None:
        """Say nothing more."""
        self.is_away = True

    def go_away(self) -> None:
        """They stay: only players go."""

    def come_back(self) -> None:
        """They were there all the time."""

    def _opened(self, line: Line) -> None:
        line.say("REQ", "all", {"kinds": [STATE]})

    def _hear(self, way: str, message: list[Any]) -> None:
        del way
        if self.is_away or message[0] != "EVENT" or message[2]["id"] in self._seen:
            return
        self._seen.add(message[2]["id"])
        is_enough = self._floods >= _MOST_FLOODS or self._world.faults.is_healed
        if is_enough or self._world.chance.random() > 0.3:
            return
        self._floods += 1
        self._world.faults.note("flood", self.name)
        self._flood({tag[0]: tag[1] for tag in message[2]["tags"]}["d"])

    def _flood(self, game_id: str) -> None:
        tags = (("d", game_id), ("p", self._world.server.pubkey))
        for number in range(_ROUNDS):
            for hand in self.hands:
                for at, word in enumerate(_WORDS):
                    said = hand.sign(MOVE, word, (*tags, ("n", f"{self._floods} {number} {at}")))
                    for line in self._lines:
                        line.say_event(said)
