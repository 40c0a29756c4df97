"""The disk of `arbiter serve`: SQLite itself, whose commits take time and whose disk may be full,
fail, or be the last thing that a process saw. What each commit changed is written down.
"""

import sqlite3
from collections.abc import Iterable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from arbiter.adapters.sqlite.items import item_of_text
from tests.simulation.history import Committed, Wrote

if TYPE_CHECKING:
    from tests.simulation.world import World

_WATCH = """
CREATE TEMP TABLE written (number INTEGER PRIMARY KEY, pk TEXT, before TEXT, after TEXT);
CREATE TEMP TRIGGER inserted AFTER INSERT ON main.items BEGIN
    INSERT INTO written (pk, before, after) VALUES (new.pk, NULL, new.item);
END;
CREATE TEMP TRIGGER updated AFTER UPDATE ON main.items BEGIN
    INSERT INTO written (pk, before, after) VALUES (new.pk, old.item, new.item);
END;
CREATE TEMP TRIGGER deleted AFTER DELETE ON main.items BEGIN
    INSERT INTO written (pk, before, after) VALUES (old.pk, old.item, NULL);
END;
"""
"""Part of each transaction, and undone with it."""

_HAS_ITEMS = "SELECT 1 FROM sqlite_master WHERE name = 'items'"


class SimConnection(sqlite3.Connection):
    """A connection of a process in this world."""

    def __init__(self, world: "World", path: Any, *places: Any, **options: Any) -> None:
        super().__init__(path, *places, **options)
        self.world = world
        self.is_watched = False
        world.opened(self)

    def cursor(self, factory: Any = None) -> Any:
        return super().cursor(factory or partial(SimCursor, self.world))

    def watch(self) -> None:
        """Write down what is changed from now on, in the connection that changes games."""
        if not self.is_watched and sqlite3.Cursor(self).execute(_HAS_ITEMS).fetchone():
            sqlite3.Cursor(self).executescript(_WATCH)
            self.is_watched = True


class SimCursor(sqlite3.Cursor):
    """A cursor of a process in this world."""

    def __init__(self, world: "World", connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._world = world

    def execute(self, sql: str, parameters: Any = ()) -> "SimCursor":
        if sql == "BEGIN IMMEDIATE":
            self.connection.watch()  # type: ignore[attr-defined]
        if sql != "COMMIT":
            return super().execute(sql, parameters)
        self._world.disk.before_commit()
        super().execute(sql)
        if not self.connection.is_watched:  # type: ignore[attr-defined]
            return self
        written = super().execute("SELECT pk, before, after FROM written").fetchall()
        if written:
            super().execute("DELETE FROM written")
            self._world.disk.committed(written)
        self._world.disk.after_commit()
        return self


def failure(code: int, name: str, text: str) -> sqlite3.OperationalError:
    """As SQLite raises it."""
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode, error.sqlite_errorname = code, name
    return error


class Disk:
    """One for all processes of a world: they follow each other."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.is_full = False
        self.is_slow = False

    def before_commit(self) -> None:
        world = self._world
        faults, chance = world.faults, world.chance
        if world.scheduler.task is None or world.serving.parts is None:
            return  # the process ends in order
        if faults.strikes("F20", "commit"):
            world.die_here()
        if self.is_full:
            world.faults.note("disk full", "commit")
            raise failure(sqlite3.SQLITE_FULL, "SQLITE_FULL", "database or disk is full")
        if faults.strikes("disk fails", "commit"):
            raise failure(sqlite3.SQLITE_IOERR, "SQLITE_IOERR", "disk I/O error")
        seconds = 0.002 + 0.004 * chance.random()
        if self.is_slow and faults.allows("F23"):
            faults.note("F23", "commit")
            seconds = 0.5 * chance.random() ** 3
        world.scheduler.sleep(seconds)

    def committed(self, written: Iterable[tuple[str, str | None, str | None]]) -> None:
        first: dict[str, str | None] = {}
        last: dict[str, str | None] = {}
        # A transaction may change an item more than once: each version is one happening.
        for pk, before, after in written:
            if pk in last:
                self._note(first, last)
            first[pk], last[pk] = before, after
        self._note(first, last)

    def _note(self, first: dict[str, str | None], last: dict[str, str | None]) -> None:
        items = tuple(
            (pk, _item(first[pk]), _item(after)) for pk, after in last.items() if first[pk] != after
        )
        first.clear()
        last.clear()
        if items:
            world = self._world
            world.write(
                Wrote(at_ms=world.now_ms(), who=world.scheduler.process().name, items=items)
            )

    def after_commit(self) -> None:
        self._world.write(Committed(at_ms=self._world.now_ms()))
        world = self._world
        is_ending = world.scheduler.task is None or world.serving.parts is None
        if not is_ending and world.faults.strikes("F21", "commit"):
            world.die_here()


@lru_cache(maxsize=200)
def _item(text: str | None) -> Any:
    return None if text is None else item_of_text(text)
