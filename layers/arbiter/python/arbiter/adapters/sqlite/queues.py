"""The queues of the file: records received, to be published again, and for the bridge.

Invariant: an event is in the inbox no later than its game's commit is on the disk, and leaves it
after its answers were published; records found at the start are processed again. `accept` and
`finish` wait for no disk: they are part of the group that holds the commit, or of a later one.
"""

import hashlib
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from arbiter.adapters.sqlite.dead_letters import OUTBOX, DeadLetter, bury
from arbiter.adapters.sqlite.store import Store
from arbiter.application.intake.queue_messages import message_body
from arbiter.application.play.timers import MAX_DELAY_SECONDS
from arbiter.application.ports import Clock
from arbiter.application.records import QueueEntry
from arbiter.dialects.outgoing import SsbMessage


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
        self._store.write_soon(lambda cursor: cursor.executemany(_DELETE_RECEIVED, keys))

    def bury(self, entry: QueueEntry, reason: str) -> None:
        """Move an entry to the dead letters. Raises StoreError."""
        now_ms = self._clock.now_ms()
        letter = DeadLetter(
            entry.queue, entry.dedup_id, entry.group_id, entry.body, now_ms, now_ms, reason
        )

        def move(cursor: sqlite3.Cursor) -> None:
            bury(cursor, letter)
            cursor.execute(_DELETE_RECEIVED, (entry.queue, entry.dedup_id))

        self._store.write(move)

    def unfinished(self) -> Sequence[QueueEntry]:
        rows = self._store.read(lambda cursor: cursor.execute(_SELECT).fetchall())
        return tuple(
            QueueEntry(queue=queue, body=body, group_id=group, dedup_id=id_)
            for queue, body, group, id_ in rows
        )

    def _rows(self, batch: Sequence[QueueEntry]) -> Sequence[tuple[str, str, str, str, int]]:
        now_ms = self._clock.now_ms()
        return [(it.queue, it.dedup_id, it.group_id, it.body, now_ms) for it in batch]


_INSERT = (
    "INSERT OR IGNORE INTO inbox (queue, id, group_id, body, received_at_ms) VALUES (?, ?, ?, ?, ?)"
)
_DELETE_RECEIVED = "DELETE FROM inbox WHERE queue = ? AND id = ?"
_SELECT = "SELECT queue, body, group_id, id FROM inbox ORDER BY number"


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
        """The next messages of groups other than these; they stay until `done` or `bury`."""
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
        found: int = self._store.read(
            lambda cursor: cursor.execute("SELECT count(*) FROM outbox").fetchone()[0]
        )
        return found

    def done(self, message_id: str) -> None:
        """Delete a message that was published; harmless when repeated."""
        self._store.write(lambda cursor: cursor.execute(_DELETE_WAITING, (message_id,)))

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
            cursor.execute(_DELETE_WAITING, (message_id,))

        self._store.write(move)


def keep(cursor: sqlite3.Cursor, messages: Sequence[SsbMessage]) -> None:
    rows = [
        (one.id, hashlib.sha256(one.root.encode()).hexdigest(), message_body(one))
        for one in messages
    ]
    cursor.executemany("INSERT OR IGNORE INTO outbox (id, group_id, body) VALUES (?, ?, ?)", rows)


# Not by its number: SQLite gives that of a deleted last row to the next one.
_DELETE_WAITING = "DELETE FROM outbox WHERE id = ?"


@dataclass(frozen=True, slots=True)
class Due:
    """A text to process again."""

    number: int
    body: str


class SqliteRepublishQueue:
    """The republish queue of one file."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def send(self, body: str, delay_seconds: int) -> None:
        """Deliver this text after at most 900 s, once if it waits. Raises StoreError."""
        delay_ms = max(0, min(delay_seconds, MAX_DELAY_SECONDS)) * 1000
        due_at_ms = self._clock.now_ms() + delay_ms

        def keep_one(cursor: sqlite3.Cursor) -> None:
            cursor.execute(_HASTEN, (due_at_ms, body))
            if cursor.rowcount == 0:
                cursor.execute(_INSERT_DUE, (due_at_ms, body))

        self._store.write(keep_one)

    def due(self, now_ms: int, most: int = 100) -> Sequence[Due]:
        """The texts that are due, in order; they stay until `done`. Raises StoreError."""
        rows = self._store.read(
            lambda cursor: cursor.execute(
                "SELECT number, body FROM republish WHERE due_at_ms <= ?"
                " ORDER BY due_at_ms, number LIMIT ?",
                (now_ms, most),
            ).fetchall()
        )
        return tuple(Due(*row) for row in rows)

    def done(self, one: Due) -> None:
        """Delete it, with the next group of writes. Raises StoreClosed."""
        self._store.write_soon(lambda cursor: cursor.execute(_DELETE_DUE, (one.number,)))


_INSERT_DUE = "INSERT INTO republish (due_at_ms, body) VALUES (?, ?)"
_HASTEN = """
UPDATE republish SET due_at_ms = min(due_at_ms, ?1)
WHERE json_valid(?2) AND json_remove(body, '$.republish.attempt')
    = json_remove(?2, '$.republish.attempt')
"""
"""A game that ended is told again for each event that comes again, a hundred after a restart."""
_DELETE_DUE = "DELETE FROM republish WHERE number = ?"
