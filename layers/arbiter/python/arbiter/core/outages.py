"""When no relay was heard, and for how long a clock stood still because of it.

The law: nothing of this is stored in a game. How long its clock stood still is a sum, made anew
from the same outages whenever somebody asks, so it can be added twice by nobody. All times are unix
milliseconds.
"""

from dataclasses import dataclass, replace

from arbiter.core.timing import DAY_MS

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
