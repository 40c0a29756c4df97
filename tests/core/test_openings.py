import pytest

from arbiter.core.game import Game
from arbiter.core.openings import opening_of
from arbiter.core.pgn import pgn
from tests.builders import a_game, after


@pytest.mark.parametrize(
    ("moves", "eco", "name"),
    [
        ("e4", "B00", "King's Pawn Game"),
        ("e4 e5 Nf3 Nc6 Bc4", "C50", "Italian Game"),
        ("f3 e5 g4 Qh4#", "A00", "Barnes Opening: Fool's Mate"),
        ("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6", "C84", "Ruy Lopez: Closed"),
    ],
)
def test_an_opening_is_the_longest_known_beginning(moves: str, eco: str, name: str) -> None:
    assert opening_of(moves.split()) == (eco, name)
    text = pgn(after(a_game(), moves), white="w", black="b", site="-")
    assert f'[ECO "{eco}"]\n[Opening "{name}"]\n' in text


@pytest.mark.parametrize(
    "game", [a_game(), after(a_game("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"), "e4 e5")]
)
def test_without_a_move_or_from_another_position_there_is_no_opening(game: Game) -> None:
    assert "[ECO" not in pgn(game, white="w", black="b", site="-")
