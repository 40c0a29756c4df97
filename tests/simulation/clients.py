"""The parts of all clients: keys, and what they know of a game."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.simulation.history import Signed

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
