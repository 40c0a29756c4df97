"""What relays bring, read once and told to the players whom it concerns.

Invariant: only what the arbiter signed gets in, and profiles and chat that their authors signed (or
the arbiter, for players without a key).
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace

from arbiter.nostr.event import NostrEvent, VerifiedEvent, all_tags, verify
from clients.player import messages
from clients.player.chat import ChatCipher, ChatLine, read_line
from clients.player.drafts import ANNOUNCEMENT, PROFILE, RATING, SPOKEN
from clients.player.heard import CaughtUp, Delivered, Differs, FromRelay, LinkDown, LinkUp, Verdict
from clients.player.people import House, Profile, Rating, read_house, read_profile, read_rating
from clients.player.tournaments import STANDINGS, TOURNAMENT, Standings, Told, Tournament
from clients.player.tournaments import read as read_tournament

Aside = ChatLine | Profile | Rating | House | Standings | Verdict | Differs
"""What a session takes no notice of."""

Read = messages.Message | Told | Tournament | Aside
News = LinkUp | LinkDown | CaughtUp | messages.Message | Told | Tournament

REMEMBERED = 4_096
"""Ids kept to drop copies from a second relay; a game is some hundred events."""

_FOR_ALL: Mapping[int, Callable[[VerifiedEvent], Read | None]] = {
    PROFILE: read_profile,
    RATING: read_rating,
    ANNOUNCEMENT: read_house,
    TOURNAMENT: read_tournament,
    STANDINGS: read_tournament,
}
"""What is asked for again is read again, for its reader may have forgotten it."""

_CHAT = frozenset({messages.PLAYERS_CHAT, messages.SPECTATORS_CHAT})


class Inbox:
    """Reads what one arbiter says, and what players say, for the players of one program."""

    def __init__(
        self,
        arbiter: str,
        tells: Mapping[str, Callable[[News], None]],
        aside: Callable[[Aside], None] = lambda _: None,
        *,
        knows: Callable[[str], bool] = lambda _: False,
        cipher: ChatCipher | None = None,
        watched: str | None = None,
    ) -> None:
        """``tells`` by the players' keys. A stored state counts in games that one ``knows``;
        ``cipher`` is that of a player who reads chat, ``watched`` a game of others.
        """
        self._arbiter = arbiter
        self._tells = tells
        self._aside = aside
        self._knows = knows
        self._cipher = cipher
        self._watched = watched
        self._seen: OrderedDict[str, None] = OrderedDict()

    def take(self, came: FromRelay) -> None:
        """Tell it to the players whom it names; to all, if it names none."""
        read: News | Read | None
        if isinstance(came, Delivered):
            read, named = self.open(came.event, stored=came.stored), self._named(came.event)
        else:
            read, named = came, frozenset()
        if isinstance(read, Aside):
            self._aside(read)
        elif read is not None:
            for player in named or self._tells:
                self._tells[player](read)

    def open(self, event: NostrEvent, *, stored: bool) -> Read | None:
        """The words of an event to these players; None for forgeries and copies."""
        if event.kind in _FOR_ALL:
            is_theirs = event.kind == PROFILE or event.pubkey == self._arbiter
            verified = verified_event(event) if is_theirs else None
            return _FOR_ALL[event.kind](verified) if verified else None
        if event.kind in _CHAT:
            return self._line(event, self._cipher) if self._cipher else None
        verified = self._once(event) if self._counts(event, stored=stored) else None
        if verified is None:
            return None
        told = read_tournament(verified) if event.kind == messages.RESPONSE else None
        return told or self._unsealed(messages.read_message(verified, self._arbiter))

    def _unsealed(self, message: messages.Message | None) -> messages.Message | None:
        """The message; conditional moves only if these players can read them."""
        if not isinstance(message, messages.LinesTold):
            return message
        text = self._cipher.decrypt(message.text, self._arbiter) if self._cipher else None
        return None if text is None else replace(message, text=text)

    def _line(self, event: NostrEvent, cipher: ChatCipher) -> ChatLine | None:
        is_wanted = event.kind == messages.SPECTATORS_CHAT or self._named(event)
        line = self._once(event) if is_wanted else None
        return read_line(line, self._arbiter, cipher) if line else None

    def _counts(self, event: NostrEvent, *, stored: bool) -> bool:
        """Whether the arbiter says it, to a player, and now: some relays store ephemeral kinds."""
        game = messages.value(event, "d") or ""
        is_watched = game == self._watched
        if event.kind not in SPOKEN or event.pubkey != self._arbiter:
            return False
        if not (is_watched or self._named(event)):
            return False
        if not stored or event.kind == messages.PGN_NOTE:
            return True
        return event.kind == messages.STATE and (is_watched or self._knows(game))

    def _named(self, event: NostrEvent) -> frozenset[str]:
        """The players in the `p` tags of an event that speaks to some."""
        if event.kind in _FOR_ALL:
            return frozenset()
        return frozenset(tag[1] for tag in all_tags(event, "p") if tag[1:]) & self._tells.keys()

    def _once(self, event: NostrEvent) -> VerifiedEvent | None:
        if event.id in self._seen:
            return None
        verified = verified_event(event)
        if verified is not None:
            self._seen[verified.id] = None
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        return verified


def verified_event(event: NostrEvent) -> VerifiedEvent | None:
    """The event, or None if its id or signature is wrong."""
    verified = verify(event)
    return verified if isinstance(verified, VerifiedEvent) else None
