"""Messages for the bridge to another network, in the order in which they are published."""

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from arbiter.adapters.sqlite.dead_letters import OUTBOX, DeadLetter, bury
from arbiter.adapters.sqlite.store import Store
from arbiter.application.ports import Clock
from arbiter.application.queue_messages import message_body
from arbiter.dialects.base import SsbMessage


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that waits: its number in the order, its id, its group and its record."""

    number: int
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
        rows = [
            (one.id, hashlib.sha256(one.root.encode()).hexdigest(), message_body(one))
            for one in messages
        ]
        self._store.write(
            lambda cursor: cursor.executemany(
                "INSERT OR IGNORE INTO outbox (id, group_id, body) VALUES (?, ?, ?)", rows
            )
        )

    def first(self, most: int = 10) -> Sequence[Waiting]:
        """The next messages to publish. They stay until `done` or `bury`."""
        rows = self._store.read(
            lambda cursor: cursor.execute(
                "SELECT number, id, group_id, body FROM outbox ORDER BY number LIMIT ?", (most,)
            ).fetchall()
        )
        return tuple(Waiting(*row) for row in rows)

    def done(self, one: Waiting) -> None:
        """Delete a message that was published."""
        self._store.write(lambda cursor: cursor.execute(_DELETE, (one.number,)))

    def bury(self, one: Waiting, reason: str) -> None:
        """Move a message that can never be published to the dead letters."""
        now_ms = self._clock.now_ms()
        letter = DeadLetter(OUTBOX, one.id, one.group_id, one.body, now_ms, now_ms, reason)

        def move(cursor: sqlite3.Cursor) -> None:
            bury(cursor, letter)
            cursor.execute(_DELETE, (one.number,))

        self._store.write(move)


_DELETE = "DELETE FROM outbox WHERE number = ?"
