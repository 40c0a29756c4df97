"""What was received and is not yet finished, so that a process that ends at any moment can go on.

Invariant: an event is in the inbox no later than its game's commit is on the disk, and leaves it
after its answers were published. `accept` and `finish` wait for no disk: they are part of the group
that holds the commit, or of a later one. What is found at the start is processed again; games
remember their events, so nothing is done twice.
"""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from arbiter.adapters.sqlite.dead_letters import DeadLetter, bury
from arbiter.adapters.sqlite.store import Store
from arbiter.application.ports import Clock
from arbiter.application.queue_messages import QueueEntry


@dataclass(frozen=True, slots=True)
class Received:
    """An entry of the inbox, when it was accepted (unix ms), and how often it was tried."""

    entry: QueueEntry
    at_ms: int
    attempts: int


class SqliteInbox:
    """The inbox of one file. An entry is known by its queue and its ``dedup_id``."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """Accept these entries; returns when they are on the disk. Raises StoreError."""
        rows = self._rows(batch)
        self._store.write(lambda cursor: cursor.executemany(_INSERT, rows))
        return ()

    def accept(self, batch: Sequence[QueueEntry]) -> None:
        """As `send`, with the next group of writes. Raises StoreClosed."""
        rows = self._rows(batch)
        self._store.write_soon(lambda cursor: cursor.executemany(_INSERT, rows))

    def finish(self, entries: Collection[QueueEntry]) -> None:
        """Forget these entries, with the next group of writes. Raises StoreClosed."""
        keys = [(entry.queue, entry.dedup_id) for entry in entries]
        self._store.write_soon(lambda cursor: cursor.executemany(_DELETE, keys))

    def failed(self, entries: Collection[QueueEntry]) -> None:
        """Count one more attempt at each of these, with the next group of writes."""
        keys = [(entry.queue, entry.dedup_id) for entry in entries]
        self._store.write_soon(
            lambda cursor: cursor.executemany(
                "UPDATE inbox SET attempts = attempts + 1 WHERE queue = ? AND id = ?", keys
            )
        )

    def bury(self, received: Received, reason: str) -> None:
        """Move an entry to the dead letters. Raises StoreError."""
        entry, now_ms = received.entry, self._clock.now_ms()
        letter = DeadLetter(
            entry.queue, entry.dedup_id, entry.group_id, entry.body, received.at_ms, now_ms, reason
        )

        def move(cursor: sqlite3.Cursor) -> None:
            bury(cursor, letter)
            cursor.execute(_DELETE, (entry.queue, entry.dedup_id))

        self._store.write(move)

    def unfinished(self) -> Sequence[Received]:
        """All entries, in the order in which they were accepted."""
        rows = self._store.read(lambda cursor: cursor.execute(_SELECT).fetchall())
        return tuple(
            Received(QueueEntry(queue=queue, body=body, group_id=group, dedup_id=id_), *rest)
            for queue, body, group, id_, *rest in rows
        )

    def _rows(self, batch: Sequence[QueueEntry]) -> Sequence[tuple[str, str, str, str, int]]:
        now_ms = self._clock.now_ms()
        return [(it.queue, it.dedup_id, it.group_id, it.body, now_ms) for it in batch]


_INSERT = (
    "INSERT OR IGNORE INTO inbox (queue, id, group_id, body, received_at_ms) VALUES (?, ?, ?, ?, ?)"
)
_DELETE = "DELETE FROM inbox WHERE queue = ? AND id = ?"
_SELECT = "SELECT queue, body, group_id, id, received_at_ms, attempts FROM inbox ORDER BY number"
