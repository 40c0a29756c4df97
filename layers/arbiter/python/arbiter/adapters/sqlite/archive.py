"""Games by player, live games, and who waits, newest first, by the indexes on items."""

import sqlite3
from collections.abc import Sequence

from arbiter.adapters.items.attributes import Item, identity
from arbiter.adapters.items.games import game_of_item
from arbiter.adapters.items.lobby import OPEN_TO_ALL, WAITING, challenge_of_item, pool_of_item
from arbiter.adapters.sqlite.items import item_of_text
from arbiter.adapters.sqlite.store import Store
from arbiter.application.queries import GameCursor
from arbiter.core.game import Game
from arbiter.core.pairing import Pool
from arbiter.core.seeks import Challenge

MAX_GAMES = 100

_LAST_MS = 2**63 - 1


class SqliteArchive:
    """The games of one file. Never behind `StoredGames`. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def games_of(
        self, player_id: str, limit: int, after: GameCursor | None = None
    ) -> Sequence[Game]:
        player = identity(player_id).get("B")
        if player is None:
            raise ValueError("a player is 64 lower-case hexadecimal digits")
        return self._games(
            f"{_PAGE.format('white')} UNION ALL {_PAGE.format('black')}", player, limit, after
        )

    def live(self, limit: int, after: GameCursor | None = None) -> Sequence[Game]:
        return self._games(_PAGE.format("live"), 1, limit, after)

    def pools(self, limit: int) -> Sequence[Pool]:
        return [pool_of_item(item) for item in self._newest(WAITING, limit)]

    def open_challenges(self, limit: int) -> Sequence[Challenge]:
        return [challenge_of_item(item) for item in self._newest(OPEN_TO_ALL, limit)]

    def _newest(self, state: str, limit: int) -> list[Item]:
        if not 1 <= limit <= MAX_GAMES:
            raise ValueError("a list has one to a hundred entries")

        def texts(cursor: sqlite3.Cursor) -> Sequence[tuple[str]]:
            return cursor.execute(
                "SELECT item FROM items WHERE live = ? ORDER BY began DESC LIMIT ?",
                (int(state), limit),
            ).fetchall()

        return [item_of_text(text) for (text,) in self._store.read(texts)]

    def _games(
        self, places: str, value: bytes | int, limit: int, after: GameCursor | None
    ) -> Sequence[Game]:
        if not 1 <= limit <= MAX_GAMES:
            raise ValueError("a page has one to a hundred games")
        place = (
            (min(after.created_at_ms, _LAST_MS), f"g#{after.game_id}") if after else (_LAST_MS, "")
        )
        arguments = {"value": value, "began": place[0], "pk": place[1], "most": limit}

        def texts(cursor: sqlite3.Cursor) -> Sequence[tuple[str]]:
            return cursor.execute(
                f"SELECT item FROM items WHERE pk IN ({places})"  # noqa: S608 - our own text
                " ORDER BY began DESC, pk DESC LIMIT :most",
                arguments,
            ).fetchall()

        return [game_of_item(item_of_text(text)) for (text,) in self._store.read(texts)]


_PAGE = (
    "SELECT pk FROM (SELECT pk FROM items WHERE {0} = :value AND (began, pk) < (:began, :pk)"
    " ORDER BY began DESC, pk DESC LIMIT :most)"
)
"""The keys of the next games by one index."""
