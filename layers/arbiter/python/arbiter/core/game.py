"""What a game is.

The law: **the moves are the state**. A position is derived from them by replay, because a FEN
alone forgets repetition (docs/decisions/0001-moves-are-the-state.md). Everything here is a frozen
value; time, ids and chance come in as arguments.

What a game is called: 16 bytes that two players' requests decide, or chance
(docs/decisions/0009-game-ids-are-sixteen-bytes.md).

The law: strangers write such names, so a text is looked at here before it becomes a key, a path or
a part of a question to the table.
"""

import re
from dataclasses import dataclass, field, replace
from enum import StrEnum

import chess

from arbiter.core.clocks import LOOK_AGAIN_MS, SETTLE_MS, Clocks
from arbiter.core.commands import OfferKind, PendingCommand

WHITE: chess.Color = chess.WHITE
BLACK: chess.Color = chess.BLACK

EVENT_KEY_BYTES = 8
"""A event_key is kept as the first 8 bytes of its id: forging a collision takes 2^64 hashes, and a
65-ply game stays under 1 KB.
"""

REFUSED_IDS_PER_SEAT = 7
"""How many refused events of one player a game remembers; of older ones that name no state those
are caught that were signed more than a minute before the position.
"""


EARLIER_VERSIONS_KEPT = 8
"""How many earlier editions of a position a move may still name without being stale."""


