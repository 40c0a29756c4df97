"""Nostr relays: how events come in (`listener`) and how replies go out (`publisher`).

The law: a relay is a stranger. Nothing it sends, withholds or delays raises out of this package,
costs unbounded memory or keeps another relay waiting.
"""
