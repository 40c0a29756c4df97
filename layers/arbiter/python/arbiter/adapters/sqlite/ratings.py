"""Ratings and leaderboards in SQLite, as the same items as in DynamoDB.

The index holds ratings that were established when last changed; a reader removes from it those that
have become provisional since.
"""

import sqlite3
from collections.abc import Collection, Mapping, Sequence

from arbiter.adapters.items.attributes import Item, log_conflict, stamp
from arbiter.adapters.items.ratings import (
    item_of_pair,
    item_of_rated_game,
    item_of_standing,
    pair_key,
    rated_game_of_item,
    rated_key,
    rating_key,
    standing_of_item,
)
from arbiter.adapters.sqlite.items import change, exists, find, has_version, item_of_text, put
from arbiter.adapters.sqlite.store import Store
from arbiter.core.clocks import Speed
from arbiter.core.ratings import RatedGame, Standing

MAX_RANKS = 100

_Update = tuple[int, Item, Item]
"""The version that must be stored, the item before and the item after."""


class SqliteRatings:
    """The ratings of one file. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def standing(self, player_id: str, speed: Speed) -> Standing:
        """The player's rating at this speed; a default one if unrated."""
        item = self._find(rating_key(player_id, speed))
        return standing_of_item(item) if item else Standing(player_id, speed)

    def load_standings(self, player_ids: Collection[str], speed: Speed) -> Mapping[str, Standing]:
        """Each of these players' rating at this speed."""
        return {player_id: self.standing(player_id, speed) for player_id in player_ids}

    def rated(self, game_id: str) -> RatedGame | None:
        """The changes of ratings by this game, or None. Raises ValueError for an invalid id."""
        item = self._find(rated_key(game_id))
        return rated_game_of_item(item) if item else None

    def games_of_pair(self, one: str, other: str, day: int) -> int:
        """The number of these players' rated games that ended on this day since the epoch."""
        item = self._find(pair_key(one, other, day))
        return int(item["v"]["N"]) if item else 0

    def commit(self, rated: RatedGame) -> bool:
        """Write both ratings, the number of the pair's games and that this game was rated, or
        nothing: False if a rating or the number changed, or the game is rated already.
        """
        mark, updates = item_of_rated_game(rated), _updates(rated)

        def commit(cursor: sqlite3.Cursor) -> bool:
            stored = [find(cursor, after) for _, _, after in updates]
            found = zip(stored, updates, strict=True)
            if exists(cursor, mark) or not all(has_version(it, to[0]) for it, to in found):
                return False
            put(cursor, mark)
            for it, (_, before, after) in zip(stored, updates, strict=True):
                change(cursor, it, before, after)
            return True

        is_written = self._store.write(commit)
        if not is_written:
            log_conflict("rating", rated.game_id)
        return is_written

    def leaderboard(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        """The best established ratings at this speed, best first. Raises ValueError for a limit
        outside 1 to 100.
        """
        if not 1 <= limit <= MAX_RANKS:
            raise ValueError("a leaderboard has one to a hundred ranks")

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

    def _find(self, key: Item) -> Item | None:
        return self._store.read(lambda cursor: find(cursor, key))


def _updates(rated: RatedGame) -> list[_Update]:
    updates = [_update(*change) for change in (rated.white, rated.black) if rated.counted]
    if rated.of_pair:
        pair = item_of_pair(rated)
        updates.append((rated.of_pair - 1, {**pair, **stamp(rated.of_pair - 1)}, pair))
    return updates


def _update(before: Standing, after: Standing) -> _Update:
    # A reader may have removed the old item from the index. The value "" is no speed, so the
    # attribute is written or removed either way.
    old = {**item_of_standing(before), "ladder": {"S": ""}}
    return before.games, old, item_of_standing(after)


def _remove_from_index(cursor: sqlite3.Cursor, standings: Sequence[Standing]) -> None:
    """Remove these ratings from the index, except those that changed meanwhile."""
    for standing in standings:
        key = rating_key(standing.player, standing.speed)
        stored = find(cursor, key)
        if stored and has_version(stored, standing.games):
            change(cursor, stored, {"ladder": {}}, {})
