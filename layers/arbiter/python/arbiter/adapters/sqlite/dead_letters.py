"""Records that could not be processed and wait for an operator."""

import sqlite3
from collections.abc import Sequence
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

    def first(self, most: int = 100) -> Sequence[tuple[int, DeadLetter]]:
        rows = self._store.read(
            lambda cursor: cursor.execute(
                f"SELECT number, {_COLUMNS} FROM dead_letters ORDER BY number LIMIT ?",  # noqa: S608 - our own names
                (most,),
            ).fetchall()
        )
        return tuple((number, DeadLetter(*columns)) for number, *columns in rows)

    def give_back(self, numbers: Sequence[int]) -> int:
        """Move these back to their queues, as newly received; how many were there."""

        def move(cursor: sqlite3.Cursor) -> int:
            moved = 0
            for number in numbers:
                for statement in _GIVE_BACK:
                    cursor.execute(statement, (number,))
                moved += cursor.rowcount
            return moved

        return self._store.write(move)


_COLUMNS = "queue, id, group_id, body, received_at_ms, buried_at_ms, reason"

REPUBLISH = "republish"
OUTBOX = "outbox"

_GIVE_BACK = (
    """
    INSERT OR IGNORE INTO inbox (queue, id, group_id, body, received_at_ms)
    SELECT queue, id, group_id, body, received_at_ms FROM dead_letters
    WHERE number = ? AND queue NOT IN ('republish', 'outbox')
    """,
    """
    INSERT INTO republish (due_at_ms, body)
    SELECT 0, body FROM dead_letters WHERE number = ? AND queue = 'republish'
    """,
    """
    INSERT OR IGNORE INTO outbox (id, group_id, body)
    SELECT id, group_id, body FROM dead_letters WHERE number = ? AND queue = 'outbox'
    """,
    "DELETE FROM dead_letters WHERE number = ?",
)
"""Back into the queue that each came from; two of the three inserts do nothing."""
