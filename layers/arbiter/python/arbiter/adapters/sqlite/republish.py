"""What no relay took, in the order in which it is due again."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from arbiter.adapters.sqlite.dead_letters import REPUBLISH, DeadLetter, bury
from arbiter.adapters.sqlite.store import Store
from arbiter.application.ports import Clock
from arbiter.application.timers import LONGEST_DELAY_SECONDS


@dataclass(frozen=True, slots=True)
class Due:
    """A text to process again, and how often that failed."""

    number: int
    body: str
    due_at_ms: int
    attempts: int


class SqliteRepublishQueue:
    """The republish queue of one file."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def later(self, what: str, delay_seconds: int) -> None:
        """Deliver this text after the delay, at most 900 seconds. Raises StoreError."""
        delay_ms = max(0, min(delay_seconds, LONGEST_DELAY_SECONDS)) * 1000
        due_at_ms = self._clock.now_ms() + delay_ms
        self._store.write(
            lambda cursor: cursor.execute(
                "INSERT INTO republish (due_at_ms, body) VALUES (?, ?)", (due_at_ms, what)
            )
        )

    def due(self, now_ms: int, most: int = 100) -> Sequence[Due]:
        """The texts that are due, in order; they stay until `done`. Raises StoreError."""
        rows = self._store.read(
            lambda cursor: cursor.execute(
                "SELECT number, body, due_at_ms, attempts FROM republish WHERE due_at_ms <= ?"
                " ORDER BY due_at_ms, number LIMIT ?",
                (now_ms, most),
            ).fetchall()
        )
        return tuple(Due(*row) for row in rows)

    def next_at_ms(self) -> int | None:
        """When the next text is due (unix ms); None if none waits. Raises StoreError."""
        found: int | None = self._store.read(
            lambda cursor: cursor.execute("SELECT min(due_at_ms) FROM republish").fetchone()[0]
        )
        return found

    def done(self, one: Due) -> None:
        """Delete it, with the next group of writes. Raises StoreClosed."""
        self._store.write_soon(lambda cursor: cursor.execute(_DELETE, (one.number,)))

    def failed(self, one: Due, delay_seconds: int) -> None:
        """Count one more attempt and let it wait again. Raises StoreError."""
        due_at_ms = self._clock.now_ms() + delay_seconds * 1000
        self._store.write(
            lambda cursor: cursor.execute(
                "UPDATE republish SET attempts = attempts + 1, due_at_ms = ? WHERE number = ?",
                (due_at_ms, one.number),
            )
        )

    def bury(self, one: Due, reason: str) -> None:
        """Move it to the dead letters. Raises StoreError."""
        now_ms = self._clock.now_ms()
        name = str(one.number)
        letter = DeadLetter(REPUBLISH, name, name, one.body, one.due_at_ms, now_ms, reason)

        def move(cursor: sqlite3.Cursor) -> None:
            bury(cursor, letter)
            cursor.execute(_DELETE, (one.number,))

        self._store.write(move)


_DELETE = "DELETE FROM republish WHERE number = ?"
