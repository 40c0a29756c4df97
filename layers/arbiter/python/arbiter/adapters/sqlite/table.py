"""The table of items in one SQLite file: DynamoDB's conditions, in its transactions."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.items.ratings import rating_key, standing_of_item
from arbiter.adapters.items.table import Update, Writes
from arbiter.adapters.sqlite.items import (
    change,
    delete,
    exists,
    find,
    has_version,
    item_of_text,
    put,
)
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import keep_timer
from arbiter.core.clocks import Speed
from arbiter.core.game import Game
from arbiter.core.ratings import Standing


class SqliteTable:
    """The items of one file. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, key: Item) -> Item | None:
        return self._store.read(lambda cursor: find(cursor, key))

    def find_all(self, keys: Mapping[str, Item], only: str = "") -> Mapping[str, Item | None]:
        del only
        return self._store.read(
            lambda cursor: {name: find(cursor, key) for name, key in keys.items()}
        )

    def update(self, update: Update, timed: Game | None) -> tuple[bool, Item | None]:
        version, before, after = update

        def write(cursor: sqlite3.Cursor) -> tuple[bool, Item | None]:
            stored = find(cursor, after)
            if stored is None or not has_version(stored, version):
                return False, stored
            if timed:
                keep_timer(cursor, timed)
            return True, change(cursor, stored, before, after)

        return self._store.write(write)

    def write(self, writes: Writes) -> bool:
        made = [*writes.made, *map(item_of_game, writes.games)]

        def write(cursor: sqlite3.Cursor) -> bool:
            stored = [find(cursor, after) for _, _, after in writes.updates]
            updates = [*zip(stored, writes.updates, strict=True)]
            if (
                not all(has_version(it, version) for it, (version, _, _) in updates)
                or any(exists(cursor, item) for item in made)
                or not all(exists(cursor, key) for key in writes.gone)
            ):
                return False
            for it, (_, before, after) in updates:
                change(cursor, it, before, after)
            for item in made:
                put(cursor, item)
            for key in writes.gone:
                delete(cursor, key)
            for game in writes.games:
                keep_timer(cursor, game)
            return True

        return self._store.write(write)

    def begin_with(self, prefix: str) -> Iterator[Item]:
        last = prefix
        while page := self._page(last, f"{prefix}\uffff"):
            last = page[-1][0]
            for _, text in page:
                yield item_of_text(text)

    def _page(self, after: str, before: str) -> list[tuple[str, str]]:
        return self._store.read(
            lambda cursor: cursor.execute(
                "SELECT pk, item FROM items WHERE pk > ? AND pk < ? ORDER BY pk LIMIT 200",
                (after, before),
            ).fetchall()
        )

    def best(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        def ranks(cursor: sqlite3.Cursor) -> tuple[list[Standing], list[Standing]]:
            best: list[Standing] = []
            provisional: list[Standing] = []
            rows = cursor.execute(
                "SELECT item FROM items WHERE ladder = ? ORDER BY rating DESC", (speed.value,)
            )
            for (text,) in rows:
                standing = standing_of_item(item_of_text(text))
                is_provisional = standing.rating.is_provisional(now_ms)
                (provisional if is_provisional else best).append(standing)
                if len(best) == limit:
                    break
            return best, provisional

        best, provisional = self._store.read(ranks)
        if provisional:
            self._store.write_soon(lambda cursor: _remove_from_index(cursor, provisional))
        return tuple(best)


def _remove_from_index(cursor: sqlite3.Cursor, standings: Sequence[Standing]) -> None:
    """Remove these ratings from the index, except those that changed meanwhile."""
    for standing in standings:
        stored = find(cursor, rating_key(standing.player, standing.speed))
        if stored and has_version(stored, standing.games):
            change(cursor, stored, {"ladder": {}}, {})
