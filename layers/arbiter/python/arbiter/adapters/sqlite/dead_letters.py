"""Records that could not be processed and wait for an operator."""

import sqlite3
from dataclasses import astuple, dataclass

from arbiter.adapters.sqlite.store import Store


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A record of a queue, and why it was given up. Times are unix milliseconds."""

    queue: str
    id: str
    group_id: str
    body: str
    received_at_ms: int
    buried_at_ms: int
    reason: str


def bury(cursor: sqlite3.Cursor, letter: DeadLetter) -> None:
    cursor.execute(
        f"INSERT INTO dead_letters ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our own names
        astuple(letter),
    )


class SqliteDeadLetters:
    """The dead letters of one file. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def count(self) -> int:
        found: int = self._store.read(
            lambda cursor: cursor.execute("SELECT count(*) FROM dead_letters").fetchone()[0]
        )
        return found


_COLUMNS = "queue, id, group_id, body, received_at_ms, buried_at_ms, reason"

OUTBOX = "outbox"
"""The queue of messages for the bridge."""
