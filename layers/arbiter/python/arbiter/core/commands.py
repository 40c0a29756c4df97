"""What can be asked of a game. Imperative, and already free of any wire's spelling."""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto

import chess


@dataclass(frozen=True, slots=True)
class Claims:
    """What the author says his move leads to: the position after it, how it is written, and who
    has won with it.

    ``fen`` and ``san`` are his own text, of any content; None where he says nothing.
    """

    fen: str | None = None
    san: str | None = None
    winner: chess.Color | None = None


class OfferKind(StrEnum):
    """What one player can offer the other."""

    DRAW = "draw"
    TAKEBACK = "takeback"
    REMATCH = "rematch"
    ABORT = "abort"


class AnsweredState(Enum):
    """Which state a command says it answers; the wire's word is a claim, resolved before it gets
    here. ``EARLIER_EDITION`` is the present position as it was before an offer came or went.
    ``UNPLACED`` is a state that was told too long ago to be known: as for a command that
    names none, the date decides, but an illegal move is no strike.
    """

    LATEST = auto()
    EARLIER_EDITION = auto()
    OLDER = auto()
    UNPLACED = auto()
    UNSAID = auto()


class Ends(Enum):
    """How a player says that his move ends the game."""

    CHECKMATE = auto()
    DRAW = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMove:
    """Play ``uci`` (lower case, ``e2e4`` or ``e7e8q``).

    ``made_at_ms`` is the author's claim, ``received_at_ms`` what our listener stamped; both unix
    milliseconds. On wires that number the moves, ``ply`` is how many half-moves are played once
    this one is: it says which position the move is for. A move that is said to end the game
    (``ends``) and does not is refused; ``claims`` change nothing.
    """

    player: str
    uci: str
    made_at_ms: int
    received_at_ms: int
    answers: AnsweredState = AnsweredState.UNSAID
    ply: int | None = None
    ends: Ends | None = None
    claims: Claims | None = None


@dataclass(frozen=True, slots=True)
class Resign:
    """Give the game up. ``made_at_ms`` is the author's claim, as for a move; None on wires whose
    dates say nothing.
    """

    player: str
    made_at_ms: int | None = None
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class Abort:
    """Call off a game that has hardly begun; or offer to, in one by days whose opponent is silent.
    ``made_at_ms`` as in ``Resign``.
    """

    player: str
    made_at_ms: int | None = None
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave: an abort while that is allowed, a resignation after. For wires with one word for
    both. ``made_at_ms`` as in ``Resign``.
    """

    player: str
    made_at_ms: int | None = None
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class Unrecognized:
    """Something that the player signed for this game and that no dialect can read. Always refused,
    never a strike.
    """

    player: str


@dataclass(frozen=True, slots=True)
class MakeOffer:
    """Offer this, or agree to it if the opponent has offered it.

    ``made_at_ms`` is the author's claim, as for a move. ``only_after_own_move`` is for wires on
    which a draw can be offered at no other time. ``address`` is where a rematch will find its
    author, on wires where that is elsewhere than this game.
    """

    player: str
    kind: OfferKind
    made_at_ms: int
    only_after_own_move: bool = False
    address: str = ""
    answers: AnsweredState = AnsweredState.UNSAID

    def knows(self, since_ms: int) -> bool:
        """Whether its author knew the present state, which is as it is since then (unix ms): by the
        state that it names, or by its date if it names none.
        """
        if self.answers in (AnsweredState.UNSAID, AnsweredState.UNPLACED):
            return self.made_at_ms // 1000 >= since_ms // 1000
        return self.answers is AnsweredState.LATEST


@dataclass(frozen=True, slots=True)
class DeclineOffer:
    """Turn down what the opponent has offered."""

    player: str
    kind: OfferKind
    made_at_ms: int
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class ClaimDraw:
    """Claim a draw by what stands on the board (FIDE 9.2, 9.3)."""

    player: str
    made_at_ms: int
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class CallFlag:
    """Point out that the opponent's time is up."""

    player: str
    answers: AnsweredState = AnsweredState.UNSAID


@dataclass(frozen=True, slots=True)
class ShowState:
    """Ask where the game stands. Anybody may."""

    player: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A timer's nudge: look at the clock. Harmless when it comes late, early or twice."""

    player: str = ""


GameWord = Resign | Abort | Quit | Unrecognized | MakeOffer | DeclineOffer | ClaimDraw | CallFlag
"""What a player says in a game beside moves."""

PlayersCommand = PlayMove | GameWord
"""What can be asked by those alone who have a seat."""

Command = PlayersCommand | ShowState | Tick


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """A command that waits, and what caused it (32 bytes)."""

    event_key: bytes
    command: PlayMove | Resign | MakeOffer
