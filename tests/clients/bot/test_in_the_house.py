"""A player of the house."""

from dataclasses import replace
from typing import Any

import pytest

from tests.clients.bot.talk import Bot, Step, challenge, engine, no_game, pass_, start, state, wait


@pytest.mark.parametrize(
    "terms", [{}, {"time": "180+2"}, {"time": "10800+180"}, {"variant": "chess960"}]
)
def test_in_the_house_it_plays_any_casual_game_at_once(terms: Any) -> None:
    bot = Bot(house=True)
    assert bot(no_game, challenge(1, **terms), wait(0.2)) == "?accept:1"


def test_in_the_house_any_other_is_declined_with_the_reason() -> None:
    bot = Bot(house=True)
    bot(no_game)
    assert bot(challenge(1, time="180+2", mode="rated")) == "?decline:1:casual"
    assert bot(challenge(2, time="3d")) == "?decline:2:timeControl"
    assert bot(challenge(3, start="8/8/8/8/8/8/8/K1k5 w - - 0 1")) == "?decline:3:variant"


def test_in_the_house_who_comes_during_a_game_or_while_one_begins_is_told_to_come_later() -> None:
    bot = Bot(house=True)
    assert bot(no_game, challenge(1, time="180+2")) == "-"
    assert bot(challenge(2, time="180+2")) == "?decline:2:later"
    assert bot(wait(0.2), challenge(3, time="180+2")) == "?decline:3:later"
    assert bot(start(), challenge(4, time="180+2")) == "?decline:4:later"


def test_in_the_house_who_comes_before_the_game_that_goes_on_is_known_is_told_so_once_it_is() -> (
    None
):
    bot = Bot(house=True)
    assert bot(challenge(1, time="180+2")) == "-"
    assert bot(start()) == "think | ?decline:1:later"
    assert bot(wait(1)) == "-"


@pytest.mark.parametrize(
    ("moves", "patience"), [("e2e4", 120), ("e2e4 e7e5 g1f3", 600)], ids=["unmoved", "moved"]
)
def test_in_the_house_an_opponent_who_is_gone_makes_room_when_another_player_asks(
    moves: str, patience: int
) -> None:
    bot = Bot(house=True)
    bot(no_game, start(time=""), engine("e2e4"), state(moves, time=""))
    bot(pass_(patience - 1))
    assert bot(challenge(1)) == "?decline:1:later"
    assert bot(pass_(1), challenge(2)) == "quit"
    assert bot(state(moves, end="*", version=9, time=""), wait(0.2)) == "?accept:2"


def test_in_the_house_who_moved_a_moment_ago_keeps_the_game() -> None:
    bot = Bot(house=True)
    bot(no_game, start(time=""), engine("e2e4"), state("e2e4", time=""))
    bot(pass_(600), state("e2e4 e7e5", time=""), engine("g1f3"), state("e2e4 e7e5 g1f3", time=""))
    assert bot(challenge(1)) == "?decline:1:later"


def test_in_the_house_and_so_does_who_has_a_clock() -> None:
    bot = Bot(house=True)
    bot(no_game, start(time="10800+0"), engine("e2e4"))
    bot(state("e2e4", time="10800+0"), pass_(600))
    assert bot(challenge(1)) == "?decline:1:later"


@pytest.mark.parametrize(
    ("gateway", "says_so"), [("ws://one", True), ("ws://two", False), (None, False)]
)
def test_in_the_house_it_is_said_to_be_here_while_it_has_a_socket_at_the_arbiters_own_relay(
    gateway: str | None, *, says_so: bool
) -> None:
    bot = Bot(house=True)
    wire = replace(bot.session.wire, gateway=gateway)
    bot.session = replace(bot.session, wire=wire)
    bot(no_game, start(), engine("e2e4"))
    assert (("here",) in bot.said["e2e4"].tags) is says_so


@pytest.mark.parametrize(
    ("steps", "rests"),
    [
        ((), False),
        ((no_game,), True),
        ((no_game, challenge(1)), False),
        ((no_game, challenge(1), wait(0.2), start()), False),
    ],
)
def test_in_the_house_without_a_visitor_it_has_nothing_to_do(
    steps: tuple[Step, ...], *, rests: bool
) -> None:
    bot = Bot(house=True)
    bot(*steps)
    assert bot.is_at_rest == rests
