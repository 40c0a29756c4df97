"""Time controls, clocks, and pauses during relay outages.

Invariant: nothing ticks: a clock stores what was left when its side began to think, and when.
Pauses come of the list of outages, never stored in a game. All is in (unix) milliseconds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_BASE_SECONDS = 10_800
MAX_INCREMENT_SECONDS = 180
MAX_DAYS = 14
DAY_MS = 24 * 60 * 60 * 1000

LAG_MS = 1000
"""Lag compensation for each move. Chess servers forgive two seconds at most."""

LEAST_START_MS = 3000

SETTLE_MS = 2000
"""Time after the deadline before a flag may be called: a move received in time may still be queued.
"""

FIRST_MOVE_MS = 30_000
"""Time for each side's first move in a live game, before any clock runs."""

UNTIMED_FIRST_MOVE_MS = 120_000
"""The same in a game without clocks between players who met in a pool."""

_FISCHER = re.compile(r"([0-9]{1,5})\+([0-9]{1,3})")
_DAYS = re.compile(r"([0-9]{1,2})d")


class Speed(StrEnum):
    """The speed of a game; ratings are kept for each."""

    BULLET = "bullet"
    BLITZ = "blitz"
    RAPID = "rapid"
    CLASSICAL = "classical"
    CORRESPONDENCE = "correspondence"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """``base_ms`` for the whole game and ``increment_ms`` a move; or ``move_ms`` for each move."""

    base_ms: int = 0
    increment_ms: int = 0
    move_ms: int = 0

    @property
    def is_live(self) -> bool:
        """Whether the players are at the board together: any control but days for a move."""
        return not self.move_ms

    @property
    def speed(self) -> Speed:
        """By estimated duration, as on lichess: base plus 40 increments."""
        if self.move_ms:
            return Speed.CORRESPONDENCE
        estimate_ms = self.base_ms + 40 * self.increment_ms
        limits = ((180, Speed.BULLET), (480, Speed.BLITZ), (1500, Speed.RAPID))
        return next((s for limit, s in limits if estimate_ms < limit * 1000), Speed.CLASSICAL)

    @property
    def start_ms(self) -> int:
        """Time on each clock before the game; without a base one increment, at least 3 s."""
        return self.move_ms or self.base_ms or max(self.increment_ms, LEAST_START_MS)

    def __str__(self) -> str:
        if self.move_ms:
            return f"{self.move_ms // DAY_MS}d"
        return f"{self.base_ms // 1000}+{self.increment_ms // 1000}"


def read_time(text: str) -> TimeControl | None:
    """``180+2`` (seconds) or ``3d`` (days a move); None for anything else or out of bounds."""
    if days := _DAYS.fullmatch(text):
        number = int(days[1])
        return TimeControl(move_ms=number * DAY_MS) if 1 <= number <= MAX_DAYS else None
    if not (fischer := _FISCHER.fullmatch(text)):
        return None
    base, increment = int(fischer[1]), int(fischer[2])
    if base > MAX_BASE_SECONDS or increment > MAX_INCREMENT_SECONDS or base + increment == 0:
        return None
    return TimeControl(base_ms=base * 1000, increment_ms=increment * 1000)


@dataclass(frozen=True, slots=True)
class Clocks:
    """Time left for each side when the side to move began to think, or at the end of the game."""

    control: TimeControl
    white_ms: int
    black_ms: int
    since_ms: int

    def left_ms(self, *, white: bool) -> int:
        return self.white_ms if white else self.black_ms

    def deadline_ms(self, ply: int, *, white: bool) -> int:
        """The time at which the mover loses, lag included; first moves have a limit."""
        if ply < 2 and self.control.is_live:  # noqa: PLR2004 - one first move each
            return self.since_ms + FIRST_MOVE_MS
        return self.since_ms + self.left_ms(white=white) + LAG_MS

    def at(self, ply: int, at_ms: int, *, white: bool) -> "Clocks":
        """The clocks as shown then, while this side thinks: forgiven lag is not charged."""
        left_ms = self.left_ms(white=white)
        if ply >= 2 or not self.control.is_live:  # noqa: PLR2004 - one first move each
            left_ms = max(0, min(left_ms, self.deadline_ms(ply, white=white) - at_ms))
        if white:
            return Clocks(self.control, left_ms, self.black_ms, at_ms)
        return Clocks(self.control, self.white_ms, left_ms, at_ms)

    def after_move(self, ply: int, received_at_ms: int, now_ms: int, *, white: bool) -> "Clocks":
        """The clocks after a move of this side in time; ``ply`` counts those before. The mover is
        charged until ``received_at_ms``, the opponent from ``now_ms``: what lies between is our
        delay.
        """
        left = self.left_ms(white=white)
        if self.control.move_ms:
            left = self.control.move_ms
        elif ply >= 2:  # noqa: PLR2004 - as above
            left = max(0, left - self.thought_ms(ply, received_at_ms)) + self.control.increment_ms
        if white:
            return Clocks(self.control, left, self.black_ms, now_ms)
        return Clocks(self.control, self.white_ms, left, now_ms)

    def thought_ms(self, ply: int, until_ms: int) -> int:
        """Time that the side to move used, lag deducted; 0 in games by days or not begun."""
        if self.control.move_ms or ply < 2:  # noqa: PLR2004 - one first move each
            return 0
        return max(0, until_ms - self.since_ms - LAG_MS)

    def taken_back(self, earned: Sequence[bool], now_ms: int) -> "Clocks":
        """The clocks after a takeback, without increments; ``earned``: whether White made each."""
        increment_ms = self.control.increment_ms
        white_ms = max(0, self.white_ms - increment_ms * sum(earned))
        black_ms = max(0, self.black_ms - increment_ms * (len(earned) - sum(earned)))
        return Clocks(self.control, white_ms, black_ms, now_ms)

    def charged(self, spent_ms: int, *, white: bool) -> "Clocks":
        left_ms = max(0, self.left_ms(white=white) - spent_ms)
        if white:
            return Clocks(self.control, left_ms, self.black_ms, self.since_ms)
        return Clocks(self.control, self.white_ms, left_ms, self.since_ms)


def start_clocks(control: TimeControl, at_ms: int) -> Clocks:
    return Clocks(control, control.start_ms, control.start_ms, at_ms)
