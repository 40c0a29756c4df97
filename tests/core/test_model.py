"""The board that goes along with a game must never be another game's."""

from dataclasses import replace

import chess
import pytest

from arbiter.core.model import Game
from tests.builders import a_game, after

ROUND = "Nf3 Nf6 Ng1 Ng8"


def replayed(game: Game) -> str:
    board = chess.Board(game.start_fen)
    for move in game.moves:
        board.push(move)
    return board.fen()


def test_a_board_that_went_on_and_came_back_is_not_taken_for_the_older_games() -> None:
    """After a round of knights the last move is the same one, four plies later."""
    older = after(a_game(), ROUND)
    newer = after(older, ROUND)

    assert older.moves[-1] == newer.moves[-1]
    assert older.board().fen() == replayed(older)
    assert newer.board().fen() == replayed(newer)


def test_a_board_of_as_many_plies_is_not_taken_for_another_games() -> None:
    one, other = after(a_game(), "e4 e5"), after(a_game(), "e4 c5")

    assert replace(one, moves=other.moves).board().fen() == replayed(other)


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, "7k/8/8/8/8/8/R7/K7 b - - 0 60"])
def test_whose_turn_it_is_follows_from_the_start_and_the_plies(fen: str) -> None:
    game = a_game(fen)
    for _ in range(4):
        assert game.turn == game.board().turn
        game = game.after(next(iter(game.board().legal_moves)), game.changed_at_ms)


def test_looking_at_a_game_does_not_change_what_it_is() -> None:
    seen, unseen = after(a_game(), ROUND), replace(after(a_game(), ROUND), memo=None)
    seen.board()

    assert seen == unseen
    assert hash(seen) == hash(unseen)
