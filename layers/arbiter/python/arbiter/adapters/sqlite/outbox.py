"""Messages for the bridge to another network, in the order in which they are published."""

import hashlib
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from arbiter.adapters.sqlite.dead_letters import OUTBOX, DeadLetter, bury
from arbiter.adapters.sqlite.store import Store
from arbiter.application.ports import Clock
from arbiter.application.queue_messages import message_body
from arbiter.dialects.base import SsbMessage


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that waits: its id, its group and its record."""

    id: str
    group_id: str
    body: str


class SqliteOutbox:
    """The outbox of one file. All methods raise StoreError."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def send(self, messages: Sequence[SsbMessage]) -> None:
        """Keep the messages until they are published; one that waits already changes nothing."""
        self._store.write(lambda cursor: keep(cursor, messages))

    def first(self, most: int = 10, without: Collection[str] = ()) -> Sequence[Waiting]:
        """The next messages to publish, of other groups than these. They stay until `done` or
        `bury`.
        """
        marks = ", ".join("?" * len(without))
        rows = self._store.read(
            lambda cursor: cursor.execute(
                f"SELECT id, group_id, body FROM outbox WHERE group_id NOT IN ({marks})"  # noqa: S608 - question marks
                " ORDER BY number LIMIT ?",
                (*without, most),
            ).fetchall()
        )
        return tuple(Waiting(*row) for row in rows)

    def count(self) -> int:
        """How many wait."""
        found: int = self._store.read(
            lambda cursor: cursor.execute("SELECT count(*) FROM outbox").fetchone()[0]
        )
        return found

    def done(self, message_id: str) -> None:
        """Delete a message that was published; harmless when repeated."""
        self._store.write(lambda cursor: cursor.execute(_DELETE, (message_id,)))

    def bury(self, message_id: str, reason: str) -> None:
        """Move a message that can never be published to the dead letters, if it waits."""
        now_ms = self._clock.now_ms()

        def move(cursor: sqlite3.Cursor) -> None:
            found = cursor.execute(
                "SELECT group_id, body FROM outbox WHERE id = ?", (message_id,)
            ).fetchone()
            if found is None:
                return
            group_id, body = found
            letter = DeadLetter(OUTBOX, message_id, group_id, body, now_ms, now_ms, reason)
            bury(cursor, letter)
            cursor.execute(_DELETE, (message_id,))

        self._store.write(move)


def keep(cursor: sqlite3.Cursor, messages: Sequence[SsbMessage]) -> None:
    """Add these messages, but none that waits already."""
    rows = [
        (one.id, hashlib.sha256(one.root.encode()).hexdigest(), message_body(one))
        for one in messages
    ]
    cursor.executemany("INSERT OR IGNORE INTO outbox (id, group_id, body) VALUES (?, ?, ?)", rows)


# Not by its number: SQLite gives that of a deleted last row to the next one.
_DELETE = "DELETE FROM outbox WHERE id = ?"
