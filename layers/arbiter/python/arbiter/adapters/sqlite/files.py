"""Connections to the file, the lock beside it, and copies of it."""

import contextlib
import sqlite3
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from arbiter.adapters.sqlite.errors import StoreError, trouble
from arbiter.adapters.sqlite.schema import check, inspect, migrate

T = TypeVar("T")

CHECKED_BYTES = 256 * 1024 * 1024
"""A larger file is not searched for damage when it is opened."""

MAX_LOG_BYTES = 64 * 1024 * 1024
"""To this size the write-ahead log is cut after a long reader, such as a backup, made it grow."""


def locked(path: Path) -> sqlite3.Connection:
    """The lock: an exclusive transaction in a file beside it. Raises `sqlite3.Error`."""
    lock = sqlite3.connect(f"{path}-lock", timeout=0, isolation_level=None, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        lock.close()
        raise
    return lock


def writer(path: Path) -> sqlite3.Connection:
    """The connection that writes, to our whole file. Raises StoreError, `sqlite3.Error`."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        inspect(db, path, CHECKED_BYTES)
        (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StoreError(f"{path} is on a file system without write-ahead logs")  # noqa: TRY301 - closes the connection
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA journal_size_limit = {MAX_LOG_BYTES}")
        # What a savepoint would undo is kept in memory: in a file it took twelve writes a move.
        db.execute("PRAGMA temp_store = MEMORY")
        migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def reader(path: Path) -> sqlite3.Connection:
    """A connection that reads. Raises `sqlite3.Error`."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA query_only = ON")
    return db


class Readers:
    """The connections that read a file, as many as threads read at once. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: deque[sqlite3.Connection] = deque()

    def read(self, read: Callable[[sqlite3.Cursor], T]) -> T:
        """Call ``read`` and return its result. Raises what it raises, and StoreError."""
        try:
            try:
                db = self._idle.pop()
            except IndexError:
                db = reader(self._path)
            cursor = db.cursor()
            try:
                return read(cursor)
            finally:
                # A statement that was not read to its end would keep the log from being reused.
                cursor.close()
                self._idle.append(db)
        except sqlite3.Error as error:
            raise trouble(error, self._path) from error

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


def copy(source: Path, target: Path) -> None:
    """Copy a file, also an open one, in place of an older copy. Raises StoreError."""
    unfinished = target.with_name(f"{target.name}.unfinished")
    if target.with_name(f"{target.name}-wal").exists():
        raise StoreError(f"{target} is open, or was not closed: the copy needs another name")
    try:
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=0o600, exist_ok=False)
        with (
            contextlib.closing(reader(source)) as original,
            contextlib.closing(sqlite3.connect(unfinished)) as made,
        ):
            # In one step: a copy in several begins again after each commit.
            original.backup(made)
            check(made, unfinished)
        unfinished.replace(target)
    except sqlite3.Error as error:
        raise trouble(error, target) from error
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)
