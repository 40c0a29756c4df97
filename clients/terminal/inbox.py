"""Events from relays, verified and read.

Invariant: a relay may send anything; only the arbiter's signed messages get in, and chat and
profiles signed by their authors (or by the arbiter for players without a key).
"""

from arbiter.nostr.event import NostrEvent
from clients.player.chat import ChatCipher, read_line
from clients.player.drafts import ANNOUNCEMENT, RATING
from clients.player.inbox import Inbox, addressees, verified_event
from clients.player.messages import SPECTATORS_CHAT, value
from clients.player.tournaments import STANDINGS, TOURNAMENT, read
from clients.terminal.house import read_house
from clients.terminal.profiles import read_profile, read_rating
from clients.terminal.session import Signed

_ANNOUNCED = {RATING: read_rating, ANNOUNCEMENT: read_house, TOURNAMENT: read, STANDINGS: read}


class Mailroom:
    """Reads what the arbiter, the opponent, spectators and players' profiles say to one player."""

    def __init__(self, server: str, me: str, *, watched: str | None, cipher: ChatCipher) -> None:
        """``server`` and ``me`` are public keys in hex; ``watched`` is a game of others."""
        self._inbox = Inbox(server)
        self._me = me
        self._watched = watched
        self._cipher = cipher

    def open(self, event: NostrEvent, *, stored: bool) -> Signed | None:
        """Read an event; None for forgeries, copies, and messages that are not its author's to
        send.
        """
        to_me = self._me in addressees(event)
        from_arbiter = event.pubkey == self._inbox.arbiter
        match event.kind:
            case 0:
                profile = verified_event(event)
                return read_profile(profile) if profile else None
            case 30300 | 31990 | 30327 | 30329 if from_arbiter:
                told = verified_event(event)
                return _ANNOUNCED[event.kind](told) if told else None
            case 20301 if to_me and from_arbiter and not stored and (news := read(event)):
                return news if self._inbox.once(event) else None
            case 20305 | 20306:
                wanted = to_me or event.kind == SPECTATORS_CHAT
                line = self._inbox.once(event) if wanted else None
                return read_line(line, self._inbox.arbiter, self._cipher) if line else None
            case _ if to_me or (self._watched is not None and self._watched == value(event, "d")):
                return self._inbox.open(event, stored=stored)
            case _:
                return None
