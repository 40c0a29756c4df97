"""After a loss: what was missed, stored, doubled or stale."""

from collections.abc import Callable

import pytest

from clients.player.terms import TimeControl
from tests.clients.terminal.alice import (
    CANCELLED,
    CAUGHT_UP,
    LOST,
    RELAY_COMES,
    Alice,
    Step,
    challenged,
    enter,
    error,
    found,
    pass_,
    playing,
    queued,
    record,
    refused,
    started,
    state,
    stored,
    wait,
    waiting,
)


def test_a_move_without_an_answer_is_sent_again_and_given_back_to_the_player_at_last() -> None:
    alice = playing()
    assert alice(enter("e4"), wait(9)) == "-"
    assert alice(wait(1)) == "e2e4 | sent e4 again"
    assert alice(state(copy="a")) == "-"
    assert alice(wait(10)) == "e2e4 | sent e4 again"
    assert alice(wait(10)) == "!no-answer"
    assert alice.pending is None
    assert alice(enter("e4")) == "e2e4 | sent e4"


def test_a_late_refusal_of_a_move_that_was_sent_again_is_not_told() -> None:
    alice = playing()
    alice(enter("e4"), wait(10))
    assert alice(state("e4"), error("stale", "first-e2e4", "late")) == "-"
    alice = playing()
    alice(enter("e4"), wait(10))
    assert alice(error("stale", "e2e4", "the first one counted")) == "state"
    assert alice(state("e4")) == "moved e4"


def without_a_relay() -> Alice:
    alice = playing()
    assert alice(LOST) == "lost 0: gone[2J"
    assert alice(enter("e4")) == "kept e4"
    assert alice(found) == "connected 1 back | state"
    return alice


def test_without_a_relay_a_move_goes_out_once_one_is_back_unless_the_game_has_gone_on() -> None:
    alice = without_a_relay()
    assert alice(state()) == "e2e4 | sent e4"
    assert alice.pending == "e2e4"
    alice = without_a_relay()
    assert alice(state("d4 d5")) == "moved d5"
    assert alice.pending is None


def test_a_game_that_ended_meanwhile_is_known_from_its_record_and_none_is_asked_for() -> None:
    alice = playing("e4 e5")
    assert alice(LOST, RELAY_COMES) == "connected 1 back"
    assert alice(record()) == "ended 1-0 resignation | record"
    assert alice(CAUGHT_UP) == "-"
    assert alice(LOST, found) == "connected 1 back"
    assert alice(LOST, RELAY_COMES, wait(3600)) == "-"


def test_a_state_that_was_stored_counts_once_the_arbiter_names_its_game() -> None:
    alice = Alice()
    alice(RELAY_COMES, *map(stored, (state("e4 e5"), state("e4"), state())))
    assert alice(CAUGHT_UP) == "?seek"
    assert alice(started("f", answers="e" * 64)) == "-"
    assert alice(started(answers="e" * 64)) == "-", "of the games that are told the first is played"
    assert alice.scene.game.state is None


def test_a_state_that_comes_before_its_start_is_shown_with_it() -> None:
    for first in (stored(state("e4 e5")), state("e4 e5")):
        alice = Alice()
        alice(RELAY_COMES, CAUGHT_UP, first)
        assert alice(started()) == "started white resumed | moved e5"
        assert alice(state("e4")) == "-"


def test_a_finished_game_is_not_resumed_when_another_is_asked_for() -> None:
    alice = playing("e4")
    assert alice(state("e4", version=2, end="* aborted"), pass_(1), enter("new")) == "?seek"
    assert alice(stored(state("e4")), started()) == "-"


def a_question() -> Alice:
    alice = playing("e4 e5", time=TimeControl(300), clock=(300_000, 300_000))
    assert alice(LOST, found) == "connected 1 back | state"
    return alice


def test_a_question_whose_first_answer_is_missing_in_a_game_is_asked_again_in_silence() -> None:
    alice = a_question()
    assert alice(wait(10)) == "state"
    assert alice(wait(20)) == "no answer 20 | state"


def test_a_question_about_a_game_that_the_arbiter_no_longer_has_ends_it() -> None:
    alice = a_question()
    assert alice(queued()) == "(game-gone) | ended * | queued"
    assert alice.phase == "queued"


def test_a_question_that_is_answered_by_another_game_ends_the_first() -> None:
    alice = a_question()
    assert alice(started("f")) == "(game-gone) | ended *"
    assert alice(state(game="f")) == "started white | moved"


def test_a_game_whose_first_state_is_missing_is_asked_for_until_there_is_none() -> None:
    alice = waiting()
    assert alice(started(), wait(10)) == "?state"
    assert alice(refused("unknown-game", answers="?state")) == "-"
    assert alice.phase == "refused"


@pytest.mark.parametrize(
    ("alice", "before", "answer", "first"),
    [
        (waiting, (), queued(), "queued"),
        (waiting, (queued(), wait(120)), queued(), "-"),
        (waiting, (), refused("rate-limited", "wait"), "arbiter !rate-limited wait"),
        (waiting, (), challenged("bob", "c", 3600), "challenge 1 bob"),
        (waiting, (queued(), enter("cancel")), CANCELLED, "stopped"),
        (waiting, (started(),), state("e4"), "started white resumed | moved e4"),
        (playing, (), started(), "-"),
        (playing, (enter("e4"),), state("e4"), "moved e4"),
        (playing, (enter("e4"), state("e4"), state("e4 e5")), state("e4"), "-"),
        (
            playing,
            (enter("e4"),),
            error("illegal-move", "e2e4", "x"),
            "arbiter !illegal-move x",
        ),
        (playing, (), state(version=1, offer="draw/b"), "draw/theirs"),
        (playing, (), record(), "ended 1-0 resignation | record"),
    ],
)
def test_an_answer_that_comes_stale_or_a_second_and_a_third_time_changes_nothing(
    alice: Callable[[], Alice], before: tuple[Step, ...], answer: Step, first: str
) -> None:
    player = alice()
    assert player(*before, answer) == first
    assert [player(answer), player(answer)] == ["-", "-"]


def test_of_the_games_that_are_told_on_coming_back_the_first_is_played() -> None:
    for late in (False, True):
        alice = Alice(asks=True)
        alice(found)
        states = (state("e4 e5"), state("d4", game="k"))
        told = (started(), started("k"), *(reversed(states) if late else states))
        alice(*told)
        game = alice.scene.session.game
        assert game is not None
        assert (game.id, game.ply) == (started().game, 2)
