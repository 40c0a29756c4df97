"""The times of the arbiter's answers, and how its clock and ours differ."""

from dataclasses import dataclass, replace

KEPT_SAMPLES = 16
SLOWEST_ROUND_TRIP_MS = 5_000
MAX_LEAD_MS = 60_000
"""By so much our clock may be off before dates are the arbiter's."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The last round trips, and how far our clock seemed ahead of the arbiter's; milliseconds."""

    round_trips: tuple[int, ...] = ()
    leads: tuple[int, ...] = ()

    @property
    def overhead_ms(self) -> int:
        """The time that the way takes of each move: the slowest of the last round trips."""
        return min(max(self.round_trips, default=0), SLOWEST_ROUND_TRIP_MS)

    @property
    def lead_ms(self) -> int:
        """Time by which our clock is ahead: the fastest message tells most exactly."""
        return min(self.leads, default=0)

    def round_trip(self, sent_at: float, answered_at: float) -> "Timing":
        """With one more question and answer."""
        took = max(0, round(answered_at - sent_at))
        return replace(self, round_trips=(*self.round_trips, took)[-KEPT_SAMPLES:])

    def received(self, dated_seconds: int, now: int) -> "Timing":
        """With one more event that the arbiter dated."""
        return replace(self, leads=(*self.leads, now - dated_seconds * 1000)[-KEPT_SAMPLES:])

    def to_seconds(self, now: int) -> int:
        """Now by the arbiter's clock, for `created_at`; ours if they agree within a minute."""
        lead = self.lead_ms if abs(self.lead_ms) > MAX_LEAD_MS else 0
        return (now - lead) // 1000


UNTIMED = Timing()
