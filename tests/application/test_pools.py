"""Who meets whom, and who waits where."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import Speed
from arbiter.core.pairing import WAITING_IN_A_POOL
from arbiter.core.ratings import Rating, Standing
from tests.application.script import Conversation, run, scripts
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


@scripts(
    """
# a wish for a colour is granted to the first
alice seek color=white; bob seek
= white alice

# and to the second
bob seek; alice seek color=black
= white bob

# no player chooses their colour in a rated game with a stranger
alice seek blitz rated color=white > alice !bad-terms
alice challenge open blitz rated color=black > alice !bad-terms
= waiting -
alice challenge open blitz rated color=random > alice queued c1
alice seek blitz rated color=random > alice queued

# a player waits for what they asked for last
alice seek blitz; alice seek time=600+0; bob seek blitz > bob queued
carol seek time=600+0 > alice started | carol started | state
= waiting bob

# who is paired elsewhere leaves the pool they waited in
alice seek blitz; bob seek time=600+0; alice seek time=600+0 > alice started | bob started | state
= waiting -

# who asks again with another wish has that wish
alice seek color=white; alice seek color=black
bob seek color=white > bob started | alice started | state
= white bob

# who cancels is not paired
alice seek blitz; alice cancel > alice cancelled
bob seek blitz > bob queued

# who waited too long is told so and not paired
alice seek; wait 30m; bob seek > alice !stale | bob queued

# a full pool lets those who suit play and those who wait ask again
128 x white# seek color=white; white1 seek color=white > white1 queued
alice seek > white0 started | alice started | state

# those whose time is over take no room in a pool
128 x white# seek color=white; wait 30m; alice seek color=white
= waiting alice

# in a full pool the longest waiting gives way and may ask again
128 x bot# seek bot; alice seek > bot0 !rate-limited | alice queued
bot0 seek bot > bot1 !rate-limited | bot0 queued
bob seek > alice started | bob started | state

# a flood of fresh keys pushes out no player who has played here
alice seek; bob seek; alice e2e4; bob e7e5; alice quit; alice seek; 256 x bot# seek bot
carol seek > carol started | alice started | state
"""
)
def test_pools(script: str) -> None:
    run(script)


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
