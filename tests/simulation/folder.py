"""A folder in memory, as much of `pathlib.Path` as the bridge uses of its own.

Each change is a call at whose sides the process may die; what was written by then stays.
"""

import json
from collections.abc import Callable


class Folder:
    """Files by their names. ``port`` is told of either side of each change."""

    def __init__(self, port: Callable[[str], None]) -> None:
        self.port = port
        self.files: dict[str, str] = {}

    def __truediv__(self, name: str) -> "File":
        return File(self, name)

    def marks(self, name: str) -> list[tuple[int, int]]:
        """The pairs of numbers that a file holds as JSON; none if it is missing."""
        return [(place, at) for place, at in json.loads(self.files.get(name, "[]"))]


class File:
    """One name in a folder, whether or not there is such a file."""

    def __init__(self, folder: Folder, name: str) -> None:
        self._folder = folder
        self._name = name

    def with_suffix(self, suffix: str) -> "File":
        return File(self._folder, self._name.rpartition(".")[0] + suffix)

    def read_text(self, encoding: str) -> str:
        del encoding
        if self._name not in self._folder.files:
            raise FileNotFoundError(self._name)
        return self._folder.files[self._name]

    def write_text(self, text: str, encoding: str) -> None:
        del encoding
        self._folder.port("disk.write.asked")
        self._folder.files[self._name] = text
        self._folder.port("disk.write.done")

    def replace(self, other: "File") -> None:
        self._folder.port("disk.replace.asked")
        self._folder.files[other._name] = self._folder.files.pop(self._name)
        self._folder.port("disk.replace.done")

    def unlink(self, *, missing_ok: bool) -> None:
        del missing_ok
        self._folder.files.pop(self._name, None)
