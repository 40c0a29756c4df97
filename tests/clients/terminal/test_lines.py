"""Lines of players and spectators, and a spectator's screen."""

from collections.abc import Callable

import pytest

from tests.clients.terminal.alice import (
    LOST,
    OVER,
    RELAY_COMES,
    Alice,
    chat,
    enter,
    error,
    found,
    pass_,
    playing,
    record,
    state,
    wait,
    waiting,
)


def a_spectator() -> Alice:
    alice = Alice(spectates=True)
    assert alice(found, state(others=True)) == "started watching | moved"
    return alice


def over_a_player_without_a_key() -> Alice:
    alice = a_spectator()
    alice(state(others=True, version=1, stand_in="eve"))
    return alice


@pytest.mark.parametrize(
    ("game", "heard_from", "did"),
    [
        (playing, "bob@0", "to bob: hi | wrote alice: hi"),
        (
            lambda: playing(stand_in="bob"),
            "arbiter@0",
            "to arbiter: hi | wrote alice: hi",
        ),
        (a_spectator, "*@0", "to all: hi | wrote alice*: hi"),
        (over_a_player_without_a_key, "*@0", "to all over arbiter: hi | wrote alice*: hi"),
    ],
)
def test_a_line_goes_to_the_opponent_or_to_all_and_by_the_arbiter_where_a_player_has_no_key(
    game: Callable[[], Alice], heard_from: str, did: str
) -> None:
    alice = game()
    assert alice.tuned_in == [heard_from]
    assert alice(enter("say  hi")) == did


def test_a_line_of_the_opponent_is_shown_and_no_other_in_a_game() -> None:
    alice = playing()
    assert alice.tuned_in == ["bob@0"]
    assert alice(chat("bob", "good game")) == "said bob: good game"
    assert alice(chat("eve", "hello", public=True)) == "-"
    assert alice(chat("eve", "psst")) == "-"
    assert alice(chat("alice", "psst")) == "-"
    assert alice(chat("bob", "wrong game", "f" * 32)) == "-"


def test_a_line_of_spectators_is_shown_after_the_end() -> None:
    alice = playing("e4 e5")
    alice(state("e4 e5", version=3, end="1-0 resignation"))
    assert alice.tuned_in == ["bob@0", "bob*@0"]
    assert alice(chat("bob", "good game")) == "said bob: good game"
    assert alice(chat("eve", "bravo", public=True)) == "said eve*: bravo"


def test_a_line_before_a_game_is_not_shown() -> None:
    alice = waiting()
    assert alice(chat("bob", "hello")) == "-"
    assert alice(enter("say hello")) == "!no-game"


def test_more_than_five_lines_in_ten_seconds_are_dropped_for_each_key_alone() -> None:
    alice = playing("e4 e5")
    alice(state("e4 e5", version=3, end="1-0 resignation"), chat("bob", "a"), chat("bob", "b"))
    alice(chat("bob", "c"), chat("bob", "d"))
    assert alice(chat("bob", "e")) == "said bob: e"
    assert alice(chat("bob", "f")) == "-"
    assert alice(chat("eve", "g", public=True)) == "said eve*: g"
    assert alice(pass_(10), chat("bob", "h")) == "said bob: h"


def test_what_a_player_cannot_say_is_refused() -> None:
    alice = playing()
    assert alice(enter("say \u200b")) == "-"
    assert alice(enter("say " + "a" * 141)) == "!too-long"
    alice(enter("say 1"), enter("say 2"), enter("say 3"), enter("say 4"))
    assert alice(enter("say 5")) == "to bob: 5 | wrote alice: 5"
    assert alice(enter("say 6")) == "!rate-limited"
    assert alice(LOST, enter("say 7")) == "!no-relay"


def test_each_chat_can_be_switched_off_and_on() -> None:
    alice = playing("e4 e5")
    assert alice(state("e4 e5", version=3, end="1-0 resignation"), enter("chat off")) == "(chat)"
    assert alice(chat("bob", "a")) == "-"
    assert alice(chat("eve", "b", public=True)) == "-"
    assert alice(enter("chat players on"), chat("bob", "c")) == "said bob: c"
    assert alice(chat("eve", "d", public=True)) == "-"
    assert alice(enter("chat on spectators"), chat("eve", "e", public=True)) == "said eve*: e"


def test_a_line_of_a_spectator_of_another_is_shown_and_of_players_is_not() -> None:
    alice = a_spectator()
    assert alice(chat("eve", "bravo", public=True)) == "said eve*: bravo"
    assert alice(chat("bob", "psst")) == "-"


def test_a_line_of_a_spectator_of_strangers_takes_no_room() -> None:
    alice = a_spectator()
    alice(*(chat(str(number), "hello", public=True) for number in range(500)))
    assert len(alice.scene.session.recent_lines) == 100
    assert alice(enter("say hi")) == "to all: hi | wrote alice*: hi"


def test_a_spectator_is_shown_a_state_and_asks_again_for_its_missing_answer() -> None:
    alice = Alice(spectates=True)
    alice(RELAY_COMES)
    assert alice(state("e4", others=True)) == "started watching resumed | moved e4"
    assert alice(found) == "connected 1 | state"
    assert alice(wait(59)) == "-"
    assert alice(wait(1)) == "state"


def test_a_spectator_follows_a_game_to_its_end() -> None:
    alice = a_spectator()
    assert (
        alice(state("e4 e5", others=True, version=3, end="1-0 timeout"))
        == "moved e5 | ended 1-0 timeout"
    )
    assert "White wins on time, 1-0" in alice.says
    assert alice(record()) == "record"
    assert alice.prompt == "quit leaves"


def test_a_spectator_leaves_without_being_asked() -> None:
    assert a_spectator()(enter("quit")) == "leave ended"


def test_a_spectator_cannot_watch_a_game_that_the_arbiter_does_not_know() -> None:
    alice = Alice(spectates=True)
    assert alice(found) == "connected 1 | state"
    assert alice.prompt == "setting up the board …"
    assert alice(OVER) == "-"
    assert (
        alice(error("unknown-game", "state", "no game has this id"))
        == "arbiter !unknown-game no game has this id | leave refused"
    )
    assert alice.prompt == "quit leaves"
