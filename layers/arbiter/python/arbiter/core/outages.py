"""Outages: times in which no relay was heard, while no clock runs."""

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
