"""A bot with several slow games and one engine."""

import pytest

from tests.clients.bot.talk import (
    READY,
    Bot,
    answer,
    challenge,
    engine,
    start,
    state,
    tell,
    wait,
)

DAYS = "3d"
MANY = ("challenge.concurrency = 3", "challenge.time_controls = ['correspondence']")


def with_two() -> Bot:
    """It has moved in the first game, and it is its turn in the second."""
    bot = Bot()
    bot(start(time=DAYS), engine("e2e4"), state("e2e4", time=DAYS))
    bot(state(game="b", time=DAYS))
    return bot


def test_it_turns_to_the_game_that_waits_for_its_move_and_back() -> None:
    bot = with_two()
    assert (bot.game, bot(wait(1)), bot.game) == ("a", "think", "b")
    assert bot(engine("d2d4")) == "d2d4"
    assert bot(state("d2d4", game="b", time=DAYS), state("e2e4 e7e5", time=DAYS)) == "-"
    assert (bot.game, bot(wait(1)), bot.game) == ("b", "think", "a")
    assert bot(engine("g1f3")) == "g1f3"


def test_it_goes_on_thinking_where_it_is_and_waits_until_its_move_is_played() -> None:
    bot = with_two()
    assert bot(wait(1)) == "think"
    assert bot(state("e2e4 e7e5", time=DAYS), wait(1)) == "-"
    assert bot(engine("d2d4"), wait(1)) == "-", "its move is on its way"
    assert bot.game == "b"


def test_the_game_whose_time_ends_first_comes_first() -> None:
    bot = with_two()
    bot(state("a2a3 a7a6", game="c", time=DAYS, clock=(20_000, 20_000)))
    assert (bot(wait(1)), bot.game) == ("think", "c")


@pytest.mark.parametrize("told_first", [True, False])
def test_all_games_that_state_brings_are_played(*, told_first: bool) -> None:
    bot = Bot()
    told = [answer("started:a"), answer("started:b")]
    shown = [state(time=DAYS), state(game="b", time=DAYS)]
    bot(*(told + shown if told_first else shown + told))
    bot(wait(1))
    first = bot.game
    moved = {"a": "e2e4", "b": "d2d4"}
    assert first is not None
    assert bot(engine(moved[first])).startswith(moved[first])
    assert (bot(state(moved[first], game=first, time=DAYS), wait(1)), bot.game) == (
        "think",
        {"a": "b", "b": "a"}[first],
    )


def test_a_live_game_takes_the_board_and_the_slow_one_goes_on_after_it() -> None:
    bot = with_two()
    bot(wait(1))
    assert bot(state(game="c"), tell("started:c")) == "stop | think"
    assert bot.game == "c"
    assert bot(state("e2e4 e7e5", time=DAYS), wait(1), wait(1)) == "-", "its clock runs"
    bot(state("e2e4 e7e5", game="c", end="1-0"))
    assert (bot(wait(1)), bot.game in {"a", "b"}) == ("think", True)


def test_a_game_that_ends_beside_the_board_is_not_played() -> None:
    bot = with_two()
    assert bot(state(game="b", time=DAYS, version=5, end="0-1"), wait(1)) == "-"
    assert bot(state(game="b", time=DAYS), wait(1)) == "-", "a relay sends it late"
    assert bot.game == "a"


def test_it_takes_further_games_by_days_while_an_opponent_thinks_if_it_may() -> None:
    for settings, does in ((MANY[1:], "-"), (MANY, "?accept:1")):
        bot = Bot(*settings)
        bot(start(time=DAYS), engine("e2e4"), state("e2e4", time=DAYS), wait(1))
        assert bot(challenge(1, time=DAYS), wait(1)) == does
        assert bot.is_at_rest is False


def test_it_asks_for_all_its_games_now_and_then() -> None:
    bot = Bot(*MANY)
    bot(start(time=DAYS), engine("e2e4"), state("e2e4", time=DAYS), wait(1))
    assert bot(wait(598)) == "-"
    assert bot(wait(1)) == "state"
    assert bot(state("e2e4 e7e5", time=DAYS), wait(1)) == "think"
    assert bot(READY, engine("g1f3")) == "g1f3"


def test_a_state_that_comes_late_changes_nothing_beside_the_board() -> None:
    bot = with_two()
    bot(state("d2d4 d7d5", game="b", time=DAYS), state("d2d4", game="b", time=DAYS))
    assert (bot(wait(1)), bot.game) == ("think", "b")
