"""The bounds by which commands are judged: ours, and those that an operator may choose."""

from dataclasses import dataclass

from arbiter.core.clocks import DAY_MS

STALE_AFTER_MS = 60_000
"""A move that names no state and was signed this long before the state it would answer is taken
for a replay.
"""

STATE_KNOWN_MS = 60 * 60_000
"""For so long a state is known again by every id under which it was told."""

FUTURE_MS = 15 * 60_000
"""A move signed this far in the future is refused: its date would outlive every memory of it."""

SILENT_MS = 3 * DAY_MS
"""How long the opponent thinks, in a game by days or without a clock, before the waiting player may
give notice."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What an operator may choose.

    ``illegal_moves_to_lose``: the n-th illegal move of a player loses the game; 0 never.
    ``work_of_strangers``: the bits of NIP-13 work that somebody never seen before must show.
    ``takebacks``: whether a move may be taken back; not where somebody has no word to answer it.
    ``silent_ms``: how long an opponent thinks who may be given notice; longer where news travels
    slowly.
    """

    illegal_moves_to_lose: int = 3
    work_of_strangers: int = 0
    takebacks: bool = True
    silent_ms: int = SILENT_MS


USUAL_RULES = Rules()
"""What holds where an operator chose nothing."""
