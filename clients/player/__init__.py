"""A player's side of PROTOCOL.md, for the terminal, the bots, the house and lichess's API.

Relays tell what comes; an `inbox` lets in what the arbiter signed, and chat; `drafts` say what is
sent. A pure `session` knows the games and challenges of a key; a `client` carries it out.
"""
