"""Limits on strangers' bytes, each checked before the work that it bounds, as relays have them."""

MAX_EVENT_BYTES = 65_536
"""strfry's default, the strictest in common use. A move takes 500 bytes, a long PGN 20,000."""

MAX_FRAME_BYTES = 131_072
"""strfry's websocket frame: the largest event, escaped, inside a message."""

MAX_TAGS = 128
"""A move has five tags, standings 107. Every look-up walks the tags."""

MAX_TAG_ITEMS = 2_048
"""A state lists up to 2,000 moves in one tag; other tags have five items at most."""

MAX_TAG_VALUE_BYTES = 1_024
"""strfry's default. The longest value that is read is a relay URL."""

MAX_KIND = 65_535
"""NIP-01: "kind": <integer between 0 and 65535>."""

MAX_CREATED_AT = 2**53 - 1
"""Unix seconds. JavaScript rounds larger numbers and would compute another id."""

MAX_AGE_SECONDS = 900
"""Greatest age of an event: a player's clock may be this slow."""

MAX_SUBSCRIPTION_ID_CHARS = 64
"""NIP-01: <subscription_id> is an arbitrary, non-empty string of max length 64 chars."""

MAX_CHALLENGE_CHARS = 512
"""An AUTH challenge is signed back inside a tag. Usual ones have about 32 characters."""

MAX_FILTER_VALUES = 1_000
"""Values in one list of a filter. Ours have three at most; every event is compared with each."""

MAX_FILTERS = 10
"""Of one REQ at our own relay: 32 kB of empty ones would take 50 ms to read."""

MAX_OTHER_BYTES = 8_192
"""Of a message to our own relay that holds no event. Fifty values in filters take 3,400."""

GIFT_WRAP = 1059
MAX_WRAP_CHARS = 8_192
"""Of a gift wrap (NIP-59) of an unknown author; one that says `stop` has 1,600."""

GIFT_WRAP_AGE_SECONDS = 2 * 24 * 60 * 60 + MAX_AGE_SECONDS
"""NIP-59: "created_at" is "tweaked to thwart time-analysis attacks", up to two days in the past."""
