"""Processes that die at a line: anywhere between a record's delivery and its end."""

import random
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any, Self

import arbiter

_HOME = Path(arbiter.__file__).parent
_WHERE = (
    "core/tournaments",
    "application/tournaments",
    "application/play/ends.py",
    "application/intake/batch.py",
    "application/reply/send.py",
    "application/reply/tournament_news.py",
    "adapters/items/stored_",
    "adapters/items/tournaments.py",
    "adapters/sqlite/table.py",
    "adapters/dynamodb/table.py",
    "dialects/tournament_events.py",
)
_PATHS = tuple(str(_HOME / name) for name in _WHERE)

AGAIN = 0.001
"""The chance that a line at which a process has died before is one again."""

Line = tuple[str, int]


class Death(BaseException):
    """The process was killed: nothing catches this."""


class Deaths:
    """While entered, the process dies at the first line at which none has died yet, or at another
    by chance. ``lines`` counts them.
    """

    def __init__(self) -> None:
        self.lines: Counter[Line] = Counter()
        self.chance = random.Random(0)

    def __enter__(self) -> Self:
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, _: Any) -> Any:
        del event
        return self._line if frame.f_code.co_filename.startswith(_PATHS) else None

    def _line(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            line = frame.f_code.co_filename, frame.f_lineno
            if line not in self.lines or self.chance.random() < AGAIN:
                self.lines[line] += 1
                raise Death(line)
        return self._line
