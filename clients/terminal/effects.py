"""What the session tells whoever shows it, and what it asks the shell to do.

The law: these are values. A `Notice` is something that happened, to be shown as a sentence or as a
line of JSON; the other effects are for the shell to carry out, in the order they are given.
"""

from dataclasses import dataclass, field
from enum import Enum, StrEnum

import chess

from arbiter.nostr.event import EventTemplate
from clients.terminal.clocks import Clock
from clients.terminal.position import Line
from clients.terminal.profiles import Person, speed_of
from clients.terminal.terms import PLAIN, Terms
from clients.terminal.text import short_key
from clients.terminal.wire import Challenged, ChatLine, Offer


class Question(Enum):
    """What the player was asked and has not answered yet."""

    RESIGN = "resign"
    LEAVE = "leave"


class Source(StrEnum):
    """Who refused."""

    CLIENT = "client"
    ARBITER = "arbiter"
    RELAY = "relay"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameView:
    """One game from the player's chair. ``line`` is None until the first state has come.

    ``result`` is the PGN token once the game is over; an end that nobody explained leaves
    ``termination`` None. ``ratings`` are White's and Black's before and after. ``stand_ins`` are
    players without a Nostr key, ``people`` what is known of those who play. A spectator looks at
    the game from White's side.
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

    @property
    def offered(self) -> str | None:
        """What the opponent offers: ``draw``, ``takeback``, ``rematch`` or ``abort``."""
        if self.offer is None or self.watched or self.offer.color == self.color:
            return None
        return self.offer.kind

    @property
    def opponent(self) -> str:
        """The other player's public key."""
        return self.black if self.color == chess.WHITE else self.white

    def called(self, pubkey: str) -> str:
        """A player's name, or the ends of their npub where no profile is known."""
        return self.name(pubkey) or short_key(pubkey)

    def name(self, pubkey: str) -> str:
        """What a player calls themself; empty where no profile is known."""
        return self._person(pubkey).name

    def rating(self, pubkey: str) -> str:
        """A player's rating at the speed of this game, ``1523?`` while provisional; or empty."""
        speed = speed_of(self.clock.control) if self.clock else None
        found = self._person(pubkey).rating(speed)
        return f"{found.value}{'?' if found.provisional else ''}" if found else ""

    def described(self, pubkey: str) -> str:
        """Name, rating and the ends of the npub, as far as they are known."""
        shown = f"{self.called(pubkey)} {self.rating(pubkey)}".rstrip()
        return f"{shown} ({short_key(pubkey)})" if self.name(pubkey) else shown

    def _person(self, pubkey: str) -> Person:
        return next((each for each in self.people if each.pubkey == pubkey), Person(pubkey))

    def voice(self, server: str) -> str:
        """The public key that signs the opponent's lines: their own, or the arbiter's."""
        return server if self.opponent in self.stand_ins else self.opponent

    @property
    def my_turn(self) -> bool:
        """Whether the player is to move."""
        if self.result is not None or self.line is None or self.watched:
            return False
        return self.line.board().turn == self.color


# ------------------------------------------------------------------- for the shell to do


@dataclass(frozen=True, slots=True)
class Send:
    """Sign this and publish it to every relay; ``event_id`` is the id it will have."""

    template: EventTemplate
    event_id: str


@dataclass(frozen=True, slots=True)
class SendChat:
    """Publish a line of chat: sealed for the opponent, or in the open where there is none.

    What the arbiter is to carry to another wire goes through ``carrier``, its public key: a private
    line is sealed for it, a public one names it.
    """

    game_id: str
    text: str
    opponent: str | None
    at: int
    carrier: str | None = None


@dataclass(frozen=True, slots=True)
class TuneIn:
    """Hear the chat of this game: the opponent's lines, with ``public`` the spectators' too."""

    game_id: str
    opponent: str | None
    public: bool
    since: int


@dataclass(frozen=True, slots=True)
class LookUp:
    """Ask the relays for the profiles and the ratings of these players, in place of others."""

    pubkeys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Ask the relays again for what is stored; answered by a ``CaughtUp``."""


@dataclass(frozen=True, slots=True)
class Save:
    """Write the text to a file the player named."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Leave:
    """End the program with this exit code."""

    code: int


# ----------------------------------------------------------------------- for showing


