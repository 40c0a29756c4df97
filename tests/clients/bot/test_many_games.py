"""A bot with several slow games and one engine."""

import pytest

from tests.clients.bot import talk

DAYS = "3d"
MANY = ("challenge.concurrency = 3", "challenge.time_controls = ['correspondence']")


def with_two() -> talk.Bot:
    """It has moved in the first game, and it is its turn in the second."""
    bot = talk.Bot()
    bot(talk.start(time=DAYS), talk.engine("e2e4"), talk.state("e2e4", time=DAYS))
    bot(talk.state(game="b", time=DAYS))
    return bot


def test_it_turns_to_the_game_that_waits_for_its_move_and_back() -> None:
    bot = with_two()
    assert (bot.game, bot(talk.wait(1)), bot.game) == ("a", "think", "b")
    assert bot(talk.engine("d2d4")) == "d2d4"
    assert bot(talk.state("d2d4", game="b", time=DAYS), talk.state("e2e4 e7e5", time=DAYS)) == "-"
    assert (bot.game, bot(talk.wait(1)), bot.game) == ("b", "think", "a")
    assert bot(talk.engine("g1f3")) == "g1f3"


def test_it_goes_on_thinking_where_it_is_and_waits_until_its_move_is_played() -> None:
    bot = with_two()
    assert bot(talk.wait(1)) == "think"
    assert bot(talk.state("e2e4 e7e5", time=DAYS), talk.wait(1)) == "-"
    assert bot(talk.engine("d2d4"), talk.wait(1)) == "-", "its move is on its way"
    assert bot.game == "b"


def test_the_game_whose_time_ends_first_comes_first() -> None:
    bot = with_two()
    bot(talk.state("a2a3 a7a6", game="c", time=DAYS, clock=(20_000, 20_000)))
    assert (bot(talk.wait(1)), bot.game) == ("think", "c")


@pytest.mark.parametrize("told_first", [True, False])
def test_all_games_that_state_brings_are_played(*, told_first: bool) -> None:
    bot = talk.Bot()
    told = [talk.answer("started:a"), talk.answer("started:b")]
    shown = [talk.state(time=DAYS), talk.state(game="b", time=DAYS)]
    bot(*(told + shown if told_first else shown + told))
    bot(talk.wait(1))
    first = bot.game
    moved = {"a": "e2e4", "b": "d2d4"}
    assert first is not None
    assert bot(talk.engine(moved[first])).startswith(moved[first])
    assert (bot(talk.state(moved[first], game=first, time=DAYS), talk.wait(1)), bot.game) == (
        "think",
        {"a": "b", "b": "a"}[first],
    )


def test_a_live_game_takes_the_board_and_the_slow_one_goes_on_after_it() -> None:
    bot = with_two()
    bot(talk.wait(1))
    assert bot(talk.state(game="c"), talk.tell("started:c")) == "stop | think"
    assert bot.game == "c"
    assert bot(talk.state("e2e4 e7e5", time=DAYS), talk.wait(1), talk.wait(1)) == "-", (
        "its clock runs"
    )
    bot(talk.state("e2e4 e7e5", game="c", end="1-0"))
    assert (bot(talk.wait(1)), bot.game in {"a", "b"}) == ("think", True)


def test_a_game_that_ends_beside_the_board_is_not_played() -> None:
    bot = with_two()
    assert bot(talk.state(game="b", time=DAYS, version=5, end="0-1"), talk.wait(1)) == "-"
    assert bot(talk.state(game="b", time=DAYS), talk.wait(1)) == "-", "a relay sends it late"
    assert bot.game == "a"


def test_it_takes_further_games_by_days_while_an_opponent_thinks_if_it_may() -> None:
    for settings, does in ((MANY[1:], "-"), (MANY, "?accept:1")):
        bot = talk.Bot(*settings)
        bot(talk.start(time=DAYS), talk.engine("e2e4"), talk.state("e2e4", time=DAYS), talk.wait(1))
        assert bot(talk.challenge(1, time=DAYS), talk.wait(1)) == does
        assert bot.is_at_rest is False


def test_it_asks_for_all_its_games_now_and_then() -> None:
    bot = talk.Bot(*MANY)
    bot(talk.start(time=DAYS), talk.engine("e2e4"), talk.state("e2e4", time=DAYS), talk.wait(1))
    assert bot(talk.wait(598)) == "-"
    assert bot(talk.wait(1)) == "state"
    assert bot(talk.state("e2e4 e7e5", time=DAYS), talk.wait(1)) == "think"
    assert bot(talk.READY, talk.engine("g1f3")) == "g1f3"


def test_a_state_that_comes_late_changes_nothing_beside_the_board() -> None:
    bot = with_two()
    bot(talk.state("d2d4 d7d5", game="b", time=DAYS), talk.state("d2d4", game="b", time=DAYS))
    assert (bot(talk.wait(1)), bot.game) == ("think", "b")
