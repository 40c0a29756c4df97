"""The limits of our own relay, and the NIP-11 document that publishes them."""

from collections.abc import Sequence
from dataclasses import dataclass

from arbiter.nostr.house import HousePlayer, house_json, one_of_each
from arbiter.nostr.limits import MAX_AGE_SECONDS, MAX_FILTERS, MAX_SUBSCRIPTION_ID_CHARS

SUPPORTED_NIPS = (1, 11, 40, 42, 70)
"""NIPs of the relay itself: "Client-side NIPs SHOULD NOT be advertised" (NIP-11)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayLimits:
    """Limits on one connection, address and key, in fixed windows: up to twice across two."""

    message_bytes: int = 32_768
    """API Gateway's largest websocket frame; most clients do not fragment messages."""
    subscriptions: int = 20
    """On one connection."""
    filters: int = MAX_FILTERS
    """In one REQ."""
    topics: int = 50
    """Index rows of one REQ: each is a write."""
    of_an_address: int = 100
    """Subscriptions of one address to one game, player or kind: all are read and served."""
    address_subscriptions: int = 2_000
    """Open on all sockets of one address."""
    filter_bytes: int = 4_096
    """In one REQ, as we write them, in each row; one for fifty games takes 3,400 bytes."""
    events: int = 100
    """In answer to one filter, before EOSE."""
    games_read: int = 25
    """In answer to one REQ: each is a read and a signature."""
    plies_shown: int = 10_000
    """In answer to one REQ, at 25 us a ply of a note; the first game whatever its length."""
    plies_per_ten_seconds: int = 40_000
    all_plies_per_ten_seconds: int = 200_000
    """Of notes shown to one address, and to all: a second, and five, of a core."""
    event_tags: int = 32
    """A move has five, an event's terms 29; a tag to subscribe to costs a look-up."""
    content_chars: int = 1_024
    """An encrypted chat line has about 400."""
    past_seconds: int = MAX_AGE_SECONDS
    future_seconds: int = 900
    """By how much an event's clock may be ahead of ours, and less of some kinds."""
    untagged_connect_seconds: int = 30
    """Seconds by which the clock may be off of a ``connect`` of the NIP-100 draft that names no
    server and comes over a socket that is not yet its author's. 0 refuses it: name this arbiter, or
    authenticate.
    """
    pubkeys: int = 8
    """Keys that one connection may authenticate."""
    frames_per_ten_seconds: int = 300
    """On one connection: thirty a second, a bot at full speed."""
    events_per_ten_seconds: int = 300
    """By one key over its authenticated connections, or by one address."""
    questions_per_ten_seconds: int = 20
    """About one game, by all: a REQ is also answered with the present state."""
    strangers_per_ten_seconds: int = 20
    """Words in one game, by all who do not play it."""
    address_strangers_per_ten_seconds: int = 40
    all_strangers_per_ten_seconds: int = 100
    """The same words from one address, and all of them."""
    chats_per_ten_seconds: int = 5
    """By one key, as in PROTOCOL.md."""
    address_chats_per_ten_seconds: int = 100
    address_seeks_per_ten_seconds: int = 500
    """Keys cost nothing, and all seeks of a pool are in one row."""
    address_entries_per_ten_seconds: int = 250
    all_entries_per_ten_seconds: int = 1_000
    """Commands of events from one address, and of all, in 4 ms each."""
    requests_per_ten_seconds: int = 60
    """REQs on one connection."""
    address_frames_per_ten_seconds: int = 10_000
    """Of a club's many players; on AWS a quarter of what the stage takes."""
    address_deliveries_per_ten_seconds: int = 10_000
    """Of events that one address brought, beyond those that each has freely."""
    address_connections_per_minute: int = 3_000
    garbage: int = 5
    """Unparsable frames tolerated in ten minutes; the next one ends the connection."""


DEFAULT_LIMITS = RelayLimits()


def relay_information(
    name: str,
    pubkey: str,
    version: str,
    carried_kinds: Sequence[int],
    limits: RelayLimits = DEFAULT_LIMITS,
    house: Sequence[HousePlayer] = (),
) -> dict[str, object]:
    """The NIP-11 document; ``carried_kinds`` are published, ``house`` is ours."""
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
        # Players' events are not stored. No longer in NIP-11, but some clients still read it.
        "retention": [{"kinds": [[20_000, 29_999]], "time": 0}],
        **({"house": house_json(one_of_each(house))} if house else {}),
    }
