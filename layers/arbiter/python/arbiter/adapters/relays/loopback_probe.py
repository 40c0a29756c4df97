"""Whether a relay still passes on what it is sent, asked by a small event of our own.

The law: pure, and not for two threads at once, but for `is_heard`, which any may read. Times are
monotonic seconds.

A relay may answer pings and REQs and yet bring nothing new. Where it was silent for a while, the
listener publishes an ephemeral event there, signed with its throw-away key, and must see it come
back over the subscription that players' events come over. Only a relay that passed one on before
is held to that: what it was never seen to do it may not do for anybody.
"""

from collections.abc import Callable
from dataclasses import dataclass

from arbiter.adapters.relays.backoff import Backoff
from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent, event_to_json
from arbiter.nostr.filters import Filter
from arbiter.nostr.relay_messages import OkMessage, PublishStatus, publish_status

LOOPBACK_KIND = 20399
"""Ephemeral (NIP-01), and nobody's as far as we know: no client is shown these by mistake."""

_SILENCE = Backoff(first_seconds=30.0, longest_seconds=30.0)
_AFTER_LOSS = Backoff(first_seconds=1.0, longest_seconds=30.0)
_AFTER_REFUSAL = Backoff(first_seconds=60.0, longest_seconds=3600.0)
_NEVER_SEEN = Backoff(first_seconds=600.0, longest_seconds=3600.0)

_TRIES = 2
"""Connections on which a canary may be lost before its relay is taken for one that keeps no
canary, such as one that spares an author his own events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopbackPacing:
    """After how much silence it is sent (half of it by chance), and within what it must be back."""

    silence: Backoff = _SILENCE
    after_loss: Backoff = _AFTER_LOSS
    back_within_seconds: float = 10.0


def loopback_template(relay_url: str, created_at: int) -> EventTemplate:
    """The event, unix seconds. It names its relay, so that another's does not pass for it."""
    return EventTemplate(LOOPBACK_KIND, (("relay", relay_url),), "canary", created_at)


def loopback_filter(pubkey: str, since: int) -> Filter:
    """What asks for it, and for nobody else's."""
    return Filter(authors=(pubkey,), kinds=(LOOPBACK_KIND,), since=since)


class LoopbackProbe:
    """What is known of one relay, over all its connections. ``chance`` gives a float in [0, 1)."""

    def __init__(self, pacing: LoopbackPacing, chance: Callable[[], float]) -> None:
        self._pacing = pacing
        self._chance = chance
        self._due_at: float | None = None
        self._back_by: float | None = None
        self._awaited: VerifiedEvent | None = None
        self._is_taken = False
        self._is_proven = False
        self._losses = 0
        self._refusals = 0
        self._rests_until = 0.0
        self.is_heard = True
        """False from the loss of a canary until the relay brings something again."""

    @property
    def is_under_way(self) -> bool:
        """Whether one was sent and is still awaited."""
        return self._awaited is not None

    def deadline(self) -> float | None:
        """When it is to be sent or, once it was, given up."""
        return self._due_at if self._back_by is None else self._back_by

    def is_asked_for(self, now: float) -> bool:
        """Whether a REQ made now should ask for it."""
        return now >= self._rests_until

    def unsubscribed(self) -> None:
        """No subscription stands (yet) that it could come back over."""
        self._due_at = self._back_by = self._awaited = None

    def subscribed(self, now: float) -> None:
        """A subscription that asks for it stands, and all that was stored has come."""
        pause = self._pacing.after_loss if self._losses else self._pacing.silence
        self.unsubscribed()
        self._due_at = now + pause.delay_seconds(self._losses, self._chance())

    def is_due(self, now: float) -> bool:
        """Whether to send one now."""
        return self._awaited is None and self._due_at is not None and now >= self._due_at

    def sent(self, event: VerifiedEvent, now: float) -> None:
        """This one was sent."""
        self._awaited, self._is_taken = event, False
        self._back_by = now + self._pacing.back_within_seconds

    def is_back(self, event: NostrEvent, now: float) -> bool:
        """Whether this is the one awaited, to the last byte; if so the relay is well."""
        if self._awaited is None or event_to_json(event) != event_to_json(self._awaited):
            return False
        self._is_proven = True
        self._refusals = 0
        self.heard_another(now)
        return True

    def heard_another(self, now: float) -> None:
        """The relay brought something new that was asked for: it need not be tried for a while."""
        self._losses = 0
        self.is_heard = True
        if self.deadline() is not None:
            self.subscribed(now)

    def judged(self, ok: OkMessage, now: float) -> str:
        """The relay's verdict on it, if it is on it; the word that it counts as."""
        if self._awaited is None or ok.event_id != self._awaited.id:
            return "foreign-ok"
        if publish_status(ok) is not PublishStatus.ACCEPTED:
            self.refused(now)
            return "canary-refused"
        self._is_taken = True
        return "canary-taken"

    def noticed(self, now: float) -> bool:
        """A NOTICE came: whether that is how the relay refuses it. Some say no more than that."""
        if self._awaited is None or self._is_taken:
            return False
        self.refused(now)
        return True

    def refused(self, now: float) -> None:
        """The relay wants none of it: leave it in peace for a while, and believe it without."""
        self._refusals += 1
        self._rest(_AFTER_REFUSAL.delay_seconds(self._refusals, self._chance()), now)

    def is_lost(self, now: float) -> bool:
        """Whether it should have been back by now."""
        return self._back_by is not None and now >= self._back_by

    def lost(self, now: float) -> None:
        """It did not come back, and the connection is given up."""
        self.unsubscribed()
        self._losses += 1
        if self._is_proven:
            self.is_heard = False
        elif self._losses >= _TRIES:
            self._rest(_NEVER_SEEN.delay_seconds(self._losses - 1, self._chance()), now)

    def hung_up(self, now: float) -> None:
        """The connection ended while it was awaited: by chance, or that is how the relay refuses it
        if none ever came back.
        """
        if not self._is_proven:
            self.refused(now)

    def _rest(self, seconds: float, now: float) -> None:
        self.unsubscribed()
        self.is_heard = True
        self._rests_until = now + seconds
