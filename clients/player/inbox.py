"""Events from relays, verified, and read once.

Invariant: a relay may send anything; only what the arbiter signed gets in.
"""

from collections import OrderedDict

from arbiter.nostr.event import NostrEvent, VerifiedEvent, all_tags, verify
from clients.player.drafts import SPOKEN
from clients.player.messages import PGN_NOTE, STATE, Event, Message, read_message

REMEMBERED = 4_096
"""Ids kept to drop copies from a second relay; a game is some hundred events."""

_USE_WHEN_STORED = frozenset({STATE, PGN_NOTE})
"""Some relays store ephemeral kinds: a stored ``started:`` may be of a game long over."""


class Inbox:
    """Reads what one arbiter says."""

    def __init__(self, arbiter: str) -> None:
        """``arbiter`` is its public key in hex."""
        self.arbiter = arbiter
        self._seen: OrderedDict[str, None] = OrderedDict()

    def open(self, event: NostrEvent, *, stored: bool) -> Message | None:
        """The arbiter's message in an event; None for all else, and for a copy."""
        if event.pubkey != self.arbiter or event.kind not in SPOKEN:
            return None
        if stored and event.kind not in _USE_WHEN_STORED:
            return None
        verified = self.once(event)
        return None if verified is None else read_message(verified, self.arbiter)

    def once(self, event: NostrEvent) -> VerifiedEvent | None:
        """The event, verified; None for a forgery, and for a copy."""
        if event.id in self._seen:
            return None
        verified = verified_event(event)
        if verified is not None:
            self._seen[verified.id] = None
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        return verified


def verified_event(event: NostrEvent) -> VerifiedEvent | None:
    """The event, or None if its id or signature is wrong."""
    verified = verify(event)
    return verified if isinstance(verified, VerifiedEvent) else None


def addressees(event: Event) -> set[str]:
    """The keys in the `p` tags of an event."""
    return {tag[1] for tag in all_tags(event, "p") if len(tag) > 1}
