"""Alpha-beta with quiescence, deepened move by move until time, nodes or depth are used up."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import chess

from clients.bot.engine.evaluation import VALUES, evaluate

MATE = 30_000
NEAR_MATE = MATE - 500
INFINITE = 100_000
DEEPEST = 60
NODES_BETWEEN_LOOKS = 32
MAX_TABLE = 300_000
FIFTY_MOVES = 100
NULL_MOVE_DEPTH = 3
LATE_MOVES = 4
FEW_PIECES = 4
ENOUGH_FOR_ANOTHER_DEPTH = 0.5
DELTA = 200
EXACT, LOWER, UPPER = range(3)

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The best move, and its score in centipawns for the side to move."""

    move: chess.Move
    score: int
    depth: int = 0
    nodes: int = 0

    @property
    def mate_in(self) -> int | None:
        """Moves until mate, negative if the side to move is mated."""
        if abs(self.score) < NEAR_MATE:
            return None
        moves = (MATE - abs(self.score) + 1) // 2
        return moves if self.score > 0 else -moves


class _Stopped(Exception):
    """Time or nodes are used up."""


def search(
    board: chess.Board,
    seconds: float | None = None,
    root_moves: Sequence[chess.Move] = (),
    *,
    most_seconds: float | None = None,
    depth: int = DEEPEST,
    nodes: int | None = None,
    chance: random.Random | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    on_depth: Callable[[Found], None] = lambda _: None,
) -> Found:
    """The best move found; no depth is begun when half of `seconds` is over. Raises ValueError if
    there is no legal move.
    """
    moves = list(root_moves) or list(board.legal_moves)
    if not moves:
        raise ValueError("there is no legal move")
    if chance is not None:
        chance.shuffle(moves)
    began = time.monotonic()
    most = most_seconds if most_seconds is not None else seconds
    run = _Search(board.copy(), began + most if most is not None else None, nodes, is_stopped)
    found = Found(moves[0], 0)
    for reached in range(1, min(depth, DEEPEST) + 1):
        try:
            found = run.root(moves, reached)
        except _Stopped:
            if run.best is not None:
                found = run.best
            break
        on_depth(found)
        moves.remove(found.move)
        moves.insert(0, found.move)
        elapsed = time.monotonic() - began
        if abs(found.score) >= NEAR_MATE and reached > MATE - abs(found.score):
            break
        if seconds is not None and elapsed > seconds * ENOUGH_FOR_ANOTHER_DEPTH:
            break
        if len(moves) == 1 and seconds is not None:
            break
    return Found(found.move, found.score, found.depth, run.nodes)


def key_of(board: chess.Board) -> Key:
    """Equal for positions with the same moves."""
    return (
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.occupied_co[chess.WHITE], board.turn, board.castling_rights,
        board.ep_square if board.ep_square and board.has_legal_en_passant() else None,
    )  # fmt: skip


