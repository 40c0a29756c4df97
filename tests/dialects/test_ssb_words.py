"""Whom the arbiter tells what on Scuttlebutt."""

from dataclasses import replace

from arbiter.core.game import WHITE
from arbiter.core.replies import MovePlayed, StateShown
from arbiter.dialects.base import PreviousResult
from arbiter.dialects.ssb.encode import encode
from tests.builders import after
from tests.dialects.ssb_cases import ANSWERED, GAME, MOVE, OF_TWO, ROOT, hosted, told


def test_both_are_told_a_move_when_it_brings_about_the_answer_that_waited_for_it() -> None:
    """Tom's answer came before Sue's move: her letter is heard, and both are on the board."""
    said = encode(MovePlayed(after(OF_TWO, "e4 e5")), told(OF_TWO, hosted(MOVE)))

    moves = [one for one in said if one.content["type"] == "chess_move"]
    hers, his = sorted(moves, key=lambda one: one.root != ROOT)
    assert (hers.root, hers.content["ply"], hers.content["orig"]) == (ROOT, 2, "e7")
    assert (his.root, his.content["ply"], his.content["orig"]) == (
        OF_TWO.black.address.split(" ")[1],
        1,
        "e2",
    )


def test_a_game_is_shown_again_only_to_a_player_who_is_heard_again() -> None:
    again = told(GAME, hosted(MOVE), previous=PreviousResult.ACCEPTED)

    assert encode(StateShown(ANSWERED, WHITE), again)
    assert encode(StateShown(ANSWERED, WHITE), replace(again, previous=None)) == ()
    assert encode(StateShown(ANSWERED, None), again) == ()
