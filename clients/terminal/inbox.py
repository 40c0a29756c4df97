"""What a relay sent, let in or left outside.

The law: only what the arbiter signed gets in, and chat and profiles that their author signed, or
chat that the arbiter signed for somebody who has no key; a relay may send anything. What a relay
had stored when we subscribed is old news, and an error is of no use then; what the rest is worth is
for the session to judge.
"""

from collections import OrderedDict
from collections.abc import Callable

from arbiter.nostr.event import NostrEvent, ParseError, VerifiedEvent, all_tags, verify
from clients.terminal.profiles import (
    PROFILE,
    RATING,
    Profile,
    Rating,
    read_profile,
    read_rating,
)
from clients.terminal.wire import (
    GAME_ERROR,
    GAME_STATE,
    PGN_NOTE,
    PLAYERS_CHAT,
    RESPONSE_TO_REQUEST,
    SPECTATORS_CHAT,
    ChatLine,
    Heard,
    chat_line,
    read,
)

REMEMBERED = 1_000
"""Ids kept to know the same words from a second relay; a game is some hundred events."""

_SPOKEN = frozenset({RESPONSE_TO_REQUEST, GAME_STATE, GAME_ERROR, PGN_NOTE})
_CHAT = frozenset({PLAYERS_CHAT, SPECTATORS_CHAT})
_PEOPLE = frozenset({PROFILE, RATING})
_READ_ONCE = _CHAT | {GAME_ERROR, PGN_NOTE}
"""A response or a state may come again under the same id as the answer to a second request."""


class Mailroom:
    """Knows whose word counts, and what was delivered before."""

    def __init__(
        self,
        server: str,
        me: str,
        *,
        watched: str | None = None,
        unseal: Callable[[str, str], str | None],
    ) -> None:
        """Public keys in hex; ``unseal`` takes a payload and its author."""
        self._server = server
        self._me = me
        self._watched = watched
        self._unseal = unseal
        self._delivered: OrderedDict[str, None] = OrderedDict()

    def open(
        self, event: NostrEvent, *, stored: bool
    ) -> Heard | ChatLine | Profile | Rating | None:
        """What was said in it; None for the arbiter's words from anybody else, for forgeries and
        repetitions.
        """
        spoken = event.pubkey == self._server and event.kind in _SPOKEN
        if event.kind in _PEOPLE:
            return self._person(event)
        if not spoken and event.kind not in _CHAT:
            return None
        if stored and event.kind == GAME_ERROR:
            return None
        if event.kind in _READ_ONCE and event.id in self._delivered:
            return None
        verified = verify(event)
        if isinstance(verified, ParseError):
            return None
        self._delivered[verified.id] = None
        if len(self._delivered) > REMEMBERED:
            self._delivered.popitem(last=False)
        return read(verified, self._me, self._watched) if spoken else self._line(verified)

    def _person(self, event: NostrEvent) -> Profile | Rating | None:
        if event.kind == RATING and event.pubkey != self._server:
            return None
        verified = verify(event)
        if isinstance(verified, ParseError):
            return None
        return read_profile(verified) if event.kind == PROFILE else read_rating(verified)

    def _line(self, event: VerifiedEvent) -> ChatLine | None:
        carried = event.pubkey == self._server
        if event.kind == SPECTATORS_CHAT:
            return chat_line(event, event.content, carried=carried)
        if not any(tag[1:2] == (self._me,) for tag in all_tags(event, "p")):
            return None
        text = self._unseal(event.content, event.pubkey)
        return None if text is None else chat_line(event, text, carried=carried)
