"""The transcripts of one file's games: links while a game goes on, written with the commit that
they follow from, then the packed file.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from arbiter.adapters.sqlite.store import Store
from arbiter.application.ports import SignedLink
from arbiter.core.chain import last_link
from arbiter.core.game import Game
from arbiter.proof.transcript import line_json, packed

MAX_REQUESTS = 20_000
"""Requests kept of those who wait, some 10 MB; whose is dropped plays without proof."""


class SqliteTranscripts:
    """`ports.Transcripts` of the arbiter with this key (64 hex). Methods raise StoreError."""

    def __init__(self, store: Store, arbiter: str) -> None:
        self._store = store
        self._arbiter = arbiter

    def keep_request(self, event_key: bytes, event: str) -> None:
        def keep(cursor: sqlite3.Cursor) -> None:
            cursor.execute(
                "INSERT OR IGNORE INTO requests (id, event) VALUES (?, ?)", (event_key, event)
            )
            cursor.execute(_DELETE_OLDEST, (MAX_REQUESTS,))

        self._store.write(keep)

    def keep_lines(self, game_id: str, *, white: bool, event_key: bytes, event: str) -> None:
        def keep(cursor: sqlite3.Cursor) -> None:
            row = game_id, white, event_key, event
            cursor.execute("INSERT OR REPLACE INTO lines VALUES (?, ?, ?, ?)", row)

        self._store.write(keep)

    def keep(self, links: Sequence[SignedLink]) -> None:
        rows = [
            (
                it.game_id,
                it.link.version,
                it.link.event_key,
                it.link.shown,
                it.event,
                it.link.event_key,
                it.game_id,
                it.link.event_key,
            )
            for it in links
        ]
        self._store.write(lambda cursor: cursor.executemany(_INSERT, rows))

    def close(self, game: Game) -> None:
        def pack(cursor: sqlite3.Cursor) -> None:
            if (octets := self._of_links(cursor, game)) is not None:
                cursor.execute("INSERT OR IGNORE INTO transcripts VALUES (?, ?)", (game.id, octets))
                cursor.execute("DELETE FROM links WHERE game_id = ?", (game.id,))
                cursor.execute("DELETE FROM lines WHERE game_id = ?", (game.id,))

        self._store.write(pack)

    def load(self, game: Game) -> bytes | None:
        def read(cursor: sqlite3.Cursor) -> bytes | None:
            found: tuple[bytes] | None = cursor.execute(_FILE, (game.id,)).fetchone()
            return found[0] if found else self._of_links(cursor, game)

        return self._store.read(read)

    def replace(self, game_id: str, before: bytes | None, file: bytes) -> bool:
        def exchange(cursor: sqlite3.Cursor) -> bool:
            found = cursor.execute(_FILE, (game_id,)).fetchone()
            if found is not None and found[0] != before:
                return False
            cursor.execute("INSERT OR REPLACE INTO transcripts VALUES (?, ?)", (game_id, file))
            cursor.execute("DELETE FROM links WHERE game_id = ?", (game_id,))
            return True

        return self._store.write(exchange)

    def _of_links(self, cursor: sqlite3.Cursor, game: Game) -> bytes | None:
        # A live game may have gone on since it was read.
        rows = cursor.execute(_SELECT, (game.id, game.state_version)).fetchall()
        if not rows:
            return None
        if last_link(game.id, [(id_, shown) for id_, shown, _ in rows]) != game.chain:
            # A release that keeps no chain, or no links, played a part of the game.
            game = replace(game, chain=b"")
        lines = (line_json(id_.hex(), shown, event) for id_, shown, event in rows)
        return packed(game, self._arbiter, lines)


_INSERT = (
    "INSERT OR IGNORE INTO links (game_id, version, id, shown, event)"
    " VALUES (?, ?, ?, ?, coalesce(?, (SELECT event FROM requests WHERE id = ?),"
    " (SELECT event FROM lines WHERE game_id = ? AND id = ?)))"
)
_FILE = "SELECT file FROM transcripts WHERE game_id = ?"
_DELETE_OLDEST = "DELETE FROM requests WHERE number <= (SELECT max(number) FROM requests) - ?"
_SELECT = (
    "SELECT id, shown, event FROM links WHERE game_id = ? AND version <= ? ORDER BY version, id"
)
