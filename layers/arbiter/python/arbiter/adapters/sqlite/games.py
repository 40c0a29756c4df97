"""Games in SQLite: one item a game, one conditional write a change. The game of each browser is an
item beside it, with only a hash of the browser id, because the id is a password.
"""

import sqlite3
from collections.abc import Collection, Mapping

from arbiter.adapters.dynamodb.game_cache import GameCache
from arbiter.adapters.dynamodb.game_items import (
    game_key,
    game_of_item,
    item_of_game,
    players_of_item,
)
from arbiter.adapters.dynamodb.items import Item, log_conflict
from arbiter.adapters.dynamodb.lobby_items import browser_key, game_id_of_browser, item_of_browser
from arbiter.adapters.sqlite.items import change, exists, find, has_version, put
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import keep_timer
from arbiter.application.ports import Committed, Conflict
from arbiter.core.game import Game, is_game_id


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


class SqliteBrowsers:
    """The browsers of one file. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def game_of(self, browser_id: str) -> str | None:
        """The id of this browser's game, or None."""
        item = self._store.read(lambda cursor: find(cursor, browser_key(browser_id)))
        return game_id_of_browser(item) if item else None

    def start(self, browser_id: str, game: Game) -> bool:
        """Write game and browser together; False if the browser id is taken by another game."""
        browser, new = item_of_browser(browser_id, game.id), item_of_game(game)

        def start(cursor: sqlite3.Cursor) -> bool:
            if stored := find(cursor, browser):
                return game_id_of_browser(stored) == game.id
            if exists(cursor, new):
                return False
            put(cursor, browser)
            put(cursor, new)
            keep_timer(cursor, game)
            return True

        return self._store.write(start)