@dataclass(frozen=True, slots=True)
class RelayFound:
    """A relay is connected; ``back`` when every relay had been lost."""

    url: str
    connected: int
    back: bool


@dataclass(frozen=True, slots=True)
class RelayLost:
    """A relay is gone; ``connected`` are left."""

    url: str
    why: str
    connected: int


@dataclass(frozen=True, slots=True)
class Queued:
    """The arbiter looks for an opponent on these terms, or keeps our challenge; ``link`` is what
    alone accepts it.
    """

    terms: Terms = PLAIN
    challenge: str | None = None
    link: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class OpenChallenge:
    """A challenge to us, under the number that it keeps for as long as the program runs."""

    number: int
    challenge: Challenged
    name: str = ""
    """What the challenger calls themself, once that is known."""


@dataclass(frozen=True, slots=True)
class ChallengeCame:
    """Somebody wants to play us."""

    came: OpenChallenge


@dataclass(frozen=True, slots=True)
class ChallengesWanted:
    """List the challenges that wait for an answer; ``own`` is the id of one that we made, or its
    link.
    """

    challenges: tuple[OpenChallenge, ...]
    own: str | None = None


@dataclass(frozen=True, slots=True)
class StoppedWaiting:
    """The arbiter has taken our request and our challenges back."""


@dataclass(frozen=True, slots=True)
class OfferMade:
    """``game.offer`` stands now."""

    game: GameView


@dataclass(frozen=True, slots=True)
class OfferGone:
    """An offer stands no more, and nothing came of it: it was declined, in words or by a move of
    the player it was made to, or it was ``withdrawn`` by the move of the one who made it.
    """

    game: GameView
    offer: Offer
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A move was taken back, or several."""

    game: GameView


@dataclass(frozen=True, slots=True)
class Said:
    """A line of chat; ``mine`` was written here. ``name`` is the author's, where it is known."""

    line: ChatLine
    mine: bool
    name: str = ""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The arbiter has been silent for this long; it is asked again."""

    seconds: int


@dataclass(frozen=True, slots=True)
class Started:
    """A game begins, or goes on."""

    game: GameView
    resumed: bool


@dataclass(frozen=True, slots=True)
class Introduced:
    """A player's name or rating became known."""

    game: GameView
    pubkey: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A new state. ``san`` is the last move, None where the server does not let it be known."""

    game: GameView
    san: str | None


@dataclass(frozen=True, slots=True)
class MoveSent:
    """A move or ``quit`` left for the arbiter; ``again`` when an earlier copy was not heard."""

    content: str
    san: str
    event_id: str
    again: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """There is no relay just now; the move goes out when one is back."""

    san: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Something was refused. ``code`` is a machine word; ``mine`` is False for the opponent's."""

    source: Source
    code: str
    text: str
    mine: bool = True


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over."""

    game: GameView


@dataclass(frozen=True, slots=True)
class RecordCame:
    """The arbiter published the game as PGN."""

    game: GameView


@dataclass(frozen=True, slots=True)
class Asked:
    """The player has to answer."""

    question: Question
    game: GameView


@dataclass(frozen=True, slots=True)
class BoardWanted:
    """Show the board again; ``flipped`` against one's own side."""

    game: GameView


@dataclass(frozen=True, slots=True)
class MovesWanted:
    """Show the list of moves."""

    game: GameView


@dataclass(frozen=True, slots=True)
class PgnWanted:
    """Show the game as PGN."""

    game: GameView
    pgn: str


@dataclass(frozen=True, slots=True)
class HelpWanted:
    """Show the commands, or those about ``topic``; ``watched`` for a spectator's."""

    topic: str = ""
    watched: bool = False


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence of our own about how things stand."""

    code: str
    text: str


Notice = (
    RelayFound
    | RelayLost
    | Queued
    | ChallengeCame
    | ChallengesWanted
    | StoppedWaiting
    | OfferMade
    | OfferGone
    | TakenBack
    | Said
    | NoAnswer
    | Started
    | Introduced
    | Moved
    | MoveSent
    | Kept
    | Refused
    | Ended
    | RecordCame
    | Asked
    | BoardWanted
    | MovesWanted
    | PgnWanted
    | HelpWanted
    | Remark
)
Effect = Send | SendChat | TuneIn | LookUp | Subscribe | Save | Leave | Notice
