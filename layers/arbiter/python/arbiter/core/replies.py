"""Replies: what a decision tells players (past tense). Dialects encode them as wire events."""

from dataclasses import dataclass
from enum import StrEnum

import chess

from arbiter.core.commands import Command
from arbiter.core.game import Game, Seat
from arbiter.core.seeks import Challenge


class Reason(StrEnum):
    """Reasons why a command is refused. The values are on the wire and never change."""

    ILLEGAL_MOVE = "illegal-move"
    NOT_YOUR_TURN = "not-your-turn"
    STALE = "stale"
    GAME_OVER = "game-over"
    TOO_LATE = "too-late"
    MALFORMED = "malformed"
    BAD_TIME = "bad-time"
    NOT_A_PLAYER = "not-a-player"
    UNKNOWN_GAME = "unknown-game"
    RATE_LIMITED = "rate-limited"
    NO_OFFER = "no-offer"
    NO_CLAIM = "no-claim"
    NOT_OFFERED_HERE = "not-offered-here"
    TIME_LEFT = "time-left"
    BAD_TERMS = "bad-terms"
    UNKNOWN_CHALLENGE = "unknown-challenge"
    DECLINED = "declined"
    PLAYING = "playing"
    EARLY = "early"
    FORKED = "forked"
    WRONG_RESULT = "wrong-result"
    POW = "pow"
    NOT_ORGANISER = "not-organiser"
    NOT_ENTERED = "not-entered"
    WRONG_PHASE = "wrong-phase"
    FULL = "full"
    RESTRICTED = "restricted"


@dataclass(frozen=True, slots=True)
class Queued:
    """The player waits for an opponent or an answer, at this ``place`` (from 1) of a line."""

    seat: Seat
    challenge_id: str | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Challenged:
    """The player is challenged, on these terms."""

    seat: Seat
    challenge: Challenge


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The player no longer waits; with a ``challenge_id`` that one to them is withdrawn."""

    seat: Seat
    challenge_id: str | None = None


@dataclass(frozen=True, slots=True)
class GamesListed:
    """The games that the player asked for were told; they have ``number`` in all."""

    seat: Seat
    number: int


@dataclass(frozen=True, slots=True)
class Blocked:
    """The keys (64 hex digits) that the player blocks."""

    seat: Seat
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoticesChanged:
    """The ways of notices: by direct message, on these devices; ``push_key`` signs pushes."""

    seat: Seat
    dm: bool
    devices: tuple[str, ...]
    push_key: str


@dataclass(frozen=True, slots=True)
class RequestRefused:
    """A request to play was refused, or the challenge with this id was declined."""

    seat: Seat
    reason: Reason
    text: str
    challenge_id: str | None = None


@dataclass(frozen=True, slots=True)
class GameStarted:
    """Two players were paired. Each is sent their own colour."""

    game: Game


@dataclass(frozen=True, slots=True)
class StateShown:
    """The state of a game for the player of this colour, or for a spectator (None)."""

    game: Game
    color: chess.Color | None


@dataclass(frozen=True, slots=True)
class LinesTold:
    """The player of this colour is told their own lines in this game, and no other is."""

    game: Game
    color: chess.Color


@dataclass(frozen=True, slots=True)
class MovePlayed:
    """A move was accepted, and the game goes on."""

    game: Game


@dataclass(frozen=True, slots=True)
class GameChanged:
    """An offer was made or ended, or moves were taken back. A finished game stays finished."""

    game: Game


@dataclass(frozen=True, slots=True)
class RematchAgreed:
    """Both want a rematch, with colours swapped."""

    game: Game


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over: ``game.outcome`` says how."""

    game: Game


@dataclass(frozen=True, slots=True)
class Rejected:
    """A command was refused. ``game`` is None without one, or a seat in it. ``about`` is the key of
    a command buffered until now, else "". ``is_strike``: the opponent is told, too.
    """

    author: str
    reason: Reason
    text: str
    game: Game | None = None
    about: str = ""
    is_strike: bool = False


@dataclass(frozen=True, slots=True)
class ClaimRejected:
    """A claim contradicts the rules or an earlier event; the rest was decided as usual."""

    game: Game
    author: str
    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A chat line; ``author`` is a player id, ``colors`` the seats to receive it."""

    game: Game
    author: str
    text: str
    is_private: bool
    colors: frozenset[chess.Color]


Reply = (
    Queued
    | Challenged
    | Cancelled
    | GamesListed
    | RequestRefused
    | Blocked
    | NoticesChanged
    | GameStarted
    | StateShown
    | LinesTold
    | MovePlayed
    | GameChanged
    | RematchAgreed
    | GameEnded
    | Rejected
    | ClaimRejected
    | ChatMessage
)


@dataclass(frozen=True, slots=True)
class Decision:
    """The game to store, and the replies. ``decision.game is game`` means that nothing changed."""

    game: Game
    replies: tuple[Reply, ...]


def refuse(game: Game, command: Command, reason: Reason, text: str) -> Decision:
    seated = game.color_of(command.player) is not None
    refusal = Rejected(command.player, reason, text, game if seated else None)
    if seated and reason is Reason.STALE:
        # A player who answers an older state has missed the present one.
        return Decision(game, (StateShown(game, None), refusal))
    return Decision(game, (refusal,))
