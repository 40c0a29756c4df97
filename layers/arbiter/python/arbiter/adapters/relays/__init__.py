"""Nostr relays: events come in through ``listener``, replies go out through ``publisher``.

Invariant: nothing that a relay sends, withholds or delays raises out of this package, takes
unbounded memory or delays another relay.
"""
