"""Commands: what players, spectators and timers ask of a game, free of any wire format."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from hashlib import sha256

import chess


@dataclass(frozen=True, slots=True)
class MoveClaims:
    """Claims of the author about their move, unchecked; None: not claimed."""

    fen: str | None = None
    san: str | None = None
    winner: chess.Color | None = None


class OfferKind(StrEnum):
    """Things that one player can offer the other."""

    DRAW = "draw"
    TAKEBACK = "takeback"
    REMATCH = "rematch"
    ABORT = "abort"


class AnsweredState(Enum):
    """The state that a command answers. ``EARLIER_VERSION`` is the position before an offer came or
    went. ``UNPLACED`` is too old: its date decides, as if ``UNSAID``, but nothing is a strike.
    """

    LATEST = auto()
    EARLIER_VERSION = auto()
    OLDER = auto()
    UNPLACED = auto()
    UNSAID = auto()


class Ends(Enum):
    """An author's claim that their move ends the game."""

    CHECKMATE = auto()
    DRAW = auto()


def line_key(moves: Iterable[str]) -> str:
    """Names a line of half-moves (UCI) by 16 hex digits, so that a pending move stays small."""
    return sha256(" ".join(moves).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMove:
    """Play ``uci`` (``e2e4``, ``e7e8q``). ``made_at_ms`` is claimed, ``received_at_ms`` our
    listener's. ``ply`` counts this half-move too, on wires that number them. A move whose ``ends``
    does not come true, or whose ``line`` is not the game's, is refused. ``offers_draw``: once it is
    played.
    """

    player: str
    uci: str
    made_at_ms: int
    received_at_ms: int
    answers: AnsweredState = AnsweredState.UNSAID
    ply: int | None = None
    ends: Ends | None = None
    claims: MoveClaims | None = None
    line: str | None = None
    offers_draw: bool = False


@dataclass(frozen=True, slots=True)
class Resign:
    """Resign; ``made_at_ms`` None where dates mean nothing. ``loser``: where the event says it."""

    player: str
    made_at_ms: int | None = None
    answers: AnsweredState = AnsweredState.UNSAID
    loser: chess.Color | None = None


@dataclass(frozen=True, slots=True)
class Abort:
    """Abort a game in which not both have moved, or give a silent opponent notice in a slow one."""

    player: str
    made_at_ms: int | None = None
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class Quit:
    """Abort while that is allowed, else resign: for wires with one word for both."""

    player: str
    made_at_ms: int | None = None
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class Unrecognized:
    """An event for this game that no dialect can parse: refused, never a strike; its ``flaw``."""

    player: str
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class MakeOffer:
    """Make an offer, or agree to the opponent's. ``only_after_own_move``: the wire allows a draw
    offer at no other time. ``address``: the author's for a rematch, where it is another.
    """

    player: str
    kind: OfferKind
    made_at_ms: int
    only_after_own_move: bool = False
    address: str = ""
    answers: AnsweredState = AnsweredState.UNSAID

    def knows(self, since_ms: int) -> bool:
        """Whether the author knew the state of ``since_ms``, by the named state or their date."""
        if self.answers in (AnsweredState.UNSAID, AnsweredState.UNPLACED):
            return self.made_at_ms // 1000 >= since_ms // 1000
        return self.answers is AnsweredState.LATEST


@dataclass(frozen=True, slots=True)
class DeclineOffer:
    """Decline the opponent's offer."""

    player: str
    kind: OfferKind
    made_at_ms: int
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class ClaimDraw:
    """Claim a draw by the position on the board (FIDE 9.2, 9.3)."""

    player: str
    made_at_ms: int
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class ClaimLeft:
    """Claim the game because the opponent has left, for ``away_ms``; 0: here, or not known."""

    player: str
    made_at_ms: int
    answers: AnsweredState = AnsweredState.UNSAID
    away_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLines:
    """Keep these lines (UCI), in place of others. ``sealed`` is their encrypted text."""

    player: str
    made_at_ms: int
    event_key: bytes
    sealed: str = field(default="", repr=False)
    lines: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class ShowLines:
    """Ask for one's own lines."""

    player: str
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class TakeVacation:
    """Let the author's clock rest for so many days."""

    player: str
    days: int
    made_at_ms: int
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class CallFlag:
    """Claim that the opponent's time is up."""

    player: str
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class ShowState:
    """Ask for the state of the game. Open to spectators."""

    player: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A timer fired: check the clock. Harmless when late, early or repeated."""

    player: str = ""


GameWord = (
    Resign
    | Abort
    | Quit
    | Unrecognized
    | MakeOffer
    | DeclineOffer
    | ClaimDraw
    | ClaimLeft
    | TakeVacation
    | CallFlag
    | SetLines
)
"""Commands of a player to a game, besides moves."""

PlayersCommand = PlayMove | GameWord | ShowLines
"""Commands that need a seat."""

Command = PlayersCommand | ShowState | Tick


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """A command that waits for earlier moves, and the key (32 bytes) of its event."""

    event_key: bytes
    command: PlayMove | Resign | MakeOffer
