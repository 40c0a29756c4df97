"""That the judge of a chaos run sees what it is there to see."""

import random

import chess

from tests.chaos.played import Played, positions, random_script

SCRIPT = ("g1f3", "g8f6", "f3g1", "f6g8", "e2e4")


def told(*plies: int) -> frozenset[tuple[int, str]]:
    fens = positions(SCRIPT)
    return frozenset((ply, fens[ply]) for ply in plies)


def test_a_game_that_was_kept_as_it_was_told_is_whole() -> None:
    played = Played(SCRIPT, told(0, 1, 2, 3), SCRIPT[:3])
    assert (played.acknowledged, played.lost, played.twice) == (3, 0, 0)


def test_a_move_may_be_kept_that_nobody_was_told_of() -> None:
    played = Played(SCRIPT, told(0, 1), SCRIPT)
    assert (played.lost, played.twice) == (0, 0)


def test_a_position_that_was_told_and_is_not_kept_is_lost() -> None:
    assert Played(SCRIPT, told(0, 1, 2, 3), SCRIPT[:2]).lost == 1
    assert Played(SCRIPT, told(0, 1), ()).lost == 1


def test_another_position_in_its_place_does_not_make_up_for_it() -> None:
    played = Played(SCRIPT, told(1, 2), ("g1f3", "b8c6"))
    assert (played.lost, played.twice) == (1, 1)


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
