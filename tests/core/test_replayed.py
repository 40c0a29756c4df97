"""The board of a replay against python-chess's own, move for move and back."""

import random
from typing import Any

import chess
import pytest

from arbiter.core.replayed import Replayed

_STATE = (
    *("pawns", "knights", "bishops", "rooks", "queens", "kings", "promoted"),
    *("occupied", "occupied_co", "turn", "castling_rights", "ep_square"),
    *("halfmove_clock", "fullmove_number", "move_stack"),
)

_PROMOTED = "1q5k/P6P/8/8/8/8/p6p/1Q5K w - - 0 1"
_CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def state(board: chess.Board) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, list) else value
        for name in _STATE
        for value in [getattr(board, name)]
    }


def starts() -> list[tuple[str, bool]]:
    nine_sixty = [(chess.Board.from_chess960_pos(number).fen(), True) for number in (0, 518, 959)]
    return [(chess.STARTING_FEN, False), (_PROMOTED, False), (_CASTLING, False), *nine_sixty]


@pytest.mark.parametrize(("fen", "chess960"), starts())
def test_each_move_and_each_taken_back_is_of_a_plain_board(fen: str, *, chess960: bool) -> None:
    for seed in range(20):
        chance = random.Random(seed)
        plain, ours = (board(fen, chess960=chess960) for board in (chess.Board, Replayed))
        while len(plain.move_stack) < 120 and (moves := [*plain.legal_moves]):
            chosen = chance.choice(moves)
            plain.push(chosen)
            ours.push(chosen)
            assert state(ours) == state(plain), (seed, plain.move_stack)
            assert ours.is_repetition(2) == plain.is_repetition(2)
        while plain.move_stack:
            assert ours.pop() == plain.pop()
            assert state(ours) == state(plain)
