"""One table in memory, that still knows for a while what it was: an eventually consistent read, or
an index, may tell of any moment of the last minute.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.simulation.aws_errors import Unsupported
from tests.simulation.items import Item, order_of

LONGEST_LAG_MS: Final = 60_000

Place = tuple[str, ...]
"""The values of an item's own key, which are texts in both our tables."""


@dataclass(frozen=True)
class Index:
    """A table's own order, or that of a secondary index: its key, the partition's attribute first,
    and whether it holds whole items or keys alone.
    """

    name: str
    key: tuple[str, ...]
    keys_only: bool = False


@dataclass
class History:
    """The items of one table by their keys. ``kinds`` are the types of all attributes that are
    keys; ``own`` is the table's order, ``indexes`` are the others by name.
    """

    name: str
    own: Index
    kinds: Mapping[str, str]
    indexes: Mapping[str, Index]
    ttl_attribute: str = ""
    _versions: dict[Place, list[tuple[int, Item | None]]] = field(default_factory=dict)
    _partitions: dict[tuple[str, Any], dict[Place, None]] = field(default_factory=dict)

    def place_of(self, item: Mapping[str, Any]) -> Place:
        """The item's own key."""
        return tuple(item[name]["S"] for name in self.own.key)

    def now(self, place: Place) -> Item | None:
        """The item as it stands; not to be written to."""
        versions = self._versions.get(place)
        return versions[-1][1] if versions else None

    def at(self, place: Place, at_ms: int) -> Item | None:
        """The item as it stood at that time; not to be written to."""
        versions = self._versions.get(place, [])
        after = bisect_right(versions, at_ms, key=lambda version: version[0])
        return versions[after - 1][1] if after else None

    def put(self, place: Place, item: Item | None, now_ms: int) -> None:
        """Let this item stand there from now on, or none."""
        self._versions.setdefault(place, []).append((now_ms, item))
        self._forget(place, now_ms)
        for index in (self.own, *self.indexes.values()):
            if item and _is_in(item, index):
                self._partitions.setdefault(_partition(item, index), {})[place] = None

    def partition(self, index: Index, value: Item, at_ms: int, now_ms: int) -> list[Item]:
        """The items of one partition as they stood then, in the index's order and, where that says
        nothing, in the order of their own keys.
        """
        ((kind, content),) = value.items()
        named = index.name, (kind, content)
        places = self._partitions.get(named, {})
        items: list[Item] = []
        gone: list[Place] = []
        for place in places:
            item = self.at(place, at_ms)
            if item and _is_in(item, index) and _partition(item, index) == named:
                items.append(item)
            elif not self._was_in(place, index, named, now_ms):
                gone.append(place)
        for place in gone:
            del places[place]
        return sorted(items, key=self._order(index))

    def standing(self) -> Iterator[tuple[Place, Item]]:
        """All that stands now, in the order in which the keys were first used."""
        for place, versions in self._versions.items():
            if (item := versions[-1][1]) is not None:
                yield place, item

    def projected(self, item: Item, index: Index) -> Item:
        """What the index holds of an item."""
        if not index.keys_only:
            return item
        return {name: item[name] for name in (*self.own.key, *index.key)}

    def _order(self, index: Index) -> Callable[[Item], Any]:
        def order(item: Item) -> Any:
            return [order_of(item[name]) for name in (*index.key[1:], *self.own.key)]

        return order

    def _was_in(self, place: Place, index: Index, named: Any, now_ms: int) -> bool:
        """Whether any version that may still be asked for belongs to this partition."""
        self._forget(place, now_ms)
        kept = (item for _, item in self._versions[place])
        return any(
            item and _is_in(item, index) and _partition(item, index) == named for item in kept
        )

    def _forget(self, place: Place, now_ms: int) -> None:
        """Drop the versions that nobody may ask for any more."""
        versions = self._versions[place]
        while len(versions) > 1 and versions[1][0] <= now_ms - LONGEST_LAG_MS:
            del versions[0]


def _is_in(item: Mapping[str, Any], index: Index) -> bool:
    return all(name in item for name in index.key)


def _partition(item: Mapping[str, Any], index: Index) -> tuple[str, Any]:
    ((kind, content),) = item[index.key[0]].items()
    return index.name, (kind, content)


def index_of(written: Mapping[str, Any]) -> Index:
    """The index that this part of a CreateTable call asks for."""
    projection = written["Projection"]["ProjectionType"]
    if projection not in {"ALL", "KEYS_ONLY"}:
        raise Unsupported(f"a projection of {projection}")
    return Index(written["IndexName"], key_of(written["KeySchema"]), projection == "KEYS_ONLY")


def key_of(schema: Iterable[Mapping[str, str]]) -> tuple[str, ...]:
    """The names of a key schema, the partition's first."""
    kinds = {part["KeyType"]: part["AttributeName"] for part in schema}
    return tuple(kinds[kind] for kind in ("HASH", "RANGE") if kind in kinds)
