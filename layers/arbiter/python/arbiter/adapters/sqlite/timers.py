"""Timers: one table, in the order in which they are due. A game is never without its timer:
`keep_timer` writes it in the game's transaction, so `SqliteTimers.set` need not wait for the disk.
"""

import sqlite3
from collections.abc import Sequence

from arbiter.adapters.sqlite.store import Store
from arbiter.application.play.timers import timer_of
from arbiter.application.records import Timer
from arbiter.core.game import Game


def keep_timer(cursor: sqlite3.Cursor, game: Game) -> None:
    if timer := timer_of(game):
        _set(cursor, timer)


class SqliteTimers:
    """The timers of one file."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def set(self, timers: Sequence[Timer], now_ms: int) -> None:
        """Set the timers with the next group of writes. Raises StoreClosed."""
        del now_ms
        self._store.write_soon(lambda cursor: _set(cursor, *timers))

    def due(self, now_ms: int, most: int = 1000) -> Sequence[Timer]:
        """The timers that are due, in order; they stay until `done`."""
        rows = self._store.read(
            lambda cursor: cursor.execute(
                "SELECT game_id, ply, at_ms, player FROM timers WHERE at_ms <= ?"
                " ORDER BY at_ms LIMIT ?",
                (now_ms, most),
            ).fetchall()
        )
        return tuple(Timer(game, ply, at_ms, player or None) for game, ply, at_ms, player in rows)

    def done(self, timers: Sequence[Timer]) -> None:
        """Delete these with the next group of writes: they were processed, or are in the inbox."""
        rows = [(it.at_ms, it.game_id, it.ply, it.player or "") for it in timers]
        self._store.write_soon(
            lambda cursor: cursor.executemany(
                "DELETE FROM timers WHERE at_ms = ? AND game_id = ? AND ply = ? AND player = ?",
                rows,
            )
        )


def _set(cursor: sqlite3.Cursor, *timers: Timer) -> None:
    cursor.executemany(
        "INSERT OR IGNORE INTO timers (at_ms, game_id, ply, player) VALUES (?, ?, ?, ?)",
        [(it.at_ms, it.game_id, it.ply, it.player or "") for it in timers],
    )
