"""One game as its player or spectator sees it."""

from dataclasses import dataclass

import chess

from clients.player.messages import Offer, State
from clients.terminal.clocks import Clock
from clients.terminal.profiles import Person
from clients.terminal.text import short_key


@dataclass(frozen=True, slots=True, kw_only=True)
class GameView:
    """``state`` is None until the first has come, ``result`` the PGN token at the end,
    ``termination`` None where no reason was given. ``ratings`` are before and after, ``ahead_ms``
    is our clock's, ``title`` the event's. A spectator looks from White's side.
    """

    id: str
    color: chess.Color = chess.WHITE
    state: State | None = None
    ahead_ms: int = 0
    result: str | None = None
    termination: str | None = None
    pgn: str | None = None
    watched: bool = False
    ratings: tuple[tuple[int, int], tuple[int, int]] | None = None
    people: tuple[Person, ...] = ()
    title: str = ""

    @property
    def white(self) -> str:
        return self.state.white if self.state else ""

    @property
    def black(self) -> str:
        return self.state.black if self.state else ""

    @property
    def ply(self) -> int:
        return self.state.ply if self.state else 0

    @property
    def offer(self) -> Offer | None:
        return self.state.offer if self.state else None

    @property
    def clock(self) -> Clock | None:
        """None in a game without clocks."""
        state = self.state
        if state is None or state.time is None or state.clock is None:
            return None
        return Clock(state.time, *state.clock, state.deadline, state.turn, state.ply, self.ahead_ms)

    @property
    def is_slow(self) -> bool:
        """Whether the game leaves room for others; not known before its first state."""
        return self.state is not None and self.state.is_slow

    @property
    def my_turn(self) -> bool:
        """Whether the player is to move."""
        if self.result is not None or self.state is None or self.watched:
            return False
        return self.state.turn == self.color

    @property
    def whose_turn(self) -> str:
        """``your move``, or who is to move; empty before the first state."""
        if self.state is None or self.my_turn:
            return "your move" if self.state else ""
        to_move = self.white if self.state.turn == chess.WHITE else self.black
        return f"{self.called(to_move)} to move"

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

    @property
    def last_san(self) -> str | None:
        """The last move in SAN, if it is known."""
        if self.state is None or not self.state.moves:
            return None
        board = self.state.board()
        move = board.pop()
        return board.san(move)

    def name(self, pubkey: str) -> str:
        """The name in a player's profile; empty where no profile is known."""
        return self._person(pubkey).name

    def called(self, pubkey: str) -> str:
        """A player's name, or the ends of their npub where no profile is known."""
        return self.name(pubkey) or short_key(pubkey)

    def rating(self, pubkey: str) -> str:
        """A player's rating at the speed of this game, ``1523?`` while provisional; or empty."""
        found = self._person(pubkey).rating(self.clock.control.speed if self.clock else None)
        return f"{found.value}{'?' if found.provisional else ''}" if found else ""

    def described(self, pubkey: str) -> str:
        """Name, rating and the ends of the npub, as far as they are known."""
        shown = f"{self.called(pubkey)} {self.rating(pubkey)}".rstrip()
        return f"{shown} ({short_key(pubkey)})" if self.name(pubkey) else shown

    def chat_author(self, server: str) -> str:
        """The public key that signs the opponent's chat: their own, or the arbiter's."""
        without_a_key = self.state is not None and self.opponent in self.state.stand_ins
        return server if without_a_key else self.opponent

    def _person(self, pubkey: str) -> Person:
        return next((each for each in self.people if each.pubkey == pubkey), Person(pubkey))
