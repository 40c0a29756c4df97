"""A table of items, as both stores have it: DynamoDB's, and one SQLite file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from arbiter.adapters.items.attributes import Item
from arbiter.core.clocks import Speed
from arbiter.core.game import Game
from arbiter.core.ratings import Standing

Update = tuple[int, Item, Item]
"""The version that must be stored (0: no item), the item before and after; differences count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """Writes that happen as a whole, or not at all."""

    updates: Sequence[Update] = ()
    made: Sequence[Item] = ()
    """Items of keys that must be free."""
    gone: Sequence[Item] = ()
    """Keys of items that must be there, to delete."""
    games: Sequence[Game] = ()
    """Games whose ids must be free, with the timers that they have."""


class Table(Protocol):
    """Reads are strongly consistent. All methods raise the store's errors."""

    def find(self, key: Item) -> Item | None:
        """The item of this key, or None."""
        ...

    def find_all(self, keys: Mapping[str, Item], only: str = "") -> Mapping[str, Item | None]:
        """The item of each key (at most 100), or None, but those unread. ``only``: attributes."""
        ...

    def update(self, update: Update, timed: Game | None) -> tuple[bool, Item | None]:
        """Update an item and ``timed``'s timer; False if its version changed; the stored one."""
        ...

    def write(self, writes: Writes) -> bool:
        """Make these writes in one transaction; False if another writer was first."""
        ...

    def begin_with(self, prefix: str) -> Iterator[Item]:
        """All items whose keys begin so, in any order: the whole table is read."""
        ...

    def best(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        """The best established ratings at this speed, by an index that may lag."""
        ...
