"""Time controls, clocks, and pauses during relay outages.

Invariant: nothing ticks. A clock stores what was left when its side began to think, and when that
was; the rest is computed from the time of the question. Pauses are computed from the list of
outages and never stored in a game, so none is counted twice. Durations are in milliseconds, times
in unix milliseconds by the arbiter's clock.
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

MAX_LATE_MS = 10_000
"""The most that the opponent's clock is charged for the time a public move waited to be decided;
never more than half of what they have left.
"""

LEAST_START_MS = 3000

SETTLE_MS = 2000
"""Time after the deadline before a flag may be called: a move received in time may still be queued.
"""

FIRST_MOVE_MS = 30_000
"""Time for each side's first move in a live game, before any clock runs."""

LOOK_AGAIN_MS = 5000
"""Minimum delay of a timer that found a clock paused."""

MAX_LOOKS = 4
"""Looks at one thought because the opponent has less time."""

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
        """Time on each clock before the game. Without a base it is one increment, at least three
        seconds.
        """
        return self.move_ms or self.base_ms or max(self.increment_ms, LEAST_START_MS)

    def __str__(self) -> str:
        """The text of a ``time`` tag, as ``read_time`` parses it."""
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
    """Time left for each side when the side to move began to think (``since_ms``); after the end of
    the game, at the end.
    """

    control: TimeControl
    white_ms: int
    black_ms: int
    since_ms: int

    def left_ms(self, *, white: bool) -> int:
        """Time left for this side at ``since_ms``."""
        return self.white_ms if white else self.black_ms

    def deadline_ms(self, ply: int, *, white: bool) -> int:
        """The time at which the side to move loses on time, lag included. In a live game the first
        move of each side has a limit of its own, and no clock runs.
        """
        if ply < 2 and self.control.is_live:  # noqa: PLR2004 - one first move each
            return self.since_ms + FIRST_MOVE_MS
        return self.since_ms + self.left_ms(white=white) + LAG_MS

    def at(self, ply: int, at_ms: int, *, white: bool) -> "Clocks":
        """Return the clocks as they show at that time, while this side thinks. The lag that a move
        is forgiven is not charged, and without a running clock nothing is.
        """
        left_ms = self.left_ms(white=white)
        if ply >= 2 or not self.control.is_live:  # noqa: PLR2004 - one first move each
            left_ms = max(0, min(left_ms, self.deadline_ms(ply, white=white) - at_ms))
        if white:
            return Clocks(self.control, left_ms, self.black_ms, at_ms)
        return Clocks(self.control, self.white_ms, left_ms, at_ms)

    def after_move(
        self, ply: int, received_at_ms: int, now_ms: int, *, white: bool, late_ms: int = 0
    ) -> "Clocks":
        """The clocks after a move of this side in time; ``ply`` counts the moves before it.

        The mover is charged until ``received_at_ms``, the opponent from ``late_ms`` before
        ``now_ms``. Listeners' clocks may differ: a negative duration charges nothing.
        """
        left = self.left_ms(white=white)
        if self.control.move_ms:
            left = self.control.move_ms
        elif ply >= 2:  # noqa: PLR2004 - as above
            left = max(0, left - self.thought_ms(ply, received_at_ms)) + self.control.increment_ms
        since_ms = now_ms - late_ms
        if white:
            return Clocks(self.control, left, self.black_ms, since_ms)
        return Clocks(self.control, self.white_ms, left, since_ms)

    def thought_ms(self, ply: int, until_ms: int) -> int:
        """Time that the side to move has used by ``until_ms``, lag deducted; 0 while no clock runs
        and in games by days.
        """
        if self.control.move_ms or ply < 2:  # noqa: PLR2004 - one first move each
            return 0
        return max(0, until_ms - self.since_ms - LAG_MS)

    def late_ms(self, ply: int, received_at_ms: int, now_ms: int, *, white: bool) -> int:
        """Part of a public move's wait, beyond the usual lag, that is charged to the opponent, who
        could read the move; 0 for the first move of each side.
        """
        if ply < 2:  # noqa: PLR2004 - as above
            return 0
        waited_ms = now_ms - max(received_at_ms, self.since_ms) - LAG_MS
        most_ms = min(MAX_LATE_MS, self.left_ms(white=not white) // 2)
        return max(0, min(waited_ms, most_ms))

    def taken_back(self, earned: Sequence[bool], now_ms: int) -> "Clocks":
        """The clocks after a takeback: time stays spent, and the increments of the moves taken back
        are deducted. ``earned`` says for each of them whether White made it.
        """
        increment_ms = self.control.increment_ms
        white_ms = max(0, self.white_ms - increment_ms * sum(earned))
        black_ms = max(0, self.black_ms - increment_ms * (len(earned) - sum(earned)))
        return Clocks(self.control, white_ms, black_ms, now_ms)

    def charged(self, spent_ms: int, *, white: bool) -> "Clocks":
        """The clocks with ``spent_ms`` deducted from this side."""
        left_ms = max(0, self.left_ms(white=white) - spent_ms)
        if white:
            return Clocks(self.control, left_ms, self.black_ms, self.since_ms)
        return Clocks(self.control, self.white_ms, left_ms, self.since_ms)


def start_clocks(control: TimeControl, at_ms: int) -> Clocks:
    """The clocks of a game that begins at ``at_ms``."""
    return Clocks(control, control.start_ms, control.start_ms, at_ms)


OUTAGE_AFTER_MS = 15_000
"""No relay for longer than this is an outage. Listeners report every five seconds."""

IDLE_REPORT_MS = 60_000
"""Interval of listeners' reports while no event comes. Silence begins that much later."""

ACTIVE_MS = 4 * 60 * 60 * 1000
"""Time after an event in which listeners report often: more than a thought in a live game."""

FOR_GOOD_MS = 10**14
"""Active without end, as reports of earlier releases were. The year 5138, in unix milliseconds."""

RETURN_MS = 10_000
"""Pause of a clock beyond the outage itself: clients have to reconnect."""

MAX_MS = DAY_MS
"""At most this much of one outage is given back."""

OUTAGES_KEPT = 20


@dataclass(frozen=True, slots=True)
class Outage:
    """From the last report of a connected relay until the next."""

    from_ms: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class RelayUptime:
    """The last report of a connected relay by a listener, and the latest outages before that,
    oldest first. Until ``active_until_ms`` listeners report often, since they heard events.
    """

    reported_at_ms: int
    outages: tuple[Outage, ...] = ()
    active_until_ms: int = FOR_GOOD_MS

    def after_report(self, at_ms: int, active_until_ms: int = FOR_GOOD_MS) -> "RelayUptime":
        """The uptime after such a report. Listeners' clocks may differ: an earlier time changes
        nothing.
        """
        if at_ms <= self.reported_at_ms:
            return self
        outages = self.outages
        if self.is_silent(at_ms):
            outages = (*outages, Outage(self.reported_at_ms, at_ms))[-OUTAGES_KEPT:]
        if self.active_until_ms != FOR_GOOD_MS:
            active_until_ms = max(active_until_ms, self.active_until_ms)
        return RelayUptime(at_ms, outages, active_until_ms)

    def is_silent(self, at_ms: int) -> bool:
        """Whether an outage is under way at that time."""
        is_idle = self.reported_at_ms >= self.active_until_ms
        return at_ms - self.reported_at_ms > OUTAGE_AFTER_MS + IDLE_REPORT_MS * is_idle

    def paused_ms(self, since_ms: int, until_ms: int, now_ms: int | None = None) -> int:
        """Return the time for which a clock was paused between ``since_ms`` and ``until_ms``.
        ``now_ms`` (default ``until_ms``) decides whether the last silence has become an outage.
        """
        is_silent = self.is_silent(until_ms if now_ms is None else max(until_ms, now_ms))
        going_on = (Outage(self.reported_at_ms, until_ms),) if is_silent else ()
        counted_to_ms, paused_ms = since_ms, 0
        for outage in (*self.outages, *going_on):
            length_ms = min(outage.until_ms - outage.from_ms, MAX_MS)
            ends_ms = min(outage.from_ms + length_ms + RETURN_MS, until_ms)
            begins_ms = max(outage.from_ms, counted_to_ms)
            if ends_ms > begins_ms:
                paused_ms += ends_ms - begins_ms
                counted_to_ms = ends_ms
        return paused_ms
