"""The PGN of finished games, each written once: the SAN of a ply takes 60 microseconds."""

from collections import OrderedDict
from typing import Protocol

MAX_CHARS = 2_000_000
"""Some two thousand games, or thirty of the longest that have a note."""


class Pgns(Protocol):
    """Keeps texts by name. What is kept may be forgotten at any time. Thread-safe; never raises."""

    def get(self, name: str) -> str | None: ...

    def keep(self, name: str, text: str) -> None: ...


class PgnCache:
    """`Pgns` in memory: those asked for last."""

    def __init__(self, most_chars: int = MAX_CHARS) -> None:
        self._most_chars = most_chars
        self._chars = 0
        self._texts: OrderedDict[str, str] = OrderedDict()

    def get(self, name: str) -> str | None:
        text = self._texts.get(name)
        if text is not None:
            self._texts[name] = self._texts.pop(name, text)
        return text

    def keep(self, name: str, text: str) -> None:
        self._chars += len(text) - len(self._texts.pop(name, ""))
        self._texts[name] = text
        while self._chars > self._most_chars:
            self._chars -= len(self._texts.popitem(last=False)[1])
