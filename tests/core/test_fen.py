"""The FEN that states show is python-chess's, of any board."""

import random

import chess
import pytest

from arbiter.core.fen import fen


def a_walk(start: chess.Board, seed: int) -> list[chess.Board]:
    """The positions of a game of random moves, which promotes and passes where it can."""
    board, dice = start.copy(), random.Random(seed)
    walk = [board.copy()]
    for _ in range(120):
        moves = [*board.legal_moves]
        rare = [move for move in moves if move.promotion or board.is_en_passant(move)]
        if not moves:
            break
        board.push(dice.choice(rare or moves))
        walk.append(board.copy())
    return walk


@pytest.mark.parametrize("start", [chess.Board(), *map(chess.Board.from_chess960_pos, (7, 500))])
def test_a_fen_is_that_of_python_chess(start: chess.Board) -> None:
    walks = [board for seed in range(6) for board in a_walk(start, seed)]
    assert [fen(board) for board in walks] == [board.fen() for board in walks]


@pytest.mark.parametrize(
    "text",
    [
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        "8/8/8/k2pP2R/8/8/8/K7 w - d6 0 2",
        "4k3/8/8/8/8/8/8/4K2R w K - 99 120",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "1k6/8/8/2pP4/8/8/8/K7 w - c6 0 2",
    ],
)
def test_a_pawn_that_may_not_be_taken_is_not_named_as_passed(text: str) -> None:
    board = chess.Board(text)
    assert fen(board) == board.fen()
