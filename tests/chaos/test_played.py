"""The judge of a chaos run finds lost and repeated moves."""

import random

import chess
import pytest

from tests.chaos.played import Played, positions, random_script

SCRIPT = ("g1f3", "g8f6", "f3g1", "f6g8", "e2e4")


def told(*plies: int) -> frozenset[tuple[int, str]]:
    fens = positions(SCRIPT)
    return frozenset((ply, fens[ply]) for ply in plies)


@pytest.mark.parametrize(
    ("plies", "kept", "lost", "twice"),
    [
        ((0, 1, 2, 3), SCRIPT[:3], 0, 0),
        ((0, 1), SCRIPT, 0, 0),
        ((0, 1, 2, 3), SCRIPT[:2], 1, 0),
        ((0, 1), (), 1, 0),
        ((1, 2), ("g1f3", "b8c6"), 1, 1),
    ],
    ids=["as shown", "and more", "one lost", "all lost", "another move"],
)
def test_a_position_that_was_shown_and_is_not_kept_is_lost(
    plies: tuple[int, ...], kept: tuple[str, ...], lost: int, twice: int
) -> None:
    played = Played(SCRIPT, told(*plies), kept)
    assert (played.acknowledged, played.lost, played.twice) == (max(plies), lost, twice)


def test_a_move_that_was_applied_again_two_plies_later_shows() -> None:
    knights = ("b1c3", "g8f6", "c3b1", "f6g8")
    again = (*knights, "b1c3", "g8f6", "c3b1", "f6g8")
    assert Played((*knights, *SCRIPT), frozenset(), again).twice > 0
    assert Played(knights, frozenset(), (*knights, "b1c3")).twice == 1


def test_a_script_is_legal_and_ends_no_game() -> None:
    for seed in range(3):
        script = random_script(random.Random(seed))
        board = chess.Board(positions(script)[-1])
        assert len(script) == 400
        assert not board.is_game_over()
