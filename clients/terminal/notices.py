"""Notices, as values that a screen shows as a sentence or as a line of JSON."""

from dataclasses import dataclass, field
from enum import Enum, StrEnum

import chess

from clients.player.chat import ChatLine
from clients.player.messages import Challenged, Offer
from clients.player.terms import Terms
from clients.terminal.game_view import GameView
from clients.terminal.terms import PLAIN


class Question(Enum):
    """A question that the player has not answered yet."""

    RESIGN = "resign"
    LEAVE = "leave"


class Source(StrEnum):
    """The side that refused."""

    CLIENT = "client"
    ARBITER = "arbiter"
    RELAY = "relay"


@dataclass(frozen=True, slots=True)
class RelayFound:
    """A relay is connected; ``back`` when all relays had been lost."""

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
class NoAnswer:
    """The arbiter has not answered for this long; it is asked again."""

    seconds: int


@dataclass(frozen=True, slots=True)
class Queued:
    """The arbiter looks for an opponent on these terms, or keeps our challenge; where there is a
    ``link``, only that accepts it.
    """

    terms: Terms = PLAIN
    challenge: str | None = None
    link: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class OpenChallenge:
    """A challenge to us, under a number that it keeps while the program runs. ``name`` is the
    challenger's, once it is known.
    """

    number: int
    challenge: Challenged
    name: str = ""


@dataclass(frozen=True, slots=True)
class ChallengeCame:
    """Another player challenges us."""

    came: OpenChallenge


@dataclass(frozen=True, slots=True)
class ChallengesWanted:
    """The challenges that wait for an answer; ``own`` is the id of ours, or its link."""

    challenges: tuple[OpenChallenge, ...]
    own: str | None = None


@dataclass(frozen=True, slots=True)
class StoppedWaiting:
    """The arbiter has cancelled our request and our challenges."""


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
    """A new state. ``san`` is the last move, None where the server does not say it."""

    game: GameView
    san: str | None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """One or more moves were taken back."""

    game: GameView


@dataclass(frozen=True, slots=True)
class MoveSent:
    """A move or a word was sent; ``again`` when an earlier copy had no effect."""

    content: str
    san: str
    event_id: str
    again: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """There is no relay just now; the move is sent when one is back."""

    san: str


@dataclass(frozen=True, slots=True)
class OfferMade:
    """``game.offer`` is open."""

    game: GameView


@dataclass(frozen=True, slots=True)
class OfferGone:
    """An offer ended without effect: declined, in words or by a move, or ``withdrawn`` by the move
    of the player who made it.
    """

    game: GameView
    offer: Offer
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class OtherGame:
    """In a game that is not on the board it is the player's move, or it is over."""

    number: int
    game: GameView


@dataclass(frozen=True, slots=True)
class GamesWanted:
    """The player's games with their numbers; ``current`` is the id of the one on the board."""

    games: tuple[tuple[int, GameView], ...]
    current: str | None


@dataclass(frozen=True, slots=True)
class CameOrLeft:
    """A player left the arbiter's own relay, or is back: ``game.away``."""

    game: GameView
    color: chess.Color


@dataclass(frozen=True, slots=True)
class Said:
    """A line of chat; ``mine`` was written here. ``name`` is the author's, where it is known."""

    line: ChatLine
    mine: bool
    name: str = ""


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
    """The board again, perhaps flipped."""

    game: GameView


@dataclass(frozen=True, slots=True)
class MovesWanted:
    """The list of moves."""

    game: GameView


@dataclass(frozen=True, slots=True)
class PgnWanted:
    """The game as PGN."""

    game: GameView
    pgn: str


@dataclass(frozen=True, slots=True)
class HelpWanted:
    """The commands, or those about ``topic``; ``watched`` for a spectator's."""

    topic: str = ""
    watched: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal. ``code`` is a machine word; ``mine`` is False for the opponent's."""

    source: Source
    code: str
    text: str
    mine: bool = True


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence of the client's own."""

    code: str
    text: str


def refused_here(code: str, text: str) -> Refused:
    """A refusal by the client itself."""
    return Refused(Source.CLIENT, code, text)


NO_RELAY = Refused(Source.CLIENT, "no-relay", "There is no relay just now: try again in a moment")

LobbyNotice = (
    RelayFound | RelayLost | NoAnswer | Queued | ChallengeCame | ChallengesWanted | StoppedWaiting
)
MoveNotice = Started | Introduced | Moved | TakenBack | MoveSent | Kept
TalkNotice = OfferMade | OfferGone | OtherGame | CameOrLeft | Said | Ended | RecordCame
ReplyNotice = (
    Asked | BoardWanted | GamesWanted | MovesWanted | PgnWanted | HelpWanted | Refused | Remark
)
"""Notices that answer the player's own input."""

Notice = LobbyNotice | MoveNotice | TalkNotice | ReplyNotice
