"""After a loss: what was missed, stored, doubled or stale."""

from collections.abc import Callable

import pytest

from clients.terminal.wire import ArbiterMessage
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
    full,
    paired,
    pass_,
    playing,
    playing_full,
    queued,
    record,
    refused,
    state,
    stored,
    wait,
    waiting,
)


def test_a_move_without_an_answer_is_not_sent_again_for_another_state() -> None:
    alice = playing()
    assert alice(wait(60), CAUGHT_UP, pass_(1), enter("e4"), state(copy="a")) == "-"


def test_a_move_without_an_answer_nor_for_one_that_was_stored() -> None:
    alice = playing()
    assert alice(enter("e4"), wait(5)) == "-"
    assert alice(wait(1)) == "subscribe"
    assert alice(CAUGHT_UP) == "?seek"
    assert alice(stored(state(copy="a"))) == "-"
    assert alice.scene.session.request is not None


def test_a_move_without_an_answer_is_not_told_of_when_its_late_refusal_comes() -> None:
    alice = playing()
    alice(enter("e4"), pass_(1), wait(6), CAUGHT_UP)
    assert alice(state(copy="a")) == "e2e4 | sent e4 again"
    assert alice(state("e4"), error("illegal-move", "first-e2e4", "late")) == "-"


def test_a_move_without_an_answer_is_given_back_to_the_player_at_last() -> None:
    alice = playing()
    assert alice(enter("e4"), wait(6), CAUGHT_UP, state(copy="a")) == "e2e4 | sent e4 again"
    assert alice(wait(6), CAUGHT_UP, state(copy="a")) == "e2e4 | sent e4 again"
    assert alice(wait(6), CAUGHT_UP, state(copy="a")) == "!no-answer"
    assert alice.pending is None


def test_a_move_is_found_by_what_was_stored_where_the_answer_was_a_copy() -> None:
    alice = playing()
    assert alice(enter("e4"), wait(6), CAUGHT_UP, paired()) == "-"
    assert alice(wait(1)) == "-"
    assert alice(wait(1)) == "e2e4 | sent e4 again"


def without_a_relay() -> Alice:
    alice = playing()
    assert alice(LOST) == "lost 0: gone[2J"
    assert alice(enter("e4")) == "kept e4"
    assert alice(found) == "connected 1 back | same ?seek"
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


BEGUN, MOVED, ANSWERED = state(), state("e4"), state("e4 e5")


def a_relay_with(*messages: ArbiterMessage) -> Alice:
    """It is there, and has sent what it had stored, the newest first."""
    alice = Alice()
    alice(RELAY_COMES, *map(stored, messages))
    return alice


def test_what_was_stored_counts_once_the_arbiter_confirms_the_game() -> None:
    alice = a_relay_with(ANSWERED, MOVED, BEGUN, paired())
    assert alice(CAUGHT_UP) == "?seek"
    assert alice(paired("g", 60)) == "started white resumed | moved e5"
    assert alice.scene.line.ply == 2


def test_what_was_stored_does_not_count_when_the_arbiter_says_that_we_wait() -> None:
    alice = a_relay_with(ANSWERED, MOVED, BEGUN, paired())
    assert alice(CAUGHT_UP, queued()) == "queued"
    assert alice(wait(2)) == "-"


def test_what_was_stored_replaces_an_answer_that_the_relay_dropped_as_a_copy() -> None:
    alice = a_relay_with(ANSWERED, MOVED, BEGUN, paired())
    assert alice(CAUGHT_UP, wait(1)) == "-"
    assert alice(wait(1)) == "started white resumed | moved e5"
    assert alice.scene.line.ply == 2


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([state("e4 e5", end="1-0"), MOVED, BEGUN, paired()], id="the game ended"),
        pytest.param([record(), ANSWERED, MOVED, paired()], id="it was recorded"),
        pytest.param([ANSWERED, MOVED, BEGUN], id="it did not start"),
        pytest.param([paired()], id="no state is shown"),
        pytest.param([paired("f", 1), ANSWERED, MOVED, paired()], id="another followed"),
    ],
)
def test_what_was_stored_is_of_no_use_when(messages: list[ArbiterMessage]) -> None:
    alice = a_relay_with(*messages)
    assert alice(CAUGHT_UP, wait(2)) == "-"
    assert alice.phase == "asking"


def test_a_finished_game_is_not_resumed_when_another_is_asked_for() -> None:
    alice = playing("e4")
    assert alice(state("e4", end="* aborted"), enter("new")) == "subscribe"
    assert alice(stored(state("e4", bare=True)), stored(paired()), CAUGHT_UP, wait(2)) == "-"


def a_question() -> Alice:
    alice = playing("e4 e5")
    alice(LOST, found)
    return alice


def test_a_question_whose_first_answer_is_missing_in_a_game_is_asked_again_in_silence() -> None:
    alice = a_question()
    assert alice(wait(10)) == "?seek"
    assert alice(wait(20)) == "no answer 20 | ?seek"


def test_a_question_about_a_game_that_the_arbiter_no_longer_has_ends_it() -> None:
    alice = a_question()
    assert alice(queued()) == "(game-gone) | ended * | queued"
    assert alice.phase == "queued"


def test_a_question_that_is_answered_by_another_game_ends_the_first() -> None:
    alice = a_question()
    assert alice(paired("f")) == "(game-gone) | ended *"
    assert alice(state(game="f")) == "started white | moved"


@pytest.mark.parametrize(
    "fen", ["", "\x1b[2J", "8/8/8/8/8/8/8/8 w - - 0 1", "not a fen at all", "9" * 70]
)
def test_a_state_that_cannot_be_read_changes_nothing(fen: str) -> None:
    alice = playing("e4")
    assert alice(state("e4 e5", fen=fen)) == "-"
    assert alice.is_unchanged


@pytest.mark.parametrize(
    ("alice", "before", "answer", "first"),
    [
        (waiting, (), queued(), "queued"),
        (waiting, (), stored(queued()), "-"),
        (waiting, (queued(), wait(120)), queued(), "-"),
        (waiting, (), refused("rate-limited: wait"), "arbiter !rate-limited wait"),
        (waiting, (), challenged("bob", "c", 3600), "challenge 1 bob"),
        (waiting, (queued(), enter("cancel")), CANCELLED, "stopped"),
        (waiting, (challenged("bob", "c"), enter("decline")), stored(CANCELLED), "-"),
        (waiting, (paired(),), full("e4"), "started white resumed | moved e4"),
        (playing_full, (), paired(), "-"),
        (playing_full, (enter("e4"),), full("e4"), "moved e4"),
        (playing_full, (enter("e4"), full("e4"), full("e4 e5")), full("e4"), "-"),
        (
            playing_full,
            (enter("e4"),),
            error("illegal-move", "e2e4", "x"),
            "arbiter !illegal-move x",
        ),
        (playing_full, (), full(version=1, offer="draw/b"), "draw/b"),
        (playing_full, (), record(), "ended 1-0 resignation | record"),
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
        states = (full("e4 e5"), full("d4", game="k"))
        told = (paired(), paired("k"), *(reversed(states) if late else states))
        alice(*told)
        game = alice.scene.session.game
        assert game is not None
        assert (game.id, game.line and game.line.ply) == (paired().game_id, 2)
