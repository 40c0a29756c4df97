"""Pairing from pools, and the waiting there."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import Speed
from arbiter.core.pairing import WAITING_IN_A_POOL
from arbiter.core.ratings import Rating, Standing
from tests.application.script import Conversation, run
from tests.builders import ALICE, BOB


@pytest.mark.parametrize(
    "requests",
    [
        "blitz; ",
        "blitz; time=600+0",
        "blitz rated; blitz",
        "variant=chess960; ",
        "color=white; color=white",
        "bot; ",
        "bot; bot",
    ],
)
def test_players_who_ask_for_different_games_do_not_meet(requests: str) -> None:
    one, other = requests.split("; ")
    run(f"alice seek {one}\n bob seek {other} > bob queued\n = games 0")


@pytest.mark.parametrize(
    "requests",
    [
        "blitz; time=0180+002",
        "; mode=casual variant=standard color=random",
        "color=white; color=black",
        "color=white; ",
        "bot; bots",
        "bot bots; bot bots",
        "blitz rated rating=1500,1500; blitz rated",
    ],
)
def test_players_who_ask_for_the_same_in_other_words_meet(requests: str) -> None:
    one, other = requests.split("; ") if not requests.startswith(";") else ("", requests[2:])
    run(f"alice seek {one} > alice queued\n bob seek {other}\n = games 1 | waiting -")


def test_a_flood_of_keys_that_have_played_leaves_half_the_pool_to_those_who_have_not() -> None:
    talk = Conversation(in_order=False)
    for line in ("alice seek", f"{WAITING_IN_A_POOL - 1} x veteran# seek bot"):
        talk.line(line)
    pool = talk.world.lobby.pool("standard:unlimited:casual")
    played = [replace(seek, has_played=seek.seat.player != ALICE.pubkey) for seek in pool.waiting]
    talk.world.lobby.pools[pool.name] = replace(pool, waiting=tuple(played))
    talk.line(f"{WAITING_IN_A_POOL // 2 - 1} x bot# seek bot")
    assert len(talk.fact("waiting").split()) == WAITING_IN_A_POOL
    assert "veteran0" not in talk.fact("waiting").split()
    talk.line("carol seek")
    assert talk.fact("games") == "1"


def test_a_range_is_compared_with_the_rating_at_that_speed() -> None:
    talk = Conversation(in_order=False)
    for speed, value in ((Speed.BLITZ, 1720.0), (Speed.RAPID, 900.0)):
        standing = Standing(BOB.pubkey, speed, Rating(value=value), 30)
        talk.world.ratings.standings[BOB.pubkey, speed] = standing
    talk.line("alice seek blitz rating=1700,1800")
    talk.line("carol seek blitz > carol queued")
    talk.line("bob seek blitz")
    assert talk.fact("games") == "1"
