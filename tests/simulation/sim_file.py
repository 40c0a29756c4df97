"""The SQLite adapters in the simulation: one real file, real transactions, virtual time.

`Store` itself writes, in a thread of its own, for which the world waits: so a run stays a
function of its seed. Each write of an adapter is a group of one. In `arbiter serve` all writes of a
record are one group; here other tasks take turns between two, and a process may die there.

What one group changed is read from temporary triggers of the connection that writes.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar, cast

from arbiter import wiring
from arbiter.adapters.sqlite import items
from arbiter.adapters.sqlite.archive import SqliteArchive
from arbiter.adapters.sqlite.games import SqliteBrowsers, SqliteGames, SqliteLobby, SqliteOutages
from arbiter.adapters.sqlite.ratings import SqliteRatings
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.application.ports import Committed, Conflict, LobbyChange
from arbiter.application.queue_messages import Timer, timer_body
from arbiter.application.routing import timer_entry
from arbiter.core.game import Game
from tests.simulation.expressions import Item, copied
from tests.simulation.history import Scheduled, Wrote
from tests.simulation.services import NEWER_ATTRIBUTE

if TYPE_CHECKING:
    from tests.simulation.world import World

T = TypeVar("T")

_MEMORY = Path("/dev/shm")  # noqa: S108 - a file system without a disk

_TRIGGERS = """
CREATE TEMP TABLE changed (number INTEGER PRIMARY KEY, pk TEXT, before TEXT, after TEXT);
CREATE TEMP TRIGGER inserted AFTER INSERT ON main.items BEGIN
    INSERT INTO changed (pk, before, after) VALUES (new.pk, NULL, new.item);
END;
CREATE TEMP TRIGGER updated AFTER UPDATE ON main.items BEGIN
    INSERT INTO changed (pk, before, after) VALUES (new.pk, old.item, new.item);
END;
CREATE TEMP TRIGGER deleted AFTER DELETE ON main.items BEGIN
    INSERT INTO changed (pk, before, after) VALUES (old.pk, old.item, NULL);
END;
CREATE TEMP TABLE timed (game_id TEXT, ply INTEGER, at_ms INTEGER, player TEXT);
CREATE TEMP TRIGGER set_timer AFTER INSERT ON main.timers BEGIN
    INSERT INTO timed VALUES (new.game_id, new.ply, new.at_ms, new.player);
END
"""

Change = tuple[str, Item | None, Item | None]


class SimFile:
    """One file, as the `Store` of every process."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._folder = TemporaryDirectory(
            prefix="arbiter-simulation-", dir=_MEMORY if _MEMORY.is_dir() else None
        )
        self._store = Store.open(Path(self._folder.name) / "arbiter.sqlite3")
        self._store.write(_watch)
        self._timers = SqliteTimers(self.of_process())
        self._next_ms: int | None = None
        self._left: list[Item] | None = None

    def of_process(self) -> Store:
        """The store that adapters are given."""
        return cast("Store", self)

    # What adapters call.

    def read(self, read: Callable[[sqlite3.Cursor], T]) -> T:
        port = self._world.cloud.port
        port("sqlite.read.asked")
        found = self._store.read(read)
        port("sqlite.read.done")
        return found

    def write(self, write: Callable[[sqlite3.Cursor], T]) -> T:
        port = self._world.cloud.port
        port("sqlite.write.asked")
        result = self._committed(write)
        port("sqlite.write.done")
        return result

    def write_soon(self, write: Callable[[sqlite3.Cursor], object]) -> None:
        """In `arbiter serve` it is on the disk before its record is answered, and so it is here."""
        self.write(write)

    # What the world asks.

    def items(self) -> list[Item]:
        if self._left is not None:
            return self._left
        texts = self._store.read(
            lambda cursor: cursor.execute("SELECT item FROM items ORDER BY pk").fetchall()
        )
        return [copied(items.item_of_text(text)) for (text,) in texts]

    def has_no_timers(self) -> bool:
        return self._next_at_ms() is None

    def close(self) -> None:
        """Remove the file; its items stay."""
        if self._left is None:
            self._left = self.items()
            self._store.close()
            self._folder.cleanup()

    def _committed(self, write: Callable[[sqlite3.Cursor], T]) -> T:
        with self._store.group() as durable:
            result = self._store.write(write)
            changes, timers = self._store.write(self._noted)
        durable.result()
        world = self._world
        for timer in timers:
            # Before the game's own write: they are one transaction.
            world.write(Scheduled(at_ms=world.now_ms(), by=world.who(), body=timer_body(timer)))
        if changes:
            items = tuple(changes)
            world.cloud.calls.wrote(Wrote(at_ms=world.now_ms(), who=world.who(), items=items))
        self._await_next()
        return result

    def _noted(self, cursor: sqlite3.Cursor) -> tuple[Sequence[Change], Sequence[Timer]]:
        """What the open group changed so far, each item once."""
        if self._world.cloud.runs_newer_code():
            self._write_as_newer_code(cursor)
        return [*_changes(cursor)], [*_new_timers(cursor)]

    def _write_as_newer_code(self, cursor: sqlite3.Cursor) -> None:
        """Give each game that was changed an attribute that the present code does not know."""
        rows = cursor.execute("SELECT pk, before FROM changed").fetchall()
        games = {pk: None for pk, before in rows if before and pk.startswith("g#")}
        for pk in games:
            item = items.find(cursor, {"pk": {"S": pk}})
            if item is not None:
                items.put(cursor, {**item, NEWER_ATTRIBUTE: {"S": "kept"}})
                self._world.cloud.written_by_newer_code.add(pk)

    # The timekeeper, without faults of its own: in `arbiter serve` it is a part of the one process.

    def _next_at_ms(self) -> int | None:
        found: int | None = self._store.read(
            lambda cursor: cursor.execute("SELECT min(at_ms) FROM timers").fetchone()[0]
        )
        return found

    def _await_next(self) -> None:
        next_ms = self._next_at_ms()
        if next_ms is not None and (self._next_ms is None or next_ms < self._next_ms):
            self._next_ms = next_ms
            self._world.at_ms(next_ms, lambda: self._look(next_ms))

    def _look(self, when_ms: int) -> None:
        if self._next_ms != when_ms:
            return
        world, self._next_ms = self._world, None
        # A moment is rounded up: what is due in it may be due a millisecond later by our clock.
        now_ms = max(world.now_ms(), when_ms)
        for timer in self._timers.due(now_ms):
            entry = timer_entry(timer, now_ms)
            world.cloud.sqs.send_message(
                QueueUrl=world.cloud.urls["moves.fifo"],
                MessageBody=entry.body,
                MessageGroupId=entry.group_id,
                MessageDeduplicationId=entry.dedup_id,
            )
            self._timers.done((timer,))
        self._await_next()


