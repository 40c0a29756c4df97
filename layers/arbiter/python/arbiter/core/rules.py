"""Limits by which commands are decided: fixed ones, and those that an operator may set."""

from collections.abc import Callable
from dataclasses import dataclass

import chess

from arbiter.core.clocks import DAY_MS
from arbiter.core.helpmate import can_mate

STALE_AFTER_MS = 60_000
"""Signed so long before the present position without a state, a command is a replay."""

STATE_KNOWN_MS = 60 * 60_000
"""Time for which every id under which a state was published is recognized."""

FUTURE_MS = 15 * 60_000
"""A move dated this far ahead is refused: its date would outlive every memory of it."""

ABORT_NOTICE_AFTER_MS = 3 * DAY_MS
"""The opponent's time to think in a slow game before a notice of abort."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that an operator may set, and ``can_mate``: how it is found out whether a side
    could mate (FIDE 6.9, 7.5.5).

    ``illegal_moves_to_lose``: the n-th illegal move of a player loses; 0 for never.
    ``work_of_strangers``: bits of NIP-13 work that a new key must show. ``takebacks``: whether both
    dialects can express them. ``silent_ms``: see ``ABORT_NOTICE_AFTER_MS``; longer where messages
    travel slowly. ``abandoned_days``: a game by correspondence without a clock is closed after so
    many days without a move. ``open_games``: 1 where open games on wires without an arbiter are
    requests to play, else 0. ``left_seconds``: a game can be claimed when the player to move has
    been away for so long, and for a fifth of their time left, but three times as long at most.
    ``vacation_days``: what a player may take off in a year of a game by days.
    """

    illegal_moves_to_lose: int = 3
    work_of_strangers: int = 0
    takebacks: bool = True
    silent_ms: int = ABORT_NOTICE_AFTER_MS
    abandoned_days: int = 30
    open_games: int = 0
    left_seconds: int = 60
    vacation_days: int = 0
    can_mate: Callable[[chess.Board, chess.Color], bool] = can_mate


USUAL_RULES = Rules()
