"""One game as its player or spectator sees it."""

from dataclasses import dataclass

import chess

from clients.terminal.clocks import Clock
from clients.terminal.position import Line
from clients.terminal.profiles import Person, speed_of
from clients.terminal.text import short_key
from clients.terminal.wire import Offer


@dataclass(frozen=True, slots=True, kw_only=True)
class GameView:
    """``line`` is None until the first state has come.

    ``result`` is the PGN token once the game is over; ``termination`` is None where the arbiter
    gave no reason. ``ratings`` are White's and Black's before and after. ``stand_ins`` are players
    without a Nostr key, ``people`` the known profiles, and ``away`` those who have left, by the
    state of ``seen_at`` (unix seconds). A spectator looks at the game from White's
    side.
    """

    id: str
    white: str = ""
    black: str = ""
    color: chess.Color = chess.WHITE
    line: Line | None = None
    state_id: str = ""
    result: str | None = None
    termination: str | None = None
    pgn: str | None = None
    clock: Clock | None = None
    rated: bool = False
    offer: Offer | None = None
    watched: bool = False
    ratings: tuple[tuple[int, int], tuple[int, int]] | None = None
    stand_ins: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    away: tuple[chess.Color, ...] = ()
    seen_at: int = 0

    @property
    def my_turn(self) -> bool:
        """Whether the player is to move."""
        if self.result is not None or self.line is None or self.watched:
            return False
        return self.line.board().turn == self.color

    @property
    def opponent(self) -> str:
        """The other player's public key."""
        return self.black if self.color == chess.WHITE else self.white

    @property
    def offered(self) -> str | None:
        """The opponent's offer: ``draw``, ``takeback``, ``rematch`` or ``abort``."""
        if self.offer is None or self.watched or self.offer.color == self.color:
            return None
        return self.offer.kind

    def name(self, pubkey: str) -> str:
        """The name in a player's profile; empty where no profile is known."""
        return self._person(pubkey).name

    def called(self, pubkey: str) -> str:
        """A player's name, or the ends of their npub where no profile is known."""
        return self.name(pubkey) or short_key(pubkey)

    def rating(self, pubkey: str) -> str:
        """A player's rating at the speed of this game, ``1523?`` while provisional; or empty."""
        speed = speed_of(self.clock.control) if self.clock else None
        found = self._person(pubkey).rating(speed)
        return f"{found.value}{'?' if found.provisional else ''}" if found else ""

    def described(self, pubkey: str) -> str:
        """Name, rating and the ends of the npub, as far as they are known."""
        shown = f"{self.called(pubkey)} {self.rating(pubkey)}".rstrip()
        return f"{shown} ({short_key(pubkey)})" if self.name(pubkey) else shown

    def chat_author(self, server: str) -> str:
        """The public key that signs the opponent's chat: their own, or the arbiter's."""
        return server if self.opponent in self.stand_ins else self.opponent

    def _person(self, pubkey: str) -> Person:
        return next((each for each in self.people if each.pubkey == pubkey), Person(pubkey))