class NotedSqliteGames(SqliteGames):
    """The games of the file, and a note of each commit that met a newer game."""

    def __init__(self, world: "World", store: Store) -> None:
        super().__init__(store)
        self._world = world

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        made = super().commit(before, after)
        if isinstance(made, Conflict):
            self._world.faults.note("F27", self._world.who())
        return made


class NotedSqliteLobby(SqliteLobby):
    """The lobby of the file, and a note of each change that met another one."""

    def __init__(self, world: "World", store: Store, clock: Any) -> None:
        super().__init__(store, clock)
        self._world = world

    def commit(self, change: LobbyChange) -> bool:
        made = super().commit(change)
        if not made:
            self._world.faults.note("F42", self._world.who())
        return made


def of_wiring(world: "World", file: SimFile) -> Iterator[tuple[Any, str, Any]]:
    """What `wiring` makes in place of the adapters of its large table."""
    store = file.of_process()
    yield wiring, "DynamoDbGames", lambda *_: NotedSqliteGames(world, store)
    yield wiring, "DynamoDbLobby", lambda _, __, clock: NotedSqliteLobby(world, store, clock)
    yield wiring, "DynamoDbRatings", lambda *_: SqliteRatings(store)
    yield wiring, "DynamoDbOutages", lambda *_: SqliteOutages(store)
    yield wiring, "DynamoDbArchive", lambda *_: SqliteArchive(store)
    yield wiring, "DynamoDbBrowsers", lambda *_: SqliteBrowsers(store)
    yield wiring, "timers", lambda *_: SqliteTimers(store)


def _watch(cursor: sqlite3.Cursor) -> None:
    for statement in _TRIGGERS.split(";\nCREATE "):
        cursor.execute(
            statement if statement.lstrip().startswith("CREATE") else f"CREATE {statement}"
        )


def _changes(cursor: sqlite3.Cursor) -> Iterator[Change]:
    rows = cursor.execute("SELECT pk, before, after FROM changed ORDER BY number").fetchall()
    cursor.execute("DELETE FROM changed")
    first = {pk: before for pk, before, _ in reversed(rows)}
    last = {pk: after for pk, _, after in rows}
    for pk, before in first.items():
        was, becomes = _item(before), _item(last[pk])
        if was != becomes:
            key = (becomes or was or {})["pk"]["S"]
            yield key, was, becomes


def _new_timers(cursor: sqlite3.Cursor) -> Iterator[Timer]:
    rows = cursor.execute("SELECT game_id, ply, at_ms, player FROM timed").fetchall()
    cursor.execute("DELETE FROM timed")
    for game_id, ply, at_ms, player in rows:
        yield Timer(game_id, ply, at_ms, player or None)


def _item(text: str | None) -> Item | None:
    return copied(items.item_of_text(text)) if text else None
