"""Outages: times in which no relay was heard, or the arbiter was late, while no clock runs."""

from collections.abc import Iterable
from dataclasses import dataclass

from arbiter.core.clocks import DAY_MS

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


@dataclass(frozen=True, slots=True, order=True)
class Outage:
    """From the last report of a connected relay until the next; or a delay of the arbiter."""

    from_ms: int
    until_ms: int


def covered_ms(outages: Iterable[Outage], since_ms: int, until_ms: int) -> int:
    """The time between these two that outages cover, each moment of it once."""
    counted_to_ms, total_ms = since_ms, 0
    for outage in sorted(outages):
        begins_ms, ends_ms = max(outage.from_ms, counted_to_ms), min(outage.until_ms, until_ms)
        if ends_ms > begins_ms:
            total_ms += ends_ms - begins_ms
            counted_to_ms = ends_ms
    return total_ms


@dataclass(frozen=True, slots=True)
class RelayUptime:
    """The last report of a connected relay, and outages before, oldest first."""

    reported_at_ms: int
    outages: tuple[Outage, ...] = ()
    active_until_ms: int = FOR_GOOD_MS

    def after_report(self, at_ms: int, active_until_ms: int = FOR_GOOD_MS) -> "RelayUptime":
        """The uptime after such a report; an earlier one changes nothing, as clocks differ."""
        if at_ms <= self.reported_at_ms:
            return self
        outages = self.outages
        if self.is_silent(at_ms):
            outages = (*outages, Outage(self.reported_at_ms, at_ms))[-OUTAGES_KEPT:]
        if self.active_until_ms != FOR_GOOD_MS:
            active_until_ms = max(active_until_ms, self.active_until_ms)
        return RelayUptime(at_ms, outages, active_until_ms)

    def is_silent(self, at_ms: int) -> bool:
        is_idle = self.reported_at_ms >= self.active_until_ms
        return at_ms - self.reported_at_ms > OUTAGE_AFTER_MS + IDLE_REPORT_MS * is_idle

    def paused_ms(self, since_ms: int, until_ms: int, now_ms: int | None = None) -> int:
        """The pause of a clock in this time; by ``now_ms`` the last silence is an outage."""
        return covered_ms(self.pauses(until_ms, now_ms), since_ms, until_ms)

    def pauses(self, until_ms: int, now_ms: int | None = None) -> tuple[Outage, ...]:
        """The outages, as long as a clock pauses for each, and the one that goes on."""
        is_silent = self.is_silent(until_ms if now_ms is None else max(until_ms, now_ms))
        going_on = (Outage(self.reported_at_ms, until_ms),) if is_silent else ()
        return tuple(
            Outage(one.from_ms, min(one.until_ms, one.from_ms + MAX_MS) + RETURN_MS)
            for one in (*self.outages, *going_on)
        )
