"""The PGN of finished games in a file that the processes of one server share, or written anew."""

import contextlib
import sqlite3
from pathlib import Path
from threading import Lock

from arbiter import VERSION

_WAIT_SECONDS = 0.02
"""Longest wait for the other process: what is not kept now is kept when it is asked for again."""


class SqlitePgns:
    """`pgn_cache.Pgns`. Another release's texts are dropped when the file is opened."""

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        self._db = sqlite3.connect(
            path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
        with contextlib.suppress(sqlite3.Error):
            # Nothing is lost with this file, so no write waits for the disk.
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = OFF")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS pgns (release TEXT, name TEXT, text TEXT,"
                " PRIMARY KEY (release, name)) WITHOUT ROWID"
            )
            self._db.execute("DELETE FROM pgns WHERE release <> ?", (VERSION,))

    def get(self, name: str) -> str | None:
        with self._lock, contextlib.suppress(sqlite3.Error):
            asked = "SELECT text FROM pgns WHERE release = ? AND name = ?"
            found: tuple[str] | None = self._db.execute(asked, (VERSION, name)).fetchone()
            return found[0] if found else None
        return None

    def keep(self, name: str, text: str) -> None:
        with self._lock, contextlib.suppress(sqlite3.Error):
            kept = "INSERT OR IGNORE INTO pgns VALUES (?, ?, ?)"
            self._db.execute(kept, (VERSION, name, text))

    def close(self) -> None:
        self._db.close()
