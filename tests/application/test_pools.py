"""Pairing from pools, and the waiting there."""

from dataclasses import replace

from arbiter.core.clocks import Speed
from arbiter.core.pairing import WAITING_IN_A_POOL
from arbiter.core.ratings import Rating, Standing
from tests.application.script import Conversation
from tests.builders import ALICE, BOB


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
