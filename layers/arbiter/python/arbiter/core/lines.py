"""Conditional moves: the lines of half-moves that a player gave for a slow game.

Invariant: each goes on from the present position, and ends with a move of its player; another move
than its next drops it.
"""

from dataclasses import dataclass, field, replace

import chess

MAX_LINES = 30
MAX_LINE_PLIES = 30

Line = tuple[chess.Move, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of one player, set by the event with this key, ``made_at_ms`` (unix), at
    ``set_at_ply``. Empty ones are kept, for an older event sets nothing.
    """

    event_key: bytes
    made_at_ms: int
    set_at_ply: int
    lines: tuple[Line, ...] = field(repr=False)

    def after(self, move: chess.Move) -> "Lines":
        if not self.lines:
            return self
        rest = (line[1:] for line in self.lines if line[0] == move)
        return replace(self, lines=tuple(line for line in rest if line))


BothLines = tuple[Lines | None, Lines | None]
"""Black's and White's: a colour of python-chess is the index."""

NO_LINES: BothLines = (None, None)


def lines_after(both: BothLines, move: chess.Move) -> BothLines:
    black, white = both
    return (black and black.after(move), white and white.after(move))


def dropped(both: BothLines) -> BothLines:
    black, white = both
    return (black and replace(black, lines=()), white and replace(white, lines=()))
