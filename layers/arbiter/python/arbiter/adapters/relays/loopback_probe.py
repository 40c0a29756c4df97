"""Loopback probe: whether a relay, which may answer pings and deliver nothing, passes events on.

After a silence the listener publishes a small ephemeral event by its throw-away key, which must
come back over the subscription. Only a relay that has returned one before is held to that. Pure;
times are monotonic seconds. One thread at a time, but for ``is_healthy``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from arbiter.adapters.relays.backoff import Backoff
from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent, event_to_json
from arbiter.nostr.filters import Filter
from arbiter.nostr.relay_messages import OkMessage, PublishStatus, publish_status

LOOPBACK_KIND = 20399
"""Ephemeral (NIP-01) and unassigned, so that no client shows it."""

_SILENCE = Backoff(first_seconds=30.0, longest_seconds=30.0)
_AFTER_LOSS = Backoff(first_seconds=1.0, longest_seconds=30.0)
_AFTER_REFUSAL = Backoff(first_seconds=60.0, longest_seconds=3600.0)
_NEVER_SEEN = Backoff(first_seconds=600.0, longest_seconds=3600.0)

_TRIES = 2
"""After so many lost probes, a relay that never returned one rests from probes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopbackPacing:
    """The silence after which a probe is sent (half of it random), and how long it may take."""

    silence: Backoff = _SILENCE
    after_loss: Backoff = _AFTER_LOSS
    back_within_seconds: float = 10.0


def loopback_template(relay_url: str, created_at: int) -> EventTemplate:
    """The event, dated in unix seconds; it names its relay, to tell probes apart."""
    return EventTemplate(LOOPBACK_KIND, (("relay", relay_url),), "probe", created_at)


def loopback_filter(pubkey: str, since: int) -> Filter:
    return Filter(authors=(pubkey,), kinds=(LOOPBACK_KIND,), since=since)


class LoopbackProbe:
    """The state of one relay, over all its connections. ``chance`` returns a float in [0, 1)."""

    def __init__(self, pacing: LoopbackPacing, chance: Callable[[], float]) -> None:
        self._pacing = pacing
        self._chance = chance
        self._due_at: float | None = None
        self._back_by: float | None = None
        self._awaited: VerifiedEvent | None = None
        self._is_accepted = False
        self._is_proven = False
        self._losses = 0
        self._refusals = 0
        self._rests_until = 0.0
        self.is_healthy = True
        """False from the loss of a probe until the relay delivers something again."""

    @property
    def is_under_way(self) -> bool:
        return self._awaited is not None

    def deadline(self) -> float | None:
        """When the probe is to be sent or is lost; None without a subscription."""
        return self._due_at if self._back_by is None else self._back_by

    def is_asked_for(self, now: float) -> bool:
        return now >= self._rests_until

    def unsubscribed(self) -> None:
        """No subscription is open over which a probe could come back."""
        self._due_at = self._back_by = self._awaited = None

    def subscribed(self, now: float) -> None:
        """A subscription for probes is open, and its stored events have come."""
        pause = self._pacing.after_loss if self._losses else self._pacing.silence
        self.unsubscribed()
        self._due_at = now + pause.delay_seconds(self._losses, self._chance())

    def is_due(self, now: float) -> bool:
        return self._awaited is None and self._due_at is not None and now >= self._due_at

    def sent(self, event: VerifiedEvent, now: float) -> None:
        self._awaited, self._is_accepted = event, False
        self._back_by = now + self._pacing.back_within_seconds

    def is_back(self, event: NostrEvent, now: float) -> bool:
        """Whether this event is the awaited probe, byte for byte; then the relay is healthy."""
        if self._awaited is None or event_to_json(event) != event_to_json(self._awaited):
            return False
        self._is_proven = True
        self._refusals = 0
        self.event_received(now)
        return True

    def event_received(self, now: float) -> None:
        """The relay delivered a new event that was asked for: the next probe can wait."""
        self._losses = 0
        self.is_healthy = True
        if self.deadline() is not None:
            self.subscribed(now)

    def on_ok(self, ok: OkMessage, now: float) -> str:
        """The relay's OK for the probe, if it is; returns the counter name."""
        if self._awaited is None or ok.event_id != self._awaited.id:
            return "foreign-ok"
        if publish_status(ok) is not PublishStatus.ACCEPTED:
            self.refused(now)
            return "probe-refused"
        self._is_accepted = True
        return "probe-taken"

    def on_notice(self, now: float) -> bool:
        """A NOTICE came; whether it counts as a refusal of the probe: some send nothing else."""
        if self._awaited is None or self._is_accepted:
            return False
        self.refused(now)
        return True

    def refused(self, now: float) -> None:
        """The relay refuses probes: send none for a while, and count it as healthy."""
        self._refusals += 1
        self._rest(_AFTER_REFUSAL.delay_seconds(self._refusals, self._chance()), now)

    def is_lost(self, now: float) -> bool:
        return self._back_by is not None and now >= self._back_by

    def lost(self, now: float) -> None:
        """The probe did not come back, and the connection is given up."""
        self.unsubscribed()
        self._losses += 1
        if self._is_proven:
            self.is_healthy = False
        elif self._losses >= _TRIES:
            self._rest(_NEVER_SEEN.delay_seconds(self._losses - 1, self._chance()), now)

    def disconnected(self, now: float) -> None:
        """The connection ended; a refusal of a probe, if the relay never returned one."""
        if not self._is_proven:
            self.refused(now)

    def _rest(self, seconds: float, now: float) -> None:
        self.unsubscribed()
        self.is_healthy = True
        self._rests_until = now + seconds
