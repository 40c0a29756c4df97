"""The place in the log up to which envelopes have been sent, kept in a file.

Invariant: losing it is harmless, since an envelope sent twice is one message to a game. It stays
some minutes behind, since an emulated cloud may lose its last seconds.
"""

import json
from pathlib import Path

OVERLAP_SECONDS = 600
_APART_SECONDS = 60
_NAME = "cursor.json"


class Cursor:
    """The places reached, with the time (unix seconds) at which each was."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / _NAME
        self._marks = _read(self._file)

    def starts_after(self, now_s: int) -> int:
        """The place to read on from: the one reached some minutes ago, or -1 for the beginning."""
        reached = [place for place, at_s in self._marks if at_s <= now_s - OVERLAP_SECONDS]
        return max(reached, default=-1)

    def advance(self, place: int, now_s: int) -> None:
        """Everything up to this place has been sent."""
        if self._marks and place < self._marks[-1][0]:
            return  # It is being sent again.
        *before, last = self._marks or [(place, now_s)]
        is_near = before and now_s - before[-1][1] < _APART_SECONDS
        marks = [*before, *([] if is_near else [last]), (place, now_s)]
        old = [it for it in marks if it[1] <= now_s - OVERLAP_SECONDS]
        self._marks = marks[max(len(old) - 1, 0) :]
        draft = self._file.with_suffix(".new")
        draft.write_text(json.dumps(self._marks), encoding="ascii")
        draft.replace(self._file)


def _read(file: Path) -> list[tuple[int, int]]:
    try:
        told = json.loads(file.read_text(encoding="ascii"))
        return [(int(place), int(at_s)) for place, at_s in told]
    except (OSError, ValueError, TypeError):
        return []
