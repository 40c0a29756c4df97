"""The clocks of a game, from what a state says each side had left and when time is up."""

from dataclasses import dataclass
from datetime import UTC, datetime

import chess

from clients.player.terms import TimeControl

FLAG_AFTER_MS = 3000
"""Time for which the opponent's time must have been up before we claim it."""

FIRST_MOVES = 2
"""Each side's first move has its own time limit, and no clock runs."""

_TENTHS_BELOW_MS = 10_000
_DAYS_OF_A_WEEK = 7
_DAY_MS, _HOUR_MS, _MINUTE_MS = 86_400_000, 3_600_000, 60_000


@dataclass(frozen=True, slots=True)
class Clock:
    """``deadline_ms`` (unix, by the arbiter's clock; None: nothing runs); ours is ``ahead_ms`` of
    it.
    """

    control: TimeControl
    white_ms: int
    black_ms: int
    deadline_ms: int | None
    turn: chess.Color
    ply: int
    ahead_ms: int = 0

    @property
    def first_moves(self) -> bool:
        """Whether the limit for a first move runs."""
        return self.ply < FIRST_MOVES and not self.control.days


def left_ms(clock: Clock, color: chess.Color, now: float) -> int:
    """The time left to a side: from 0 to what the state said. A clock rests for a second before it
    runs, since the forgiven lag is not shown.
    """
    left = _left(clock, color)
    if color != clock.turn or clock.deadline_ms is None or clock.first_moves:
        return left
    return max(0, min(left, _until_ms(clock, clock.deadline_ms, now)))


def first_move_ms(clock: Clock, now: float) -> int | None:
    """The time left for a first move; None while that limit does not run."""
    if not clock.first_moves or clock.deadline_ms is None:
        return None
    return max(0, _until_ms(clock, clock.deadline_ms, now))


def is_up(clock: Clock, now: float) -> bool:
    """Whether the time of the side to move has been up for long enough to claim it."""
    if clock.deadline_ms is None:
        return False
    return _until_ms(clock, clock.deadline_ms, now) <= -FLAG_AFTER_MS


def clock_words(clock: Clock, color: chess.Color, now: float) -> str:
    """``2:59``, ``9.4`` under ten seconds, ``2 d 4 h`` by days."""
    ms = left_ms(clock, color, now)
    return days_words(ms) if clock.control.days else live_words(ms)


def live_words(ms: int) -> str:
    """A live clock: tenths under ten seconds, hours when there are any."""
    if ms < _TENTHS_BELOW_MS:
        return f"{ms // 100 / 10:.1f}"
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def days_words(ms: int) -> str:
    """The two largest of days, hours and minutes; a live clock in the last hour."""
    if ms < _HOUR_MS:
        return live_words(ms)
    days, rest = divmod(ms, _DAY_MS)
    hours, minutes = rest // _HOUR_MS, rest % _HOUR_MS // _MINUTE_MS
    return f"{days} d {hours} h" if days else f"{hours} h {minutes} min"


def due_words(clock: Clock, now: float) -> str:
    """The deadline by days in this time zone, such as ``tomorrow, 18:40``; or empty."""
    if clock.deadline_ms is None or not clock.control.days:
        return ""
    return time_words((clock.deadline_ms + clock.ahead_ms) / 1000, now)


def time_words(at: float, now: float) -> str:
    """A time (unix seconds by our own clock) in this machine's time zone, seen from now."""
    due, today = (datetime.fromtimestamp(it, UTC).astimezone() for it in (at, now))
    days = (due.date() - today.date()).days
    week = f"{due:%A}" if 0 < days < _DAYS_OF_A_WEEK else f"{due.day} {due:%b}"
    day = {0: "today", 1: "tomorrow"}.get(days, week)
    return f"{day}, {due:%H:%M}"


def _left(clock: Clock, color: chess.Color) -> int:
    return clock.white_ms if color == chess.WHITE else clock.black_ms


def _until_ms(clock: Clock, deadline_ms: int, now: float) -> int:
    return deadline_ms + clock.ahead_ms - round(now * 1000)
