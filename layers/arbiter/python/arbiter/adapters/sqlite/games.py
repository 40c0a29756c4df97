"""Games and relay outages in SQLite: the items of DynamoDB, and one conditional write a change."""

import sqlite3
from collections.abc import Collection, Mapping

from arbiter.adapters.items.attributes import Item, log_conflict
from arbiter.adapters.items.game_cache import GameCache
from arbiter.adapters.items.games import (
    game_key,
    game_of_item,
    item_of_game,
    players_of_item,
)
from arbiter.adapters.items.outages import KEY, item_of_uptime, uptime_of_item
from arbiter.adapters.sqlite.items import change, find, has_version
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import keep_timer
from arbiter.application.ports import Committed, Conflict
from arbiter.core.game import Game, is_game_id
from arbiter.core.outages import FOR_GOOD_MS, RelayUptime


class SqliteGames:
    """The games of one file. All methods raise StoreError."""

    def __init__(self, store: Store, cache: GameCache | None = None) -> None:
        """``cache`` is used by nothing else."""
        self._store = store
        self._cache = cache or GameCache()

    def load(self, game_id: str) -> Game | None:
        """The game as last committed, or None, also for what is no id."""
        if not is_game_id(game_id):
            return None
        item = self._store.read(lambda cursor: find(cursor, game_key(game_id)))
        return self._cache.take(item) or game_of_item(item) if item else None

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        """Each of these games."""
        return {game_id: self.load(game_id) for game_id in game_ids}

    def players_of(self, game_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
        """The players of each of these games, empty for an unknown one. Raises ValueError for an
        invalid id.
        """
        keys = {game_id: game_key(game_id) for game_id in game_ids}

        def players(cursor: sqlite3.Cursor) -> Mapping[str, frozenset[str]]:
            found = {game_id: find(cursor, key) for game_id, key in keys.items()}
            return {
                game_id: players_of_item(item)[1] if item else frozenset()
                for game_id, item in found.items()
            }

        return self._store.read(players)

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        """Write what changed, and the game's timer, if the stored version is still ``before``'s.
        Raises ValueError unless the two are one version of one game apart.
        """
        if (after.id, after.item_version) != (before.id, before.item_version + 1):
            raise ValueError("a commit takes one game from one version to the next")
        old, new = self._cache.item_of(before), item_of_game(after)

        def commit(cursor: sqlite3.Cursor) -> tuple[bool, Item | None]:
            stored = find(cursor, new)
            if stored is None or not has_version(stored, before.item_version):
                return False, stored
            if after.timer_at_ms != before.timer_at_ms:
                keep_timer(cursor, after)
            return True, change(cursor, stored, old, new)

        is_written, stored = self._store.write(commit)
        if not is_written:
            log_conflict("game", after.id)
            return Conflict(game_of_item(stored) if stored else None)
        if stored:
            self._cache.keep(new, after)
        return Committed()


class SqliteOutages:
    """The outages of one file. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def uptime(self) -> RelayUptime | None:
        """The uptime; None before the first heartbeat."""
        item = self._store.read(lambda cursor: find(cursor, KEY))
        return uptime_of_item(item) if item else None

    def report_connected(self, now_ms: int, active_until_ms: int = FOR_GOOD_MS) -> None:
        """A relay is connected now."""
        self._store.write(lambda cursor: _report_connected(cursor, now_ms, active_until_ms))


def _report_connected(cursor: sqlite3.Cursor, now_ms: int, active_until_ms: int) -> None:
    stored = find(cursor, KEY)
    before = uptime_of_item(stored) if stored else None
    after = RelayUptime(now_ms, active_until_ms=active_until_ms)
    if before:
        after = before.after_report(now_ms, active_until_ms)
    if before != after:
        old = item_of_uptime(before) if before else {}
        change(cursor, stored, old, item_of_uptime(after))
