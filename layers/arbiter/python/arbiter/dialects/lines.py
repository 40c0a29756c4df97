"""The text of conditional moves within its encryption: UCI, a line in each row.

Invariant: what is said of a flaw names no move, for its author is told in the open.
"""

import re

from arbiter.core.lines import MAX_LINE_PLIES, MAX_LINES, Lines

WORD = "lines"
PREFIX = f"{WORD}:"

MAX_SEALED_CHARS = 16_384
"""Of a payload; thirty lines of thirty promotions take 7,500."""

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")


def read_lines(text: str) -> tuple[tuple[str, ...], ...] | str:
    """The lines of a text, or what is wrong with it. Empty ones are none."""
    lines = [tuple(line.lower().split()) for line in text.split("\n") if line.strip()]
    if len(lines) > MAX_LINES:
        return f"{len(lines)} lines: {MAX_LINES} at most"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE_PLIES:
            return f"line {number} has {len(line)} plies: {MAX_LINE_PLIES} at most"
        for ply, move in enumerate(line, 1):
            if not _MOVE.fullmatch(move):
                return f"line {number}, ply {ply} is no move such as e2e4"
    return tuple(lines)


def text_of(lines: Lines | None) -> str:
    """The text that ``read_lines`` reads; a line's end for none, as nothing cannot be encrypted."""
    kept = lines.lines if lines else ()
    return "\n".join(" ".join(move.uci() for move in line) for line in kept) or "\n"
