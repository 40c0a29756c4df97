"""The squares that each piece of a position could ever reach, computed without making moves: the
smallest set that holds its own and is closed under its moves. Only what can never be legal is left
out: onto own pieces that never leave, past a pawn that stays, a king onto guarded squares.
"""

from collections.abc import Callable
from dataclasses import dataclass

import chess

_NOT_A = chess.BB_ALL & ~chess.BB_FILE_A
_NOT_H = chess.BB_ALL & ~chess.BB_FILE_H
_NOT_AB = _NOT_A & ~chess.BB_FILE_B
_NOT_GH = _NOT_H & ~chess.BB_FILE_G


def _straight(squares: int) -> int:
    east, west = squares & _NOT_H, squares & _NOT_A
    return (squares << 8 | squares >> 8 | east << 1 | west >> 1) & chess.BB_ALL


def _diagonal(squares: int) -> int:
    east, west = squares & _NOT_H, squares & _NOT_A
    return (east << 9 | east >> 7 | west << 7 | west >> 9) & chess.BB_ALL


def _around(squares: int) -> int:
    return _straight(squares) | _diagonal(squares)


def _leaps(squares: int) -> int:
    east, west = squares & _NOT_H, squares & _NOT_A
    upright = east << 17 | east >> 15 | west << 15 | west >> 17
    east, west = squares & _NOT_GH, squares & _NOT_AB
    return (upright | east << 10 | east >> 6 | west << 6 | west >> 10) & chess.BB_ALL


def _anyhow(squares: int) -> int:
    return _around(squares) | _leaps(squares)


_STEPS = {
    chess.KNIGHT: _leaps,
    chess.BISHOP: _diagonal,
    chess.ROOK: _straight,
    chess.QUEEN: _around,
    chess.KING: _around,
}


def _pawn_guards(squares: int, color: chess.Color) -> int:
    east, west = squares & _NOT_H, squares & _NOT_A
    return (east << 9 | west << 7 if color else east >> 7 | west >> 9) & chess.BB_ALL


class _Man:
    """One piece, and bitboards where it may ever stand and capture; they only grow."""

    __slots__ = ("color", "home", "kind", "known", "promotes", "reach", "rivals", "takes")

    def __init__(self, piece: chess.Piece, square: chess.Square) -> None:
        self.color, self.kind = piece.color, piece.piece_type
        self.home = self.reach = chess.BB_SQUARES[square]
        self.takes = 0
        self.promotes = False
        self.rivals: tuple[tuple[_Man, int], ...] = ()
        """Of a pawn: each enemy pawn ahead on its file, with the squares from there on."""
        self.known: tuple[int, ...] = ()
        """The inputs of its last growth: with the same inputs nothing is new."""


def _file(square: int) -> int:
    return chess.BB_FILES[square.bit_length() - 1 & 7]


def _ahead(pawn: _Man) -> int:
    return _file(pawn.home) & (~(pawn.home | pawn.home - 1) if pawn.color else pawn.home - 1)


def _men(board: chess.Board) -> list[_Man]:
    men = [_Man(piece, square) for square, piece in board.piece_map().items()]
    pawns = [(man, _ahead(man)) for man in men if man.kind == chess.PAWN]
    for pawn, ahead in pawns:
        pawn.rivals = tuple(
            (rival, ahead & ~behind)
            for rival, behind in pawns
            if rival.home & ahead and rival.color != pawn.color
        )
    return men


@dataclass(frozen=True, slots=True)
class Span:
    """The reach of one piece: its squares as it is and promoted, and those that it may guard."""

    kind: chess.PieceType
    color: chess.Color
    reach: int
    promoted: int
    guards: int
    is_fixed: bool

    @property
    def squares(self) -> int:
        """All squares that it may ever occupy, promoted or not."""
        return self.reach | self.promoted


