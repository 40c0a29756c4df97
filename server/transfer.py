"""`arbiter export` and `arbiter import`: all items between an export and a file or a table.

Invariant: damage, newer formats and items that differ are found before anything is written.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from arbiter.adapters.items.attributes import Item
from arbiter.core.game import Game
from server import export_file

T = TypeVar("T")

_AT_ONCE = 200
"""Items of one batch: at most 80 MB, usually less than one."""

_SHOWN = 5

Change = tuple[Item | None, Item]
"""The item that is stored, and the one to write in its place."""


class Source(Protocol):
    """A store that items come from."""

    def everything(self) -> Iterator[Item]:
        """All items, in any order. Raises TransferFailed."""
        ...


class Target(Protocol):
    """A store that items go to."""

    def stored(self, items: Sequence[Item]) -> Mapping[str, Item]:
        """The stored items of these items' keys, by key. Raises TransferFailed."""
        ...

    def write(self, changes: Sequence[Change], games: Sequence[Game]) -> None:
        """Write these items, and set the timers of these games. Raises TransferFailed."""
        ...


def export_to(path: Path, source: Source) -> export_file.ExportChecksum:
    """Write all items to a new file, named when it is complete; its sum. Raises TransferFailed."""
    if path.exists():
        raise export_file.TransferFailed(f"{path} exists: name another file")
    unfinished = path.with_name(f"{path.name}.unfinished")
    checksum = export_file.ExportChecksum()
    try:
        # Games are for their players: other users of the machine do not read them.
        with open(unfinished, "wb", opener=_private) as file:
            file.writelines(export_file.lines_of(source.everything(), checksum))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise export_file.TransferFailed(f"{path} cannot be written: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return checksum


def check(path: Path) -> export_file.ExportChecksum:
    """Read a whole export; what it holds. Raises TransferFailed."""
    with _items(path) as (items, checksum):
        for _ in items:
            pass
    return checksum


def import_from(path: Path, target: Target, *, is_replacing: bool) -> int:
    """Write what the target lacks, or all that differs, and timers. Raises TransferFailed."""
    check(path)
    if not is_replacing:
        _refuse_differing(path, target)
    written = 0
    with _items(path) as (items, _):
        for batch in _batches(items):
            changes = [*_changes(batch, target)]
            games = [game for game in map(export_file.running_game, batch) if game]
            target.write(changes, games)
            written += len(changes)
    return written


def _refuse_differing(path: Path, target: Target) -> None:
    differing: list[str] = []
    with _items(path) as (items, _):
        for batch in _batches(items):
            differing += [
                item["pk"]["S"]
                for stored, item in _changes(batch, target)
                if stored is not None and not export_file.is_outages(item)
            ]
    if differing:
        names = ", ".join(differing[:_SHOWN]) + (", …" if len(differing) > _SHOWN else "")
        raise export_file.TransferFailed(
            f"{len(differing)} items are there already and differ ({names}): nothing was written; "
            "--replace writes the file's in their place"
        )


def _changes(batch: Sequence[Item], target: Target) -> Iterator[Change]:
    stored = target.stored(batch)
    for item in batch:
        found = stored.get(item["pk"]["S"])
        if found is None:
            yield None, item
        elif export_file.canonical(found) != item and not (
            export_file.is_outages(item) and export_file.has_continued(found, item)
        ):
            yield found, item


@contextlib.contextmanager
def _items(path: Path) -> Iterator[tuple[Iterator[Item], export_file.ExportChecksum]]:
    checksum = export_file.ExportChecksum()
    try:
        with path.open("rb") as file:
            yield export_file.items_of(_lines(file), checksum), checksum
    except OSError as error:
        raise export_file.TransferFailed(
            f"{path} cannot be read: {error.strerror or error}"
        ) from error


def _lines(file: BinaryIO) -> Iterator[bytes]:
    # A copy as text, to or on Windows, ends lines in another way.
    return iter(lambda: file.readline(export_file.MAX_LINE).replace(b"\r\n", b"\n"), b"")


def _batches(items: Iterable[T]) -> Iterator[Sequence[T]]:
    rest = iter(items)
    while batch := [*islice(rest, _AT_ONCE)]:
        yield batch


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
