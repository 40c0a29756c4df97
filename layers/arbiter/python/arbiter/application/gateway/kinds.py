"""Which kinds our own relay carries, and in which direction.

The law: it is a relay for chess and for one arbiter. What players say to him, what they say to each
other about a game of his, and what he says; nothing else is taken, kept or passed on.
"""

from arbiter.dialects import arbiter_events, dilger
from arbiter.dialects.base import Transport
from arbiter.dialects.registry import BY_KIND
from arbiter.nostr.filters import Filter

SOCKET_KINDS = frozenset(
    kind for kind, dialect in BY_KIND.items() if dialect.transport is Transport.SOCKET
)
"""Answered on the socket they came over, and nobody subscribes to them: on other relays these
numbers mean other things (NIP-90).
"""

PRESENCE_KINDS = (arbiter_events.PROFILE, arbiter_events.RELAY_LIST, arbiter_events.HANDLER)

PUBLISHED_KINDS = frozenset(
    kind for kind, dialect in BY_KIND.items() if dialect.transport is not Transport.BRIDGE
)
"""What anybody may publish here."""

ARBITER_KINDS = frozenset(
    {
        dilger.RESPONSE_TO_REQUEST,
        dilger.GAME_STATE,
        dilger.GAME_ERROR,
        arbiter_events.PGN_NOTE,
        arbiter_events.RATING,
        *PRESENCE_KINDS,
    }
)
"""What the arbiter says here, and nobody else."""

SUBSCRIBED_KINDS = PUBLISHED_KINDS - SOCKET_KINDS | ARBITER_KINDS
"""What can be subscribed to."""

CARRIED_KINDS = tuple(sorted(PUBLISHED_KINDS | ARBITER_KINDS))
"""All of them, for the relay's own description."""


def is_carried(wanted: Filter) -> bool:
    """Whether a filter can match anything that ever passes here."""
    return not wanted.kinds or not SUBSCRIBED_KINDS.isdisjoint(wanted.kinds)
