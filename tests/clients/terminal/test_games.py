"""Many games of one player: followed beside the one on the board, listed, and gone to."""

from typing import Any

import pytest

from clients.player.terms import TimeControl
from tests.clients.terminal.alice import (
    LOST,
    Alice,
    challenged,
    enter,
    found,
    listed,
    playing,
    queued,
    record,
    started,
    state,
    waiting,
)

BY_DAYS: dict[str, Any] = {"time": TimeControl(days=3), "clock": (259_200_000, 259_200_000)}
LIVE: dict[str, Any] = {"time": TimeControl(300), "clock": (300_000, 300_000)}


def with_two(moves: str = "e4") -> Alice:
    """White on the board against Bob, and beside it a second game by days."""
    alice = playing("e4", **BY_DAYS)
    alice(started("f"), state(moves, game="f", **BY_DAYS))
    return alice


def test_games_are_listed_those_to_move_first_and_gone_to_by_number() -> None:
    alice = with_two("e4 e5")
    assert alice(enter("games")) == "games 2!, 1*"
    assert alice(enter("go 1")) == "board", "it is there already"
    assert alice(enter("go 3")) == alice(enter("go x")) == "!no-game"
    assert alice(enter("go 2")) == "started white resumed | board"
    assert alice(enter("Nf3")) == "g1f3 of f | sent Nf3"
    assert alice(state("e4 e5 Nf3", version=4, game="f", **BY_DAYS)) == "moved Nf3"
    assert alice(enter("games"), enter("go 1"), enter("games")) == "games 1*, 2"


def test_it_is_told_once_that_a_game_beside_waits_for_a_move_or_is_over() -> None:
    alice = with_two()
    waits = state("e4 e5", game="f", version=3, **BY_DAYS)
    assert alice(waits) == "game 2 to move"
    assert alice(waits) == "-", "another relay has it too"
    assert alice(state("e4", game="f", version=2, **BY_DAYS)) == "-", "it came late"
    assert alice(enter("games")) == "games 2!, 1*"
    assert (
        alice(state("e4 e5", game="f", version=4, end="1-0 resignation", **BY_DAYS)) == "game 2 1-0"
    )
    assert alice(waits, enter("games")) == "games 1*"
    assert alice(enter("go 2")) == "!no-game"


def test_go_alone_leads_to_the_next_game_that_waits_for_a_move() -> None:
    alice = with_two()
    assert alice(enter("go")) == "!no-game"
    alice(state("e4 e5", game="f", version=3, **BY_DAYS))
    alice(started("e"), state("d4 d5", game="e", version=3, deadline=5_000, **BY_DAYS))
    assert alice(enter("go"), enter("games")) == "games 3*!, 2!, 1"


def test_a_game_begins_beside_the_one_on_the_board() -> None:
    alice = playing("e4", **BY_DAYS)
    assert alice(listed, started("f"), state(game="f", **BY_DAYS)) == "(game-begins)"
    assert alice(state(game="f", **BY_DAYS)) == "-"
    assert alice(started("f", answers="e" * 64)) == "-", "the answer to a question"
    assert alice(enter("games")) == "games 2!, 1*"


@pytest.mark.parametrize("what", ["new 3d", "new", "accept"])
def test_another_game_is_asked_for_beside_a_slow_one_but_not_beside_a_live_one(what: str) -> None:
    slow, live = playing("e4", **BY_DAYS), playing("e4", **LIVE)
    for alice in (slow, live):
        alice(challenged("bob", "c", 3600))
    assert live(enter(what)) == "!not-now"
    if what == "accept":
        assert slow(enter(what)) == "?accept:c"
    else:
        terms = "time=3d" if what == "new 3d" else "mode=casual"
        assert slow(enter(what)) == f"?seek {terms}"
        assert slow(queued()) == f"queued {'time=3d' if what == 'new 3d' else ''}".rstrip()
    assert slow(started("f"), state(game="f", **BY_DAYS)) == "started white | moved"
    assert slow(enter("games")) == "games 2*!, 1"


def test_who_waits_is_not_taken_into_a_game_that_they_have_already() -> None:
    alice = waiting()
    alice(queued())
    assert alice(started("f"), state("e4", game="f", **BY_DAYS)) == "-"
    assert alice.phase == "queued"
    assert alice(enter("go 1")) == "!not-now", "an opponent is expected"
    assert alice(started(), state()) == "started white | moved"
    assert alice(enter("games")) == "games 2*!, 1"


def test_a_challenge_still_waits_where_the_question_about_it_brings_a_game_beside() -> None:
    alice = waiting()
    alice(queued(), enter("challenge open 3+2"), queued("c"))
    for _ in range(2):
        alice(LOST, found)
        assert alice(started("f"), state("e4", game="f", **BY_DAYS)) == "-"
        assert alice.phase == "queued"
    assert alice(started(), state()) == "started white | moved"


def test_the_record_of_a_game_that_ended_takes_it_from_the_list() -> None:
    alice = with_two()
    assert alice(record("f")) == "state of f"
    alice(state("e4", game="f", version=4, end="1-0 resignation", **BY_DAYS))
    assert alice(enter("games")) == "games 1*"
