"""One SQLite file: a thread that commits in groups, and connections that read.

Invariant: a write is answered when it is on the disk (WAL, ``synchronous=FULL``), so all that wait
are made in one transaction. One that fails is undone alone; if the disk fails, the whole group is.
One process has the file open, by a lock that ends with it.
"""

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self, TypeVar

from arbiter.adapters.sqlite.errors import StoreClosed, StoreError, trouble
from arbiter.adapters.sqlite.files import Readers, copy, locked, reader, writer

T = TypeVar("T")

Write = Callable[[sqlite3.Cursor], T]
"""It reads and changes tables through the cursor alone; undone, it may be called again."""

SOON_SECONDS = 0.2
"""A write that no caller waits for is made after this time at the latest."""

_log = logging.getLogger(__name__)


class _Job:
    """A write, and who waits for it: nothing for ``write_soon``."""

    __slots__ = ("done", "result", "write")

    def __init__(self, write: Write[Any], done: "Future[Any] | None", result: Any = None) -> None:  # noqa: ANN401 - each write has its own
        self.write = write
        self.done = done
        self.result = result


class Store:
    """One open file. Thread-safe. A callback of its futures must not wait for a write."""

    def __init__(self, path: Path, lock: sqlite3.Connection, db: sqlite3.Connection) -> None:
        self.path = path
        self._lock = lock
        self._db = db
        self._cursor = db.cursor()
        self._readers = Readers(path)
        # Jobs that wait, and whether a caller does, under `_wake`.
        self._wake = threading.Condition()
        self._waiting: list[_Job] = []
        self._is_awaited = False
        self._is_closed = False
        # The open transaction, under `_turn`: its writes, and what undid it.
        self._turn = threading.Lock()
        self._made: list[_Job] = []
        self._failure: StoreError | None = None
        self._owner: int | None = None
        self._is_in_trouble = False
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)

    @classmethod
    def open(cls, path: Path | str) -> "Store":
        """Open the file, or make it, and bring it to this release's schema. Raises StoreError."""
        path = Path(path)
        with contextlib.ExitStack() as opened:
            try:
                lock = opened.enter_context(contextlib.closing(locked(path)))
                db = opened.enter_context(contextlib.closing(writer(path)))
            except sqlite3.Error as error:
                raise trouble(error, path) from error
            opened.pop_all()
        store = cls(path, lock, db)
        store._thread.start()
        return store

    @classmethod
    def open_to_read(cls, path: Path | str) -> "Store":
        """Open a file that another process writes; here all writes fail. Raises StoreError."""
        path = Path(path)
        try:
            store = cls(path, reader(path), reader(path))
        except sqlite3.Error as error:
            raise trouble(error, path) from error
        store._thread.start()
        return store

    def write(self, write: Write[T]) -> T:
        """Call ``write`` and return its result when it is on the disk; in the thread of a `group`
        at once. Raises what it raises, and StoreError.
        """
        if self._owner == threading.get_ident():
            return self._made_now(write, None)
        return self.submit(write).result()

    def submit(self, write: Write[T]) -> "Future[T]":
        """As `write`, without waiting; made even if the future is cancelled. Raises StoreClosed."""
        done: Future[T] = Future()
        if self._owner == threading.get_ident():
            try:
                self._made.append(_Job(write, done, self._made_now(write, None)))
            except Exception as failure:  # noqa: BLE001 - as the result of any other write
                done.set_exception(failure)
            return done
        with self._wake:
            self._check_open()
            self._waiting.append(_Job(write, done))
            if not self._is_awaited:
                self._is_awaited = True
                self._wake.notify()
        return done

    def write_soon(self, write: Write[object]) -> None:
        """Make this write with the next group that can be written. Raises StoreClosed."""
        if self._owner == threading.get_ident():
            self._made_now(write, _Job(write, None))
            return
        with self._wake:
            self._check_open()
            self._waiting.append(_Job(write, None))
            if len(self._waiting) == 1:
                self._wake.notify()

    @contextlib.contextmanager
    def group(self) -> "Iterator[Future[None]]":
        """Decide several things in this thread, and commit them together, once another group is:
        inside, writes return at once, and reads find them. The future is done when they are on the
        disk; nothing may be answered before. If the block raises, all of it is undone. Raises
        StoreError.
        """
        durable: Future[None] = Future()
        try:
            with self._turn:
                self._check_open()
                self._begin()
                if self._failure:
                    raise self._failure
                with self._block():
                    yield durable
                self._made.append(_Job(_nothing, durable))
        finally:
            with self._wake:  # for what waited before it, too
                self._is_awaited = True
                self._wake.notify()

    @contextlib.contextmanager
    def _block(self) -> Iterator[None]:
        """Let this thread write at once, and undo all of it if the block raises."""
        before = len(self._made)
        self._cursor.execute("SAVEPOINT block")
        self._owner = threading.get_ident()
        try:
            yield
        except BaseException as failure:
            undone = self._made[before:]
            del self._made[before:]
            for job in undone:
                if job.done and job.done.set_running_or_notify_cancel():
                    job.done.set_exception(failure)
            if self._db.in_transaction:
                self._cursor.execute("ROLLBACK TO block")
            raise
        finally:
            self._owner = None
            if self._db.in_transaction:
                self._cursor.execute("RELEASE block")

    def read(self, read: Callable[[sqlite3.Cursor], T]) -> T:
        """Call ``read`` on the disk, in a `group` also on its own writes. Raises StoreError."""
        if self._owner == threading.get_ident():
            try:
                return read(self._cursor)
            except sqlite3.Error as error:
                raise trouble(error, self.path) from error
        self._check_open()
        return self._readers.read(read)

    @property
    def is_in_trouble(self) -> bool:
        return self._is_in_trouble

    def try_to_write(self) -> None:
        """Write to the disk what is there already. Raises StoreError if nothing can be written."""

        def write(cursor: sqlite3.Cursor) -> None:
            (version,) = cursor.execute("PRAGMA user_version").fetchone()
            cursor.execute(f"PRAGMA user_version = {version}")

        self.write(write)

    def backup(self, path: Path | str) -> None:
        """Write a copy of the file, in place of an older one. Raises StoreError."""
        self._check_open()
        copy(self.path, Path(path))

    def close(self) -> None:
        """Make the writes that wait, and release the file. Harmless when repeated."""
        with self._wake:
            self._is_closed = True
            self._wake.notify()
        self._thread.join()
        self._readers.close()
        self._db.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreClosed(f"{self.path} was closed")

    def _run(self) -> None:
        is_last = False
        while not is_last:
            until: float | None = None
            with self._wake:
                while not (self._is_awaited or self._is_closed):
                    if self._waiting and until is None:
                        until = time.monotonic() + SOON_SECONDS
                    left = None if until is None else until - time.monotonic()
                    if left is not None and left <= 0:
                        break
                    self._wake.wait(left)
                is_last = self._is_closed
            with self._turn:
                self._begin()
                ended = self._ended()
            self._settle(ended)

    def _begin(self) -> None:
        """Make the writes that wait, in a transaction that stays open. The caller has the turn."""
        with self._wake:
            jobs, self._waiting = self._waiting, []
            self._is_awaited = False
        try:
            if not self._db.in_transaction and not self._failure:
                self._cursor.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            self._fail(error)
        for job in jobs:
            try:
                job.result = self._made_now(job.write, job)
            except Exception as failure:  # noqa: BLE001 - its caller gets it
                if self._failure:
                    self._made.append(job)  # it fails with the group
                elif job.done is None:
                    _log.exception("a write that no caller waits for failed")
                elif job.done.set_running_or_notify_cancel():
                    job.done.set_exception(failure)

    def _made_now(self, write: Write[T], job: _Job | None) -> T:
        """Call ``write``, which is undone alone if it raises. The caller has the turn."""
        if self._failure:
            raise self._failure
        cursor = self._cursor
        cursor.execute("SAVEPOINT one")
        try:
            result = write(cursor)
        except Exception as error:
            self._fail(error)
            if self._failure:
                raise self._failure from error
            cursor.execute("ROLLBACK TO one")
            cursor.execute("RELEASE one")
            raise
        cursor.execute("RELEASE one")
        if job:
            self._made.append(job)
        return result

    def _fail(self, error: BaseException) -> None:
        """Note what undoes the whole group, if this error does."""
        found = trouble(error, self.path)
        if isinstance(found, StoreError):
            self._failure = found
        elif not self._db.in_transaction:
            self._failure = StoreError(f"{self.path} could not be written: {error}")

    def _ended(self) -> tuple[Sequence[_Job], StoreError | None]:
        """Commit the transaction, or undo it; its writes, and what undid them."""
        try:
            if self._failure is None:
                self._cursor.execute("COMMIT")
        except sqlite3.Error as error:
            self._fail(error)
        if self._failure and self._db.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._cursor.execute("ROLLBACK")
        ended = self._made, self._failure
        self._made, self._failure = [], None
        return ended

    def _settle(self, ended: tuple[Sequence[_Job], StoreError | None]) -> None:
        """Answer those who wait, and keep what is to be made with a later group."""
        jobs, failure = ended
        if failure:
            kept = [job for job in jobs if job.done is None]
            with self._wake:
                self._waiting[:0] = kept
        if bool(failure) is not self._is_in_trouble:
            self._is_in_trouble = bool(failure)
            if failure:
                _log.error("the store cannot be written: %s", failure)
            else:
                _log.warning("the store can be written again")
        for job in jobs:
            if job.done is None or not job.done.set_running_or_notify_cancel():
                continue
            if failure:
                job.done.set_exception(failure)
            else:
                job.done.set_result(job.result)


def _nothing(cursor: sqlite3.Cursor) -> None: ...
