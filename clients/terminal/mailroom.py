"""What a relay sent, let in or left outside.

The law: only what the arbiter signed gets in; a relay may send anything. What a relay had stored
when we subscribed is old news, and an error is of no use then; what the rest is worth is for the
session to judge.
"""

from collections import OrderedDict

from arbiter.nostr.event import Malformed, NostrEvent, verify
from clients.terminal.wire import (
    GAME_ERROR,
    GAME_STATE,
    PGN_NOTE,
    RESPONSE_TO_REQUEST,
    Heard,
    read,
)

REMEMBERED = 1_000
"""Ids kept to know the same words from a second relay; a game is some hundred events."""

_WANTED = frozenset({RESPONSE_TO_REQUEST, GAME_STATE, GAME_ERROR, PGN_NOTE})
_READ_ONCE = frozenset({GAME_ERROR, PGN_NOTE})
"""A response or a state may come again under the same id as the answer to a second request."""


class Mailroom:
    """Knows whose word counts, and what was delivered before."""

    def __init__(self, server: str, me: str) -> None:
        """Public keys in hex."""
        self._server = server
        self._me = me
        self._delivered: OrderedDict[str, None] = OrderedDict()

    def open(self, event: NostrEvent, *, stored: bool) -> Heard | None:
        """What the arbiter said in it; None for anybody else's, for forgeries and repetitions."""
        if event.pubkey != self._server or event.kind not in _WANTED:
            return None
        if stored and event.kind == GAME_ERROR:
            return None
        if event.kind in _READ_ONCE and event.id in self._delivered:
            return None
        verified = verify(event)
        if isinstance(verified, Malformed):
            return None
        self._delivered[verified.id] = None
        if len(self._delivered) > REMEMBERED:
            self._delivered.popitem(last=False)
        return read(verified, self._me)