class Mobility:
    """The reach of every piece of a position."""

    def __init__(self, board: chess.Board) -> None:
        self._men = _men(board)
        self._kings = {man.color: man for man in self._men if man.kind == chess.KING}
        self._promoted = [0, 0]
        """Squares that a promoted pawn of each colour may ever occupy."""
        self._moves_that_are_no_steps(board)
        while self._grow():
            pass

    def _moves_that_are_no_steps(self, board: chess.Board) -> None:
        at = {man.home: man for man in self._men}
        if board.ep_square is not None:
            # The pawn that has just passed this square can be captured on it (FIDE 3.7.3.1).
            passed = chess.BB_SQUARES[board.ep_square]
            at[passed >> 8 if board.turn else passed << 8].reach |= passed
        for square in chess.scan_forward(board.clean_castling_rights()):
            rook = at[chess.BB_SQUARES[square]]
            king = self._kings[rook.color]
            rank = chess.BB_RANK_1 if rook.color else chess.BB_RANK_8
            a_side = rook.home < king.home
            king.reach |= rank & (chess.BB_FILE_C if a_side else chess.BB_FILE_G)
            rook.reach |= rank & (chess.BB_FILE_D if a_side else chess.BB_FILE_F)

    def _grow(self) -> bool:
        """Extend every piece's squares by what is known so far. False when nothing is new."""
        taken, stood = list(self._promoted), list(self._promoted)
        for man in self._men:
            taken[man.color] |= man.takes
            if man.kind != chess.KING:
                stood[man.color] |= man.reach
        fixed, barred = [0, 0], [0, 0]
        for man in self._men:
            enemy = not man.color
            if man.reach == man.home and (man.kind == chess.KING or not man.home & taken[enemy]):
                fixed[man.color] |= man.home
                barred[enemy] |= self._guards(man)
        grown = False
        for man in self._men:
            own, enemy = man.color, not man.color
            if man.kind == chess.PAWN:
                grown |= self._grow_pawn(man, stood[enemy], taken[own], fixed)
                continue
            allowed = ~fixed[own] & ~barred[own] if man.kind == chess.KING else ~fixed[own]
            # A king that never moves can be attacked, but not passed.
            closed = self._kings[enemy].home & fixed[enemy]
            if man.known == (allowed, closed):
                continue
            man.known = (allowed, closed)
            before = man.takes
            man.takes = man.reach = _flood(man.reach, _STEPS[man.kind], allowed, closed)
            grown |= before != man.takes
        return grown

    def _grow_pawn(self, pawn: _Man, victims: int, taken: int, fixed: list[int]) -> bool:
        own = pawn.color
        closed = fixed[0] | fixed[1]
        for rival, beyond in pawn.rivals:
            if not (taken & rival.reach or self._leaves_file(pawn) or self._leaves_file(rival)):
                closed |= beyond
        last = chess.BB_RANK_8 if own else chess.BB_RANK_1
        known = (closed, victims, fixed[own], self._kings[not own].home & fixed[not own])
        if pawn.known == known:
            return False
        pawn.known = known
        before = pawn.reach, pawn.takes, self._promoted[own]
        while True:
            takes = _pawn_guards(pawn.reach, own) & victims & ~fixed[own]
            pushed = (pawn.reach << 8 if own else pawn.reach >> 8) & chess.BB_ALL & ~closed
            if not (takes | pushed) & ~pawn.reach and not takes & ~pawn.takes:
                break
            pawn.takes |= takes
            pawn.reach |= takes | pushed
        if pawn.reach & last:
            pawn.promotes = True
            from_ = self._promoted[own] | pawn.reach & last
            self._promoted[own] = _flood(from_, _anyhow, ~fixed[own], known[-1])
        return before != (pawn.reach, pawn.takes, self._promoted[own])

    def _leaves_file(self, pawn: _Man) -> bool:
        return pawn.promotes or bool(pawn.reach & ~_file(pawn.home))

    def _guards(self, man: _Man) -> int:
        if man.kind != chess.PAWN:
            return _STEPS[man.kind](man.reach)
        guards = _pawn_guards(man.reach, man.color)
        return guards | _anyhow(self._promoted[man.color]) if man.promotes else guards

    def king(self, color: chess.Color) -> int:
        return self._kings[color].reach

    def men(self, color: chess.Color) -> list[Span]:
        return [
            Span(
                kind=man.kind,
                color=color,
                reach=man.reach,
                promoted=self._promoted[color] if man.promotes else 0,
                guards=self._guards(man),
                is_fixed=man.reach == man.home,
            )
            for man in self._men
            if man.color == color and man.kind != chess.KING
        ]


def _flood(squares: int, steps: Callable[[int], int], allowed: int, closed: int) -> int:
    """These squares and all that the steps lead to; a closed square can be entered but not left."""
    while True:
        more = squares | steps(squares & ~closed) & allowed
        if more == squares:
            return squares
        squares = more