class _Search:
    def __init__(
        self,
        board: chess.Board,
        ends_at: float | None,
        most_nodes: int | None,
        is_stopped: Callable[[], bool],
    ) -> None:
        self.board = board
        self.nodes = 0
        self.best: Found | None = None
        self._ends_at = ends_at
        self._most_nodes = most_nodes
        self._is_stopped = is_stopped
        self._table: dict[Key, tuple[int, int, int, chess.Move | None]] = {}
        self._killers: list[chess.Move | None] = [None] * (DEEPEST + 64)
        self._history: dict[tuple[int, int], int] = {}
        self._path = _played(board)

    def root(self, moves: list[chess.Move], depth: int) -> Found:
        self.best = None
        alpha = -INFINITE
        for number, move in enumerate(moves):
            score = self._after(move, depth - 1, alpha, INFINITE, 1, is_first=number == 0)
            if score > alpha:
                alpha = score
                self.best = Found(move, score, depth, self.nodes)
        if self.best is None:
            raise _Stopped
        return self.best

    def _after(
        self, move: chess.Move, depth: int, alpha: int, beta: int, ply: int, *, is_first: bool
    ) -> int:
        """The score of a move; all but the first are tried with a window of nothing."""
        self.board.push(move)
        try:
            if is_first:
                return -self._deep(depth, -beta, -alpha, ply)
            score = -self._deep(depth, -alpha - 1, -alpha, ply)
            if alpha < score < beta:
                score = -self._deep(depth, -beta, -alpha, ply)
            return score
        finally:
            self.board.pop()

    def _look(self) -> None:
        self.nodes += 1
        if self._most_nodes is not None and self.nodes > self._most_nodes:
            raise _Stopped
        if self.nodes % NODES_BETWEEN_LOOKS == 0 and (
            self._is_stopped() or (self._ends_at is not None and time.monotonic() >= self._ends_at)
        ):
            raise _Stopped

    def _deep(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        board = self.board
        in_check = board.is_check()
        if in_check and ply < DEEPEST:
            depth += 1
        if depth <= 0 or ply >= DEEPEST:
            return self._quiet(alpha, beta, ply)
        self._look()
        key = key_of(board)
        if self._is_draw(key):
            return 0
        known = self._table.get(key)
        if known is not None and known[0] >= depth:
            score = _from_here(known[1], -ply)
            if (
                known[2] == EXACT
                or (known[2] == LOWER and score >= beta)
                or (known[2] == UPPER and score <= alpha)
            ):
                return score
        self._path[key] = self._path.get(key, 0) + 1
        try:
            return self._best_of(
                key, known[3] if known else None, depth, alpha, beta, ply, in_check=in_check
            )
        finally:
            self._path[key] -= 1

    def _is_draw(self, key: Key) -> bool:
        board = self.board
        return (
            self._path.get(key, 0) > 0
            or board.halfmove_clock >= FIFTY_MOVES
            or (board.occupied.bit_count() <= FEW_PIECES and board.is_insufficient_material())
        )

    def _best_of(
        self,
        key: Key,
        first: chess.Move | None,
        depth: int,
        alpha: int,
        beta: int,
        ply: int,
        *,
        in_check: bool,
    ) -> int:
        board = self.board
        if depth >= NULL_MOVE_DEPTH and not in_check and beta < NEAR_MATE and _has_piece(board):
            board.push(chess.Move.null())
            try:
                score = -self._deep(depth - 3, -beta, -beta + 1, ply + 1)
            finally:
                board.pop()
            if score >= beta:
                return beta
        best, best_move, floor = -INFINITE, None, alpha
        for number, move in enumerate(self._ordered(first, ply)):
            quiet = not board.is_capture(move) and move.promotion is None
            late = number >= LATE_MOVES and quiet and not in_check and depth >= NULL_MOVE_DEPTH
            score = self._after(move, depth - 1 - late, alpha, beta, ply + 1, is_first=number == 0)
            if late and score > alpha:
                score = self._after(move, depth - 1, alpha, beta, ply + 1, is_first=False)
            if score > best:
                best, best_move = score, move
            alpha = max(alpha, score)
            if alpha >= beta:
                if quiet:
                    self._killers[ply] = move
                    pair = move.from_square, move.to_square
                    self._history[pair] = self._history.get(pair, 0) + depth * depth
                break
        if best_move is None:
            return ply - MATE if in_check else 0
        bound = LOWER if best >= beta else UPPER if best <= floor else EXACT
        if len(self._table) >= MAX_TABLE:
            self._table.clear()
        self._table[key] = depth, _from_here(best, ply), bound, best_move
        return best

    def _quiet(self, alpha: int, beta: int, ply: int) -> int:
        """Captures and promotions alone, so that no score is taken in mid-exchange."""
        self._look()
        board = self.board
        score = evaluate(board)
        if score >= beta:
            return score
        alpha = max(alpha, score)
        targets = board.occupied_co[not board.turn]
        last_ranks = chess.BB_RANK_8 if board.turn else chess.BB_RANK_1
        moves = [
            *board.generate_legal_moves(chess.BB_ALL, targets),
            *board.generate_legal_moves(board.pawns, last_ranks & ~targets),
        ]
        moves.sort(key=self._exchange, reverse=True)
        for move in moves:
            gain = VALUES[board.piece_type_at(move.to_square) or chess.PAWN]
            if move.promotion is None and score + gain + DELTA <= alpha:
                continue
            board.push(move)
            try:
                after = -self._quiet(-beta, -alpha, ply + 1)
            finally:
                board.pop()
            if after > score:
                score = after
                if score >= beta:
                    break
                alpha = max(alpha, score)
        return score

    def _exchange(self, move: chess.Move) -> int:
        """The most valuable victim first, taken by the least valuable piece."""
        taken = VALUES[self.board.piece_type_at(move.to_square) or chess.PAWN]
        by = self.board.piece_type_at(move.from_square) or chess.PAWN
        return 16 * taken - VALUES[by] + 16 * VALUES[move.promotion or chess.KING]

    def _ordered(self, first: chess.Move | None, ply: int) -> list[chess.Move]:
        board = self.board
        enemy, killer = board.occupied_co[not board.turn], self._killers[ply]

        def worth(move: chess.Move) -> int:
            if move == first:
                return 1_000_000
            if enemy >> move.to_square & 1 or move.promotion:
                return 100_000 + self._exchange(move)
            if move == killer:
                return 90_000
            return min(self._history.get((move.from_square, move.to_square), 0), 80_000)

        return sorted(board.legal_moves, key=worth, reverse=True)


def _played(board: chess.Board) -> dict[Key, int]:
    """The positions of the game since the last capture or pawn move."""
    past = board.copy()
    counts: dict[Key, int] = {key_of(past): 1}
    while past.move_stack and past.halfmove_clock:
        past.pop()
        key = key_of(past)
        counts[key] = counts.get(key, 0) + 1
    return counts


def _has_piece(board: chess.Board) -> bool:
    ours = board.occupied_co[board.turn]
    return bool(ours & ~(board.pawns | board.kings))


def _from_here(score: int, plies: int) -> int:
    """Mates are stored as so far from their position, not from the root."""
    if score >= NEAR_MATE:
        return score + plies
    if score <= -NEAR_MATE:
        return score - plies
    return score
