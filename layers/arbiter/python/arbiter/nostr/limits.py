"""Every bound the Nostr reader puts on a stranger's bytes, each with its reason.

The law: a bound is checked before the work it bounds. The figures follow what relays already
enforce, so an event that a relay would carry to us is rarely refused here for its size alone.
"""

MAX_EVENT_BYTES = 65_536
"""strfry's default, the strictest in common use; a move needs 500 bytes, a long PGN 20,000."""

MAX_FRAME_BYTES = 131_072
"""strfry's websocket frame: an event of the greatest size, escaped badly, inside its envelope."""

MAX_DEPTH = 8
"""A tag inside an event inside a message is four brackets down; the rest is room for extra fields,
which we drop. The JSON reader recurses, so the depth must be known before it starts."""

MAX_NUMBER_CHARS = 32
"""No number in the protocol needs more than 16 digits, and Python raises beyond 4300."""

MAX_TAGS = 64
"""A move carries five tags. Every look-up walks them, so the 2,000 of relays are work for free."""

MAX_TAG_ITEMS = 2_048
"""A game state lists up to 2,000 moves in one tag. Other tags have five items at most, and what a
long one may cost is bounded by the size of the event."""

MAX_TAG_VALUE_BYTES = 1_024
"""strfry's default; the longest value we read is a 64-character id or a relay URL."""

MAX_KIND = 65_535
"""NIP-01: "kind": <integer between 0 and 65535>."""

MAX_CREATED_AT = 2**53 - 1
"""Unix seconds. Beyond this JavaScript rounds, and computes another id than we do."""

MAX_AGE_SECONDS = 900
"""How old an event may be by its own date, at the gateway and where the listener asks relays for
events. A player's clock may be so slow, and no slower: relays hold ``since`` against new events
too (NIP-01)."""

MAX_SUBSCRIPTION_ID_CHARS = 64
"""NIP-01: <subscription_id> is an arbitrary, non-empty string of max length 64 chars."""

MAX_CHALLENGE_CHARS = 512
"""We sign an AUTH challenge back inside a tag. Honest ones are some 32 characters."""

MAX_FILTER_VALUES = 1_000
"""Values in one list of a filter. Ours have three at most, and every event is held against each."""
