"""What our own relay will bear, and the document that says so before anybody runs into it
(NIP-11).

The law: a limit stands here once. The relay face enforces it, the document publishes it, and
docs/gateway.md lists it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arbiter.nostr.limits import MAX_AGE_SECONDS, MAX_SUBSCRIPTION_ID_CHARS

SUPPORTED_NIPS = (1, 11, 40, 42, 70)
"""What the relay does itself. NIP-11: "Client-side NIPs SHOULD NOT be advertised", so the notes of
finished games (NIP-64) are not in it: they are the arbiter's, who is a client of every relay.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayLimits:
    """Bounds on one connection, one address and one key. Rates are counted in windows, not in
    buckets: two windows may meet, so twice the limit can pass at once.
    """

    message_bytes: int = 32_768
    """API Gateway's largest websocket frame; most clients do not split a message into several."""
    subscriptions: int = 20
    """On one connection."""
    filters: int = 10
    """In one REQ."""
    topics: int = 50
    """Under which one REQ is filed: each is a write, and a row."""
    of_an_address: int = 100
    """Subscriptions from one address to one game, player or kind. Whoever publishes reads and tells
    them all, and may keep players waiting."""
    filter_bytes: int = 4_096
    """In one REQ, as we write them. They stand in each of these rows, and who publishes reads the
    rows of everybody: fifty games are 3,400 bytes."""
    events: int = 100
    """In answer to one filter, before EOSE."""
    games_read: int = 25
    """In answer to one REQ: each is a read and a signature."""
    plies_shown: int = 10_000
    """In answer to one REQ, all games together: a note takes 25 us for each, on a whole core. The
    first game is shown however long it is."""
    event_tags: int = 20
    """A move carries five, and each one that can be subscribed to costs a look-up."""
    content_chars: int = 1_024
    """A line of chat, encrypted, is some 400."""
    past_seconds: int = MAX_AGE_SECONDS
    future_seconds: int = 900
    """How far from ours an event's clock may be; the arbiter is stricter with some."""
    pubkeys: int = 8
    """For whom one connection may speak."""
    frames_per_ten_seconds: int = 300
    """On one connection. DESIGN says thirty a second, a bot at full speed."""
    events_per_ten_seconds: int = 300
    """By one key, over all connections that proved it; brought by others, at one address."""
    questions_per_ten_seconds: int = 20
    """About one game, by anybody: a REQ is answered with the present state too."""
    chats_per_ten_seconds: int = 5
    """By one key, as PROTOCOL.md has clients drop."""
    address_chats_per_ten_seconds: int = 100
    address_seeks_per_ten_seconds: int = 500
    """Keys cost nothing, and all requests to play wait in one row."""
    requests_per_ten_seconds: int = 60
    """REQs on one connection."""
    address_frames_per_ten_seconds: int = 10_000
    """A club behind one address is many players."""
    address_connections_per_minute: int = 3_000
    garbage: int = 5
    """So many frames in ten minutes may be no message at all; the next one ends the connection."""


DEFAULT_LIMITS = RelayLimits()


def relay_information(
    name: str,
    pubkey: str,
    version: str,
    carried_kinds: Sequence[int],
    limits: RelayLimits = DEFAULT_LIMITS,
) -> dict[str, object]:
    """NIP-11's document as a JSON object: served to GET with ``Accept: application/nostr+json``.

    ``pubkey`` (64 hex) is the arbiter's own key; ``carried_kinds`` are all that may be published
    or asked for.
    """
    return {
        "name": name[:30],
        "description": (
            f"{name} is a chess arbiter and this is its own relay. It carries kinds "
            + ", ".join(map(str, carried_kinds))
            + ", and nothing else. Point a Nostr chess client at it and play."
        ),
        "pubkey": pubkey,
        "self": pubkey,
        "supported_nips": list(SUPPORTED_NIPS),
        "version": version,
        "limitation": {
            "max_message_length": limits.message_bytes,
            "max_subscriptions": limits.subscriptions,
            "max_filters": limits.filters,
            "max_limit": limits.events,
            "default_limit": limits.events,
            "max_subid_length": MAX_SUBSCRIPTION_ID_CHARS,
            "max_event_tags": limits.event_tags,
            "max_content_length": limits.content_chars,
            "created_at_lower_limit": limits.past_seconds,
            "created_at_upper_limit": limits.future_seconds,
            "min_pow_difficulty": 0,
            "auth_required": False,
            "payment_required": False,
            # "…writing only events of a specific niche kind or content."
            "restricted_writes": True,
        },
        # Nothing that players send is kept. No longer in NIP-11, and still read by some clients.
        "retention": [{"kinds": [[20_000, 29_999]], "time": 0}],
    }
