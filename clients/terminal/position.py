"""The moves and the position of a game, from its states.

Invariant: never backwards. States come in any order and more than once, so one is followed only if
it is newer than what is known: by its version where the server numbers its states (a takeback
leaves fewer plies), else by its plies. Listed moves are replayed and compared; between bare FENs
the moves are found by trying the legal ones.
"""

import re
from dataclasses import dataclass, replace

import chess

from clients.terminal.wire import StateClaim

_FEN = re.compile(
    r"[1-8pnbrqkPNBRQK/]{15,80} [wb] [KQkqA-Ha-h-]{1,4} [a-h1-8-]{1,2} \d{1,4} \d{1,4}"
)

_PLIES_TRIED = 2
"""Plies that are searched for a FEN: our own move and the answer to it, some thousand positions."""


@dataclass(frozen=True, slots=True)
class Line:
    """The moves (UCI) played since ``base_fen``, the position at ply ``base_ply``.

    The base is the initial position unless the server gives no moves and we came in later.
    ``at`` is the date of the state it was read from, in unix seconds, and ``version`` its number.
    """

    base_fen: str
    base_ply: int
    moves: tuple[str, ...]
    at: int
    start_fen: str = chess.STARTING_FEN
    chess960: bool = False
    version: int | None = None

    @property
    def ply(self) -> int:
        """The number of half-moves played in the game."""
        return self.base_ply + len(self.moves)

    @property
    def complete(self) -> bool:
        """Whether the moves reach back to the start of the game."""
        return self.base_ply == 0 and self.base_fen == self.start_fen

    @property
    def first_ply(self) -> int:
        """The plies before the first move by the start position's move number."""
        return chess.Board(self.start_fen).ply() if self.start_fen != chess.STARTING_FEN else 0

    def board(self) -> chess.Board:
        """The position, with the moves that led to it from the base."""
        board = chess.Board(self.base_fen, chess960=self.chess960)
        for move in self.moves:
            board.push_uci(move)
        return board


def read_fen(fen: str, *, chess960: bool = False) -> chess.Board | None:
    """The position in a FEN; None if it is malformed or lacks a king."""
    if not _FEN.fullmatch(fen):
        return None
    try:
        board = chess.Board(fen, chess960=chess960)
    except ValueError:
        return None
    one_king_each = all(len(board.pieces(chess.KING, color)) == 1 for color in chess.COLORS)
    return board if one_king_each else None


def follow(known: Line | None, claim: StateClaim) -> Line | None:
    """The line after ``claim``; None if that is stale or unreadable."""
    board = read_fen(claim.fen, chess960=claim.chess960)
    if board is None or _is_older(claim, known):
        return None
    listed = _replayed(claim, board)
    if listed is not None:
        numbered = known is None or _both_numbered(claim, known)
        return listed if numbered or known is None or listed.ply >= known.ply else None
    found = _follow_fen(known, claim, board)
    return found and replace(found, version=claim.version)


def _is_older(claim: StateClaim, known: Line | None) -> bool:
    """By version; in a numbered game a state without one is older."""
    if known is None or known.version is None:
        return False
    return claim.version is None or claim.version < known.version


def _both_numbered(claim: StateClaim, known: Line) -> bool:
    return claim.version is not None and known.version is not None


def _follow_fen(known: Line | None, claim: StateClaim, board: chess.Board) -> Line | None:
    """The line after a state that lists no moves."""
    ply = _claimed_ply(claim, board)
    start = claim.start or chess.STARTING_FEN
    fresh = Line(claim.fen, ply, (), claim.at, start, claim.chess960)
    if known is None:
        return fresh
    here = known.board()
    if _counts_nothing(claim, board):
        return _follow_uncounted(known, here, board, claim)
    if ply < known.ply:
        return fresh if _both_numbered(claim, known) else None
    if ply == known.ply:
        return replace(known, at=max(known.at, claim.at)) if _same(here, board) else None
    path = _path(here, board) if ply - known.ply <= _PLIES_TRIED else None
    if path is not None and len(path) == ply - known.ply:
        return replace(known, moves=(*known.moves, *path), at=claim.at)
    return fresh


def _replayed(claim: StateClaim, board: chess.Board) -> Line | None:
    """The listed moves, if they are legal and lead to the position beside them."""
    if claim.moves is None or (claim.ply is not None and claim.ply != len(claim.moves)):
        return None
    start = claim.start or chess.STARTING_FEN
    replayed = read_fen(start, chess960=claim.chess960)
    if replayed is None:
        return None
    for uci in claim.moves:
        try:
            replayed.push(replayed.parse_uci(uci))
        except ValueError:
            return None
    if not _same(replayed, board):
        return None
    return Line(start, 0, claim.moves, claim.at, start, claim.chess960, claim.version)


def _claimed_ply(claim: StateClaim, board: chess.Board) -> int:
    if claim.ply is not None and (claim.start or claim.ply % 2 == board.ply() % 2):
        return claim.ply
    return max(0, board.ply())


def _counts_nothing(claim: StateClaim, board: chess.Board) -> bool:
    """Whether the server writes ``0 1`` behind every FEN, as some chess libraries do."""
    return claim.ply is None and board.fullmove_number <= 1 and board.halfmove_clock == 0


def _follow_uncounted(
    known: Line, here: chess.Board, board: chess.Board, claim: StateClaim
) -> Line | None:
    """Without a count, a position is newer if it can be reached from here or is dated later."""
    if _same(here, board):
        return replace(known, at=max(known.at, claim.at))
    if claim.at < known.at:
        return None
    path = _path(here, board)
    # Two pieces may go back where they came from: only the date tells two plies on from two ago.
    if claim.at == known.at and (path is None or len(path) > 1):
        return None
    if path is not None:
        return replace(known, moves=(*known.moves, *path), at=claim.at)
    parity = 1 if here.turn != board.turn else 2
    return Line(claim.fen, known.ply + parity, (), claim.at)


def _path(here: chess.Board, there: chess.Board) -> tuple[str, ...] | None:
    """The one or two legal moves from here to there."""
    for first in here.legal_moves:
        one = here.copy(stack=False)
        one.push(first)
        if _same(one, there):
            return (first.uci(),)
    if here.turn != there.turn:
        return None
    for first in here.legal_moves:
        one = here.copy(stack=False)
        one.push(first)
        for second in one.legal_moves:
            two = one.copy(stack=False)
            two.push(second)
            if _same(two, there):
                return first.uci(), second.uci()
    return None


def _same(one: chess.Board, other: chess.Board) -> bool:
    """Equal but for the counters and the en passant square, which programs write differently."""
    return (
        one.turn == other.turn
        and one.castling_rights == other.castling_rights
        and one.board_fen() == other.board_fen()
    )
