"""Whether a relay gives out again what it said that it took.

The law: pure. Only a relay that answers a question for an event by id, to the end and without the
event, is known not to have it; one that does not answer, or does not let us ask, is believed. And
only what is to be there later exactly as it was said can be asked for: neither ephemeral events nor
those that a newer one replaces (NIP-01).
"""

from collections.abc import Sequence

from arbiter.dialects.arbiter_events import PGN_NOTE
from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.nostr.filters import Filter
from arbiter.nostr.relay_messages import (
    ClosedMessage,
    EoseMessage,
    RelayEvent,
    parse_relay_message,
    req_message,
)

SUBSCRIPTION = "kept"

VERIFY_STORED_SECONDS = 900
"""How old an event is at most that is read back. It bounds how often one is said again because
relays do not keep it: each try is twice as long after the one before, so nine times."""

_MOST_FRAMES = 100
"""A relay that sends more than that before its EOSE answers no question of ours."""


def lasts(event: VerifiedEvent) -> bool:
    """Whether a relay is to keep it as it is. Of what we say, that is the note of a game alone."""
    return event.kind == PGN_NOTE


class VerifyStored:
    """One question to one relay about ``events``, on one connection."""

    def __init__(self, events: Sequence[VerifiedEvent]) -> None:
        self._awaited = {event.id: event for event in events}
        self._frames = 0
        self.is_done = not events
        self.is_answered = False
        self._is_refused = False

    def opened(self) -> str:
        """A connection stands: what to send."""
        return req_message(SUBSCRIPTION, Filter(ids=tuple(self._awaited)))

    def heard(self, frame: bytes) -> None:
        """The relay sent something. What is not the answer is as good as silence."""
        self._frames += 1
        match parse_relay_message(frame):
            case RelayEvent(subscription_id, event) if subscription_id == SUBSCRIPTION:
                awaited = self._awaited.get(event.id)
                if awaited is not None and event_to_json(event) == event_to_json(awaited):
                    del self._awaited[event.id]
            case EoseMessage(subscription_id) if subscription_id == SUBSCRIPTION:
                self.is_answered = True
            case ClosedMessage(subscription_id) if subscription_id == SUBSCRIPTION:
                self._is_refused = True
        self.is_done = (
            self.is_answered
            or self._is_refused
            or not self._awaited
            or self._frames >= _MOST_FRAMES
        )

    def missing(self) -> frozenset[str]:
        """The ids of what the relay does not have, by its own answer."""
        return frozenset(self._awaited) if self.is_answered else frozenset()
