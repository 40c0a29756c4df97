"""The requests and moves that a player sent lately, and the times of its answers.

An answer names in `e` the event that it answers; the same word sent anew is another event.
"""

from dataclasses import dataclass, replace

from clients.player.events import Draft

KEPT = 32
KEPT_SAMPLES = 16
SLOWEST_ROUND_TRIP_MS = 5_000
MAX_LEAD_MS = 60_000
"""By so much our clock may be off before dates are the arbiter's."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Drafts, and when each was sent; the latest last."""

    drafts: tuple[tuple[Draft, float], ...] = ()

    def plus(self, draft: Draft, now: float) -> "Sent":
        return Sent((*self.drafts, (draft, now))[-KEPT:])

    def find(self, event_id: str | None) -> Draft | None:
        """The draft of this id; None for what is another's, or long ago."""
        return next((draft for draft, _ in self.drafts if draft.id == event_id), None)

    def at(self, draft: Draft) -> float:
        """The time at which it was sent."""
        return next(at for sent, at in self.drafts if sent == draft)

    def unused_date(self, content: str, dated: int) -> int:
        """This date, or the next at which nothing of this content was sent: relays drop copies."""
        used = {draft.created_at for draft, _ in self.drafts if draft.content == content}
        return next(at for at in range(dated, dated + len(used) + 1) if at not in used)


NOTHING_SENT = Sent()


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
