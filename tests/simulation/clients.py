"""The parts of all clients: keys, pace, what they know of a game; and strangers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.simulation.client_connections import ClientConnection
from tests.simulation.history import Actor, Belief, Signed
from tests.simulation.relays import Event

if TYPE_CHECKING:
    from tests.simulation.world import World


Tags = tuple[tuple[str, ...], ...]


class Hand:
    """One key of a client."""

    def __init__(self, world: "World", who: str) -> None:
        self.who = who
        self._world = world
        self._key = SecretKey.generate(world.chance.randbytes(32))

    @property
    def pubkey(self) -> str:
        return self._key.pubkey

    def sign(self, kind: int, content: str = "", tags: Tags = (), at: int | None = None) -> str:
        """The JSON of a signed event, dated now or ``at`` (unix seconds)."""
        now = self._world.now_ms() // 1000
        event = self._key.sign(EventTemplate(kind, tags, content, now if at is None else at))
        text = orjson.dumps(event_to_json(event)).decode()
        self._world.write(Signed(at_ms=self._world.now_ms(), who=self.who, event=text))
        return text


@dataclass(slots=True)
class Seen:
    """The latest state of one game, as this player was told."""

    id: str
    version: int
    ply: int
    fen: str
    state_id: str
    white: str
    black: str
    result: str = "*"
    is_over: bool = False
    offer: tuple[str, str] | None = None
    rematch: str | None = None

    def is_offered_to(self, pubkey: str) -> bool:
        return self.offer is not None and self.offer[1] != ("w" if self.white == pubkey else "b")

    def is_turn_of(self, pubkey: str) -> bool:
        return (" w " in self.fen) == (self.white == pubkey)


def _ignore(event: Event) -> None:
    """They do not listen."""


class Stranger:
    """``reads`` is the filter that they subscribe by on every connection, if they do; ``hears`` is
    told of each event once. ``begins`` and ``ends`` are done when they come in and when all is
    healed; ``is_done`` says whether they wait for nothing more.
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
        self.dialect = "native"
        self.is_away = False
        self.hands = tuple(Hand(world, name) for _ in range(keys))
        self.pubkeys = tuple(hand.pubkey for hand in self.hands)
        self._reads = reads
        self._hears = hears
        self._seen: set[str] = set()
        self.connections = [
            ClientConnection(world, name, way, self._hear, self._opened) for way in ways
        ]

    def actor(self) -> Actor:
        return Actor(name=self.name, pubkeys=self.pubkeys, dialect=self.dialect, is_honest=False)

    def beliefs(self) -> tuple[Belief, ...]:
        return ()

    def is_content(self) -> bool:
        return True

    def start(self) -> None:
        for connection in self.connections:
            connection.dial()

    def finish(self) -> None:
        self.is_away = True

    def go_away(self) -> None:
        """They stay: only players go."""

    def come_back(self) -> None:
        """They were there all the time."""

    def say(self, text: str) -> None:
        for connection in self.connections:
            connection.say_event(text)

    def _opened(self, connection: ClientConnection) -> None:
        if self._reads is not None:
            connection.say("REQ", "all", self._reads)

    def _hear(self, way: str, message: list[Any]) -> None:
        del way
        if self.is_away or message[0] != "EVENT" or message[2]["id"] in self._seen:
            return
        self._seen.add(message[2]["id"])
        self._hears(message[2])
