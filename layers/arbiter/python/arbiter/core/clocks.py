"""Time controls, and the clocks that follow from them by arithmetic.

The law: nothing ticks. A clock is what was left when its side began to think, and when that was;
everything else is computed from the time at which somebody asks. All times are milliseconds, and
all moments are unix milliseconds by the arbiter's own clocks.

When no relay was heard, and for how long a clock stood still because of it.

The law: nothing of this is stored in a game. How long its clock stood still is a sum, made anew
from the same outages whenever somebody asks, so it can be added twice by nobody. All times are unix
milliseconds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

MAX_BASE_SECONDS = 10_800
MAX_INCREMENT_SECONDS = 180
MAX_DAYS = 14
DAY_MS = 24 * 60 * 60 * 1000

LAG_MS = 1000
"""What is forgiven of every move for its way over the relays; two seconds is the most that good
servers forgive."""

MOST_LATE_MS = 10_000
"""How much of the time in which a public move waited to be decided the opponent's clock runs, at
most; and no more than half of what they have left."""

LEAST_START_MS = 3000

SETTLE_MS = 2000
"""How long after the deadline a flag may be called: a move received in time may still be queued."""

FIRST_MOVE_MS = 30_000
"""How long each side may take for its first move in a live game, before any clock runs."""

LOOK_AGAIN_MS = 5000
"""How long a timer waits at least that found a clock standing still."""

_FISCHER = re.compile(r"([0-9]{1,5})\+([0-9]{1,3})")
_DAYS = re.compile(r"([0-9]{1,2})d")


class Speed(StrEnum):
    """How fast a game is, which is what ratings are kept for."""

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
        """Whether the players sit at the board together."""
        return not self.move_ms

    @property
    def speed(self) -> Speed:
        """By the estimated time of a side: the base and forty increments."""
        if self.move_ms:
            return Speed.CORRESPONDENCE
        estimate_ms = self.base_ms + 40 * self.increment_ms
        limits = ((180, Speed.BULLET), (480, Speed.BLITZ), (1500, Speed.RAPID))
        return next((s for limit, s in limits if estimate_ms < limit * 1000), Speed.CLASSICAL)

    @property
    def start_ms(self) -> int:
        """What each clock shows before the game. Without a base it begins with one increment, and
        three seconds at least: nobody could make a second move in nothing.
        """
        return self.move_ms or self.base_ms or max(self.increment_ms, LEAST_START_MS)

    def __str__(self) -> str:
        """As it is written in a ``time`` tag, and as ``read_time`` reads it."""
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
    """What each side had left when the side to move began to think, and when that was."""

    control: TimeControl
    white_ms: int
    black_ms: int
    since_ms: int

    def left_ms(self, *, white: bool) -> int:
        """What this side had left then."""
        return self.white_ms if white else self.black_ms

    def deadline_ms(self, ply: int, *, white: bool) -> int:
        """When the side to move has run out of time, the lag included.

        Before both have moved no clock runs in a live game, and the first move has a limit of its
        own.
        """
        if ply < 2 and self.control.is_live:  # noqa: PLR2004 - one first move each
            return self.since_ms + FIRST_MOVE_MS
        return self.since_ms + self.left_ms(white=white) + LAG_MS

    def after_move(
        self, ply: int, received_at_ms: int, now_ms: int, *, white: bool, late_ms: int = 0
    ) -> "Clocks":
        """The clocks when this side's move, the ``ply``-th counted from 0, was received in time.

        The mover is charged until their move was received, the opponent from ``late_ms`` before
        ``now_ms``. A clock that went back, between two listeners, charges nothing.
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
        """What the side to move has used of the ``ply``-th move until then, less the way; nothing
        while no clock runs, and where each move has days of its own.
        """
        if self.control.move_ms or ply < 2:  # noqa: PLR2004 - one first move each
            return 0
        return max(0, until_ms - self.since_ms - LAG_MS)

    def late_ms(self, ply: int, received_at_ms: int, now_ms: int, *, white: bool) -> int:
        """How long this side's move, which everybody could read, waited to be decided beyond the
        usual lag, as far as the opponent's clock runs for it. Nothing for the first move of each.
        """
        if ply < 2:  # noqa: PLR2004 - as above
            return 0
        waited_ms = now_ms - max(received_at_ms, self.since_ms) - LAG_MS
        most_ms = min(MOST_LATE_MS, self.left_ms(white=not white) // 2)
        return max(0, min(waited_ms, most_ms))

    def taken_back(self, earned: Sequence[bool], now_ms: int) -> "Clocks":
        """The clocks when moves are undone: the time is spent, and the increments go with the moves
        that earned them. ``earned`` has for each such move whether White made it.
        """
        increment_ms = self.control.increment_ms
        white_ms = max(0, self.white_ms - increment_ms * sum(earned))
        black_ms = max(0, self.black_ms - increment_ms * (len(earned) - sum(earned)))
        return Clocks(self.control, white_ms, black_ms, now_ms)

    def charged(self, spent_ms: int, *, white: bool) -> "Clocks":
        """The clocks when this side has spent so much more."""
        left_ms = max(0, self.left_ms(white=white) - spent_ms)
        if white:
            return Clocks(self.control, left_ms, self.black_ms, self.since_ms)
        return Clocks(self.control, self.white_ms, left_ms, self.since_ms)


def start_clocks(control: TimeControl, at_ms: int) -> Clocks:
    """The clocks of a game that begins then."""
    return Clocks(control, control.start_ms, control.start_ms, at_ms)


SILENCE_MS = 15_000
"""How long nothing may be noted before that is an outage. Listeners note every five seconds."""

RETURN_MS = 10_000
"""How much longer a clock stands still after an outage: clients must first find back."""

LONGEST_MS = DAY_MS
"""How much of one outage is given back at most."""

OUTAGES_KEPT = 20


@dataclass(frozen=True, slots=True)
class Outage:
    """From the last time that a relay was heard until the next."""

    from_ms: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class RelayUptime:
    """When some listener last heard some relay, and the latest outages before that, in order."""

    heard_at_ms: int
    outages: tuple[Outage, ...] = ()

    def heard(self, at_ms: int) -> "RelayUptime":
        """What is known after a relay was heard then. Listeners' clocks may differ: an earlier time
        changes nothing.
        """
        if at_ms <= self.heard_at_ms:
            return self
        if not self.is_silent(at_ms):
            return replace(self, heard_at_ms=at_ms)
        outage = Outage(self.heard_at_ms, at_ms)
        return RelayUptime(at_ms, (*self.outages, outage)[-OUTAGES_KEPT:])

    def is_silent(self, at_ms: int) -> bool:
        """Whether, as of that time, an outage goes on."""
        return at_ms - self.heard_at_ms > SILENCE_MS

    def paused_ms(self, since_ms: int, until_ms: int, now_ms: int | None = None) -> int:
        """For how much of the time between these two a clock stood still, as is known now (then, if
        not given): a silence may have been too short for an outage, and have turned out to be one.
        """
        is_silent = self.is_silent(until_ms if now_ms is None else max(until_ms, now_ms))
        going_on = (Outage(self.heard_at_ms, until_ms),) if is_silent else ()
        counted_to_ms, still_ms = since_ms, 0
        for outage in (*self.outages, *going_on):
            length_ms = min(outage.until_ms - outage.from_ms, LONGEST_MS)
            ends_ms = min(outage.from_ms + length_ms + RETURN_MS, until_ms)
            begins_ms = max(outage.from_ms, counted_to_ms)
            if ends_ms > begins_ms:
                still_ms += ends_ms - begins_ms
                counted_to_ms = ends_ms
        return still_ms
