"""The game of each browser in SQLite, as an item beside its game. Only a hash of the browser id is
stored, because the id is a password.
"""

import sqlite3

from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.adapters.dynamodb.lobby_items import browser_key, game_id_of_browser, item_of_browser
from arbiter.adapters.sqlite.items import exists, find, put
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import keep_timer
from arbiter.core.game import Game


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
