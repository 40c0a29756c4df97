"""Faults of the file, in words for the operator: callers see no ``sqlite3.Error`` for them."""

import sqlite3
from pathlib import Path


class StoreError(Exception):
    """The file could not be opened, read or written. Nothing of the failed write is stored."""


class StoreInUse(StoreError):
    """Another process has this file open."""


class StoreCorrupt(StoreError):
    """The file is damaged, or it is no arbiter's file."""


class StoreTooNew(StoreError):
    """A later release wrote the file."""


class StoreFull(StoreError):
    """The disk is full, or the file has reached its largest size."""


class StoreClosed(StoreError):
    """The store was closed before this write was taken."""


_IN_USE = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_DISK = {
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_PROTOCOL,
}


def trouble(error: BaseException, path: Path) -> BaseException:
    """The exception to raise for this error: ours for trouble with the file, else the same."""
    if not isinstance(error, sqlite3.Error):
        return error
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return error
    name: str = getattr(error, "sqlite_errorname", str(code))
    # The low byte is the primary code; extended ones say more in the rest.
    primary = code & 0xFF
    if primary == sqlite3.SQLITE_FULL:
        return StoreFull(f"no room on the disk for {path}: nothing was written")
    if primary in _IN_USE:
        return StoreInUse(f"another process has {path} open")
    if primary in _CORRUPT:
        return StoreCorrupt(f"{path} is damaged, or no arbiter's file: restore a backup")
    return StoreError(f"{path} cannot be used: {name}") if primary in _DISK else error
