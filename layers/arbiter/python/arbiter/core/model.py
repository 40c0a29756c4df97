"""What a game is.

The law: **the moves are the state**. A position is derived from them by replay, because a FEN
alone forgets repetition (docs/decisions/0001-moves-are-the-state.md). Everything here is a frozen
value; time, ids and chance come in as arguments.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum

import chess

WHITE: chess.Color = chess.WHITE
BLACK: chess.Color = chess.BLACK

CAUSE_BYTES = 8
"""A cause is kept as the first 8 bytes of its id: forging a collision takes 2^64 hashes, and a
65-ply game stays under 1 KB.
"""

ANSWERED_PER_SEAT = 8
"""How many refused events of one player a game remembers; of older ones that name no state those
are caught that were signed more than a minute before the position.
"""


class Termination(StrEnum):
    """Why a game ended, in the word that goes on the wire."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient-material"
    FIVEFOLD_REPETITION = "fivefold-repetition"
    SEVENTYFIVE_MOVES = "seventyfive-moves"
    RESIGNATION = "resignation"
    ILLEGAL_MOVES = "illegal-moves"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. ``winner`` is None for a draw and for an aborted game."""

    termination: Termination
    winner: chess.Color | None

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game.

    ``version`` rises by one with every write and is what a commit is conditional on.
    ``changed_at_ms`` is when the part that players see last changed; a remembered refusal raises
    the version and leaves it alone.
    """

    id: str
    white: Seat
    black: Seat
    created_at_ms: int
    changed_at_ms: int
    start_fen: str = chess.STARTING_FEN
    moves: tuple[chess.Move, ...] = ()
    outcome: Outcome | None = None
    white_strikes: int = 0
    black_strikes: int = 0
    applied: tuple[bytes, ...] = ()
    white_answered: tuple[bytes, ...] = ()
    black_answered: tuple[bytes, ...] = ()
    version: int = 1
    memo: chess.Board | None = field(default=None, compare=False, repr=False)

    @property
    def ply(self) -> int:
        """How many half-moves have been played."""
        return len(self.moves)

    @property
    def turn(self) -> chess.Color:
        """Who moves next."""
        return (" w " in self.start_fen) == (self.ply % 2 == 0)

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

    def remembers(self, cause: bytes) -> bool:
        """Whether the event with this id was already applied or answered here."""
        key = cause[:CAUSE_BYTES]
        return key in self.applied or key in self.white_answered or key in self.black_answered

    def board(self) -> chess.Board:
        """The position with its history, by replay. To look at, not to push on: see ``after``.

        Replayed once: at two hundred plies a replay costs more than all else that a move does. The
        board is a memo and no part of the value, and is not believed when it has moved on.
        """
        board = self.memo
        if board is None or board.move_stack[-1:] != [*self.moves[-1:]] or _ply(board) != self.ply:
            board = chess.Board(self.start_fen)
            for move in self.moves:
                board.push(move)
            object.__setattr__(self, "memo", board)
        return board

    def after(self, move: chess.Move, now_ms: int) -> "Game":
        """The game with this legal move played at that time; the board goes along."""
        board = self.board()
        board.push(move)
        return replace(self, moves=(*self.moves, move), changed_at_ms=now_ms, memo=board)


def _ply(board: chess.Board) -> int:
    return len(board.move_stack)
