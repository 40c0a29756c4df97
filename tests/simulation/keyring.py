"""A player's hand: signs, dates by his own clock, and writes down what he signed.

The oracle of forgeries: what no hand here has signed, nobody has.
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from arbiter.nostr.event import EventTemplate, event_id, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.simulation.history import Signed

if TYPE_CHECKING:
    from tests.simulation.world import World

Tags = tuple[tuple[str, ...], ...]

GROUND = 24
"""So many ids are tried in a search for one."""


class Hand:
    """One key of somebody's. ``skew_seconds`` is how wrong his clock is."""

    def __init__(self, world: "World", who: str) -> None:
        self.who = who
        self.skew_seconds = 0
        self._world = world
        self._key = SecretKey.generate(world.chance.randbytes(32))

    def sign_again(self, event: str) -> str:
        """The same event with another signature that holds."""
        said = json.loads(event)
        aux = self._world.chance.randbytes(32)
        said["sig"] = self._key._key.sign_schnorr(bytes.fromhex(said["id"]), aux).hex()
        text = json.dumps(said, separators=(",", ":"))
        self._world.write(Signed(at_ms=self._world.now_ms(), who=self.who, event=text))
        return text

    @property
    def pubkey(self) -> str:
        """64 hex digits."""
        return self._key.pubkey

    def sign(self, kind: int, content: str = "", tags: Tags = (), at: int | None = None) -> str:
        """The JSON of a signed event, dated now by his clock unless ``at`` (unix seconds) says."""
        now = self._world.now_ms() // 1000 + self.skew_seconds
        event = self._key.sign(EventTemplate(kind, tags, content, now if at is None else at))
        text = json.dumps(event_to_json(event), separators=(",", ":"))
        self._world.write(Signed(at_ms=self._world.now_ms(), who=self.who, event=text))
        return text

    def grind(self, kind: int, content: str, tags: Tags, is_wanted: Callable[[str], bool]) -> str:
        """As `sign`, with a tag that was searched for an id that is wanted, if one of a few has
        such a one.
        """
        at = self._world.now_ms() // 1000 + self.skew_seconds
        numbered: Tags = tags
        for number in range(GROUND):
            numbered = (*tags, ("n", str(number)))
            if is_wanted(event_id(self.pubkey, at, kind, numbered, content)):
                break
        return self.sign(kind, content, numbered, at)
