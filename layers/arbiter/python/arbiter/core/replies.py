"""What deciding says: what happened (past tense), or why nothing did. Dialects turn these into
wire events.
"""

from dataclasses import dataclass
from enum import StrEnum

import chess

from arbiter.core.commands import Command
from arbiter.core.game import Game, Seat
from arbiter.core.seeks import Challenge


class Reason(StrEnum):
    """Why a command was refused, as the stable machine word that opens an error on the wire."""

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


@dataclass(frozen=True, slots=True)
class Queued:
    """The player waits for an opponent; for one in particular if ``challenge_id`` is given."""

    seat: Seat
    challenge_id: str | None = None


@dataclass(frozen=True, slots=True)
class Challenged:
    """Somebody wants to play this player, on these terms."""

    seat: Seat
    challenge: Challenge


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The player waits no more, or a challenge is gone."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class RequestRefused:
    """A request to play was refused."""

    seat: Seat
    reason: Reason
    text: str


@dataclass(frozen=True, slots=True)
class GameStarted:
    """Two players were paired; both are told, each his own colour."""

    game: Game


@dataclass(frozen=True, slots=True)
class StateShown:
    """Somebody asked where a game stands: the player of this colour, or a spectator (None)."""

    game: Game
    color: chess.Color | None


@dataclass(frozen=True, slots=True)
class MovePlayed:
    """A move was accepted, and the game goes on."""

    game: Game


@dataclass(frozen=True, slots=True)
class GameChanged:
    """An offer came or went, or a move was taken back; the game goes on, or is over as it was."""

    game: Game


@dataclass(frozen=True, slots=True)
class RematchAgreed:
    """Both want another game, with colours swapped."""

    game: Game


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over: ``game.outcome`` says how."""

    game: Game


@dataclass(frozen=True, slots=True)
class Rejected:
    """A command was refused. ``game`` is None when no game is known by the id given, or the author
    has no seat in it. ``about`` is the event_key (64 hex) of a command that was held until now;
    empty for the one that is answered. ``is_strike`` says that it counts against the author, which
    is the opponent's business too.
    """

    author: str
    reason: Reason
    text: str
    game: Game | None = None
    about: str = ""
    is_strike: bool = False


@dataclass(frozen=True, slots=True)
class ClaimRejected:
    """Something that the author said contradicts the rules or himself, and changed nothing; what he
    did was judged for itself. ``about`` as in ``Rejected``.
    """

    game: Game
    author: str
    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A player, or (public lines only) a spectator, said this beside the game. ``author`` is an
    identity as a seat has it, ``colors`` are the seats that hear it only if it is carried to their
    wires.
    """

    game: Game
    author: str
    text: str
    is_private: bool
    colors: frozenset[chess.Color]


Reply = (
    Queued
    | Challenged
    | Cancelled
    | RequestRefused
    | GameStarted
    | StateShown
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
    """The game as it should stand now, and what to say. ``decision.game is game`` means nothing
    changed.
    """

    game: Game
    replies: tuple[Reply, ...]


def refuse(game: Game, command: Command, reason: Reason, text: str) -> Decision:
    """A refusal that leaves the very same game."""
    seated = game.color_of(command.player) is not None
    refusal = Rejected(command.player, reason, text, game if seated else None)
    if seated and reason is Reason.STALE:
        # Whoever answers an older state has missed the present one.
        return Decision(game, (StateShown(game, None), refusal))
    return Decision(game, (refusal,))
