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
    one_listed,
    pass_,
    playing,
    queued,
    record,
    refused,
    started,
    state,
    wait,
    waiting,
)


def test_a_move_without_an_answer_is_sent_again_until_it_has_one() -> None:
    alice = playing()
    assert alice(enter("e4"), wait(9)) == "-"
    assert alice(wait(1)) == "no answer 10 | e2e4 | sent e4 again"
    assert alice(state(copy="a")) == "-"
    assert alice(wait(10)) == "no answer 20 | e2e4 | sent e4 again"
    assert alice(wait(10)) == "no answer 30 | e2e4 | sent e4 again"
    assert alice(state("e4")) == "moved e4"
    assert alice.pending is None


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
    assert alice(enter("e4")) == "e2e4 | kept e4"
    assert alice(found) == "connected 1 back | e2e4 | sent e4 again"
    return alice


def test_without_a_relay_a_move_goes_out_once_one_is_back_unless_the_game_has_gone_on() -> None:
    alice = without_a_relay()
    assert alice(state()) == "-"
    assert alice.pending == "e2e4"
    alice = without_a_relay()
    assert alice(state("d4 d5")) == "moved d5"
    assert alice.pending is None


def test_a_game_that_ended_meanwhile_is_known_from_its_record_and_none_is_asked_for() -> None:
    alice = playing("e4 e5")
    assert alice(LOST, RELAY_COMES) == "connected 1 back"
    assert alice(record()) == "state | ended 1-0 resignation | record"
    assert alice(state("e4 e5", version=3, end="1-0 resignation"), CAUGHT_UP) == "-"
    assert alice(LOST, found) == "connected 1 back"
    assert alice(LOST, RELAY_COMES, wait(3600)) == "-"


def test_a_state_that_comes_before_its_start_is_shown_with_it() -> None:
    alice = waiting()
    assert alice(state("e4 e5")) == "-"
    assert alice(started()) == "started white resumed | moved e5"
    assert alice(state("e4")) == "-"


def test_a_finished_game_is_not_resumed_when_another_is_asked_for() -> None:
    alice = playing("e4")
    assert alice(state("e4", version=2, end="* aborted"), pass_(1), enter("new")) == "?seek"
    assert alice(state("e4"), started()) == "-"


def test_a_game_that_the_arbiter_no_longer_has_ends_where_it_is_asked_for_by_name() -> None:
    alice = playing("e4 e5", time=TimeControl(300), clock=(300_000, 300_000))
    alice(LOST, pass_(1), found)
    assert alice(started("f"), state(game="f")) == "-", "it is beside the first"
    assert alice(one_listed) == "state"
    assert alice(error("unknown-game", "state", "none")) == "ended *"


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
        (playing, (), record(), "state | ended 1-0 resignation | record"),
    ],
)
def test_an_answer_that_comes_stale_or_a_second_and_a_third_time_changes_nothing(
    alice: Callable[[], Alice], before: tuple[Step, ...], answer: Step, first: str
) -> None:
    player = alice()
    assert player(*before, answer) == first
    assert [player(answer), player(answer)] == ["-", "-"]


def test_of_the_games_that_are_told_on_coming_back_the_first_is_played() -> None:
    alice = Alice(asks=True)
    alice(found, started(), started("k"), state("e4 e5"), state("d4", game="k"))
    assert (alice.scene.game.id, alice.scene.game.ply) == (started().game, 2)