class Termination(StrEnum):
    """Why a game ended, in the word that goes on the wire."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient-material"
    FIVEFOLD_REPETITION = "fivefold-repetition"
    SEVENTYFIVE_MOVES = "seventyfive-moves"
    THREEFOLD_REPETITION = "threefold-repetition"
    FIFTY_MOVES = "fifty-moves"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    TIMEOUT = "timeout"
    ILLEGAL_MOVES = "illegal-moves"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. ``winner`` is None for a draw and for an aborted game. ``aborted_by`` is
    who called it off or made no first move; None for other ends, and where nobody is to blame.
    """

    termination: Termination
    winner: chess.Color | None
    aborted_by: chess.Color | None = None

    @property
    def result(self) -> str:
        """The PGN result token: ``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for an aborted game."""
        if self.termination is Termination.ABORTED:
            return "*"
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner == WHITE else "0-1"


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits here, and in which dialect and at which address he is spoken to.

    ``player`` is an opaque identity to the core (a 64-hex pubkey in the native dialect).
    """

    player: str
    dialect: str
    address: str = ""


class Variant(StrEnum):
    """By which rules a game is played."""

    STANDARD = "standard"
    CHESS960 = "chess960"


@dataclass(frozen=True, slots=True)
class Offer:
    """Something offered, and by which colour. ``address`` is where a rematch finds the one who
    offers it, if not where this game does; the offer is the same wherever that is.
    """

    kind: OfferKind
    color: chess.Color
    address: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class StateVersion:
    """What players see of one position beside the moves: an offer may come and go while they think.

    ``number`` rises with every change that players can see, ``since_ms`` is when this one was made.
    """

    number: int
    since_ms: int
    offer: Offer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game.

    ``version`` rises by one with every write and is what a commit is conditional on. ``edition``
    rises with every change that players can see, and ``changed_at_ms`` is when it last did; a
    remembered refusal raises the version and leaves both alone. ``former`` are the editions of this
    same position that came before. ``white_offered_at`` is the ply of White's last draw offer.
    ``timer_at_ms`` is when a timer will next have us look at the clock. ``ended_at_ms`` is when the
    game ended: a rematch may be offered after that, and changes it no more. ``moved_at_ms`` is when
    each move was made, for wires that tell; empty for all others, since it makes an item grow.
    ``held`` came before the moves it answers.
    """

    id: str
    white: Seat
    black: Seat
    created_at_ms: int
    changed_at_ms: int
    start_fen: str = chess.STARTING_FEN
    moves: tuple[chess.Move, ...] = ()
    outcome: Outcome | None = None
    ended_at_ms: int | None = None
    white_strikes: int = 0
    black_strikes: int = 0
    applied_ids: tuple[bytes, ...] = ()
    white_refused_ids: tuple[bytes, ...] = ()
    black_refused_ids: tuple[bytes, ...] = ()
    item_version: int = 1
    rated: bool = False
    variant: Variant = Variant.STANDARD
    clocks: Clocks | None = None
    state_version: int = 1
    offer: Offer | None = None
    earlier_versions: tuple[StateVersion, ...] = ()
    white_offered_at: int | None = None
    black_offered_at: int | None = None
    next_game_id: str | None = None
    timer_at_ms: int | None = None
    moved_at_ms: tuple[int, ...] = ()
    pending: tuple[PendingCommand, ...] = ()
    cached_board: chess.Board | None = field(default=None, compare=False, repr=False)

    @property
    def ply(self) -> int:
        """How many half-moves have been played."""
        return len(self.moves)

    @property
    def turn(self) -> chess.Color:
        """Who moves next."""
        return self.mover(self.ply)

    def mover(self, ply: int) -> chess.Color:
        """Who makes the move that follows so many half-moves."""
        return (" w " in self.start_fen) == (ply % 2 == 0)

    @property
    def result(self) -> str:
        """The PGN result token; ``*`` while the game goes on."""
        return self.outcome.result if self.outcome else "*"

    def seat(self, color: chess.Color) -> Seat:
        """The seat of one colour."""
        return self.white if color == WHITE else self.black

    def color_of(self, player: str) -> chess.Color | None:
        """The colour this player has here, or None for a stranger."""
        if player == self.white.player:
            return WHITE
        if player == self.black.player:
            return BLACK
        return None

    def strikes(self, color: chess.Color) -> int:
        """How many illegal moves of this colour were counted."""
        return self.white_strikes if color == WHITE else self.black_strikes

    def remembers(self, event_key: bytes) -> bool:
        """Whether the event with this id was already applied or answered here."""
        key = event_key[:EVENT_KEY_BYTES]
        return (
            key in self.applied_ids
            or key in self.white_refused_ids
            or key in self.black_refused_ids
            or any(held.event_key[:EVENT_KEY_BYTES] == key for held in self.pending)
        )

    def refused(self, event_key: bytes) -> bool:
        """Whether the event with this id was answered here with a refusal."""
        key = event_key[:EVENT_KEY_BYTES]
        return key in self.white_refused_ids or key in self.black_refused_ids

    def board(self) -> chess.Board:
        """The position with its history, by replay. To look at, not to push on: see ``after``.

        Replayed once: at two hundred plies a replay costs more than all else that a move does. The
        board is a memo and no part of the value, and is not believed when it has moved on.
        """
        board = self.cached_board
        if board is None or board.move_stack[-1:] != [*self.moves[-1:]] or _ply(board) != self.ply:
            board = chess.Board(self.start_fen, chess960=self.variant is Variant.CHESS960)
            for move in self.moves:
                board.push(move)
            object.__setattr__(self, "cached_board", board)
        return board

    def after(self, move: chess.Move, now_ms: int) -> "Game":
        """The game with this legal move played at that time; the board goes along as its memo."""
        self.board().push(move)
        moves = (*self.moves, move)
        edition = self.state_version + 1
        return replace(
            self, moves=moves, state_version=edition, earlier_versions=(), changed_at_ms=now_ms
        )

    def taken_back(self, plies: int, now_ms: int) -> "Game":
        """The game with its last moves undone."""
        moves = self.moves[: self.ply - plies]
        edition = self.state_version + 1
        return replace(
            self,
            moves=moves,
            state_version=edition,
            earlier_versions=(),
            changed_at_ms=now_ms,
            offer=None,
        )

    def with_offer(self, offer: Offer | None, now_ms: int) -> "Game":
        """Another edition of the same position."""
        before = StateVersion(self.state_version, self.changed_at_ms, self.offer)
        former = (*self.earlier_versions, before)[-EARLIER_VERSIONS_KEPT:]
        edition = self.state_version + 1
        return replace(
            self, offer=offer, state_version=edition, earlier_versions=former, changed_at_ms=now_ms
        )

    def offered_at(self, color: chess.Color) -> int | None:
        """The ply at which this colour last offered a draw."""
        return self.white_offered_at if color == WHITE else self.black_offered_at

    @property
    def position_since_ms(self) -> int:
        """When this position appeared, whatever was offered in it since."""
        return self.earlier_versions[0].since_ms if self.earlier_versions else self.changed_at_ms

    @property
    def end_ms(self) -> int:
        """When a finished game ended; one that does not say so ended when it last changed."""
        return self.changed_at_ms if self.ended_at_ms is None else self.ended_at_ms

    def deadline_ms(self) -> int | None:
        """When the side to move runs out of time; None while no clock runs."""
        if self.clocks is None or self.outcome is not None:
            return None
        return self.clocks.deadline_ms(self.ply, white=self.turn)

    def with_timer(self, fired_at_ms: int | None = None, stood_still_ms: int = 0) -> "Game":
        """The game with a timer that comes in time for the present move.

        The timer under way is kept while it comes no later than the flag may be called: it looks at
        the clock then and is wound again, which takes far fewer timers than one for each move.
        ``fired_at_ms`` is the time of the timer that just came, and ``stood_still_ms`` for how long
        the clock did until then.
        """
        deadline_ms = self.deadline_ms()
        if deadline_ms is None:
            return self
        due_ms = deadline_ms + SETTLE_MS + stood_still_ms
        if stood_still_ms and fired_at_ms is not None:
            # If it stands still even now, this will be too early again, however little is left.
            due_ms = max(due_ms, fired_at_ms + LOOK_AGAIN_MS)
        is_spent = self.timer_at_ms is None or (
            fired_at_ms is not None and fired_at_ms >= self.timer_at_ms
        )
        if not is_spent and self.timer_at_ms is not None and self.timer_at_ms <= due_ms:
            return self
        return replace(self, timer_at_ms=due_ms)


def _ply(board: chess.Board) -> int:
    return len(board.move_stack)


GAME_ID_BYTES = 16

_GAME_ID = re.compile("[0-9a-f]{32}")


def is_game_id(text: str) -> bool:
    """Whether a game of ours can be called this: 32 lower-case hex digits, and nothing around
    them.
    """
    return _GAME_ID.fullmatch(text) is not None
