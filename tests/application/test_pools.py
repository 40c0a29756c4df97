"""Who meets whom, and who waits where."""

from dataclasses import replace

import chess
import pytest

from arbiter.core.clocks import Speed
from arbiter.core.game import BLACK, WHITE
from arbiter.core.pairing import WAITING_IN_A_POOL
from arbiter.core.ratings import Rating, Standing
from arbiter.core.seeks import WAIT_MS
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import ALICE, BOB, a_key

CAROL = a_key("carol")
WHITE_ONLY = ("color", "white")
BLITZ, RAPID, RATED = ("time", "180+2"), ("time", "600+0"), ("mode", "rated")


def ask(world: World, key: SecretKey, *tags: tuple[str, ...]) -> list[VerifiedEvent]:
    return world.hear(world.request(key, "", *tags))


def started(events: list[VerifiedEvent]) -> set[str]:
    """The players who were told that their game began."""
    return {e.tags[0][1] for e in events if e.content.startswith("started:")}


def rate(world: World, key: SecretKey, value: float, speed: Speed = Speed.BLITZ) -> None:
    standing = Standing(key.pubkey, speed, Rating(value=value), 30)
    world.ratings.standings[key.pubkey, speed] = standing


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((BLITZ,), ()),
        ((BLITZ,), (RAPID,)),
        ((BLITZ, RATED), (BLITZ,)),
        ((("variant", "chess960"),), ()),
        ((("color", "white"),), (("color", "white"),)),
        ((("bot", "true"),), ()),
        ((("bot", "true"),), (("bot", "true"),)),
    ],
)
def test_who_asks_for_something_else_is_not_met(
    one: tuple[tuple[str, ...], ...], other: tuple[tuple[str, ...], ...]
) -> None:
    world = World()
    ask(world, ALICE, *one)

    assert started(ask(world, BOB, *other)) == set()
    assert world.games.standing == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((BLITZ,), (("time", "0180+002"),)),
        ((), (("mode", "casual"), ("variant", "standard"), ("color", "random"))),
        ((("color", "white"),), (("color", "black"),)),
        ((("color", "white"),), ()),
        ((("bot", "true"),), (("bots", "welcome"),)),
        ((("bot", "true"), ("bots", "welcome")), (("bot", "true"), ("bots", "welcome"))),
        ((BLITZ, RATED, ("rating", "1500", "1500")), (BLITZ, RATED)),
    ],
)
def test_who_asks_for_the_same_in_other_words_is_met(
    one: tuple[tuple[str, ...], ...], other: tuple[tuple[str, ...], ...]
) -> None:
    world = World()
    ask(world, ALICE, *one)

    assert started(ask(world, BOB, *other)) == {ALICE.pubkey, BOB.pubkey}


@pytest.mark.parametrize(("wish", "color"), [("white", WHITE), ("black", BLACK)])
@pytest.mark.parametrize("first", [True, False])
def test_a_wish_for_a_colour_is_granted_whoever_came_first(
    wish: str, color: chess.Color, *, first: bool
) -> None:
    world = World()
    requests = [(ALICE, (("color", wish),)), (BOB, ())]
    (one, other) = requests if first else requests[::-1]
    ask(world, one[0], *one[1])
    told = ask(world, other[0], *other[1])

    assert world.game(told[-1].tags[0][1]).color_of(ALICE.pubkey) == color


@pytest.mark.parametrize("whom", [(), (("challenge", "open"),)])
@pytest.mark.parametrize("wish", ["white", "black"])
def test_nobody_chooses_their_colour_in_a_rated_game_with_a_stranger(
    wish: str, whom: tuple[tuple[str, str], ...]
) -> None:
    world = World()

    (refused,) = ask(world, ALICE, BLITZ, RATED, ("color", wish), *whom)

    assert refused.content.startswith("error:bad-terms: color: ")
    assert world.lobby.pools == {}
    assert ask(world, ALICE, BLITZ, RATED, ("color", "random"), *whom)[0].content == "queued"


def test_a_range_is_compared_with_the_rating_at_that_speed() -> None:
    world = World()
    rate(world, BOB, 1720.0)
    rate(world, BOB, 900.0, Speed.RAPID)
    ask(world, ALICE, BLITZ, ("rating", "1700", "1800"))

    assert started(ask(world, CAROL, BLITZ)) == set()
    assert started(ask(world, BOB, BLITZ)) == {ALICE.pubkey, BOB.pubkey}


def test_whoever_asks_for_something_else_waits_for_that_alone() -> None:
    world = World()
    ask(world, ALICE, BLITZ)
    ask(world, ALICE, RAPID)

    assert started(ask(world, BOB, BLITZ)) == set()
    assert started(ask(world, CAROL, RAPID)) == {ALICE.pubkey, CAROL.pubkey}
    assert world.lobby.player(ALICE.pubkey).waits_in is None
    assert [len(pool.waiting) for pool in world.lobby.pools.values()] == [1, 0]


def test_who_is_paired_elsewhere_leaves_the_pool_he_waited_in() -> None:
    world = World()
    ask(world, ALICE, BLITZ)
    ask(world, BOB, RAPID)

    assert started(ask(world, ALICE, RAPID)) == {ALICE.pubkey, BOB.pubkey}

    assert [pool for pool in world.lobby.pools.values() if pool.waiting != ()] == []


def test_who_asks_again_with_another_wish_has_that_wish() -> None:
    world = World()
    ask(world, ALICE, ("color", "white"))
    ask(world, ALICE, ("color", "black"))

    told = ask(world, BOB, ("color", "white"))
    assert world.game(told[-1].tags[0][1]).color_of(ALICE.pubkey) == BLACK


def test_whoever_cancels_is_met_by_nobody() -> None:
    world = World()
    ask(world, ALICE, BLITZ)
    (told,) = world.hear(world.request(ALICE, "cancel"))

    assert told.content == "cancelled"
    assert started(ask(world, BOB, BLITZ)) == set()


def test_who_waited_too_long_is_told_and_met_by_nobody() -> None:
    world = World()
    ask(world, ALICE)
    world.clock.ms += WAIT_MS

    told = ask(world, BOB)

    assert {event.tags[0][1]: event.content.split(":")[0] for event in told} == {
        ALICE.pubkey: "error",
        BOB.pubkey: "queued",
    }


def test_a_rated_game_is_rated_when_it_ends_and_a_casual_one_is_not() -> None:
    for mode, games in (("rated", 1), ("casual", 0)):
        world = World()
        table = world.start(ALICE, BOB, BLITZ, ("mode", mode))
        for uci in ("f2f3", "e7e5", "g2g4", "d8h4"):
            table.say(uci)

        assert len(world.ratings.games) == games
        winner = world.ratings.standing(table.black.pubkey, Speed.BLITZ)
        assert (winner.rating.value > 1500) == bool(games)


def test_a_game_whose_rating_failed_is_rated_when_the_event_comes_again() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ, RATED)
    for uci in ("f2f3", "e7e5", "g2g4"):
        table.say(uci)
    mating = world.record(world.body(table.move_event("d8h4")))
    failing = [True]

    def break_off(point: str) -> None:
        if point == "ratings.commit" and failing.pop():
            raise ConnectionError

    world.ratings.hook = break_off
    assert world.deliver(mating) == (mating.id,)
    world.ratings.hook = lambda point: None
    assert world.deliver(mating) == ()

    assert len(world.ratings.games) == 1
    assert [event.kind for event in world.publisher.taken_events[-3:]] == [64, 30300, 30300]


def a_pool_of_whites(world: World, number: int) -> list[SecretKey]:
    """So many strangers, each of whom wants White and suits none of the others."""
    keys = [a_key(f"white {at}") for at in range(number)]
    for key in keys:
        ask(world, key, WHITE_ONLY)
    return keys


def bots(world: World, number: int, first: int = 0) -> list[SecretKey]:
    """So many fresh keys, one after the other, that suit neither each other nor a person."""
    keys = [a_key(f"bot {at}") for at in range(first, first + number)]
    for key in keys:
        ask(world, key, ("bot", "true"))
    return keys


def waiting_in(world: World) -> list[str]:
    return [seek.seat.player for seek in world.lobby.pool("standard:unlimited:casual").waiting]


def test_in_a_full_pool_the_longest_waiting_gives_way_and_is_told() -> None:
    world = World()
    first, *others = bots(world, WAITING_IN_A_POOL)

    told = ask(world, ALICE)

    assert [(event.tags[0][1], event.content.split(": ")[0]) for event in told] == [
        (first.pubkey, "error:rate-limited"),
        (ALICE.pubkey, "queued"),
    ]
    assert waiting_in(world) == [*(key.pubkey for key in others), ALICE.pubkey]
    assert started(ask(world, BOB)) == {ALICE.pubkey, BOB.pubkey}


def test_a_flood_of_fresh_keys_pushes_out_nobody_who_has_played_here() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    for word in ("e2e4", "e7e5", "quit"):
        table.say(word)
    ask(world, ALICE)

    bots(world, 2 * WAITING_IN_A_POOL)

    assert len(waiting_in(world)) == WAITING_IN_A_POOL
    assert started(ask(world, CAROL)) == {ALICE.pubkey, CAROL.pubkey}


def test_a_flood_of_keys_that_have_played_leaves_half_the_pool_to_those_who_have_not() -> None:
    world = World()
    ask(world, ALICE)
    veterans = bots(world, WAITING_IN_A_POOL - 1)
    pool = world.lobby.pool("standard:unlimited:casual")
    played = [replace(seek, has_played=seek.seat.player != ALICE.pubkey) for seek in pool.waiting]
    world.lobby.pools[pool.name] = replace(pool, waiting=tuple(played))

    bots(world, WAITING_IN_A_POOL // 2 - 1, first=WAITING_IN_A_POOL)

    assert len(waiting_in(world)) == WAITING_IN_A_POOL
    assert veterans[0].pubkey not in waiting_in(world)
    assert started(ask(world, CAROL)) == {ALICE.pubkey, CAROL.pubkey}


def test_who_was_pushed_out_of_a_pool_may_ask_again_at_once() -> None:
    world = World()
    first, *_ = bots(world, WAITING_IN_A_POOL + 1)

    assert ask(world, first, ("bot", "true"))[-1].content == "queued"


def test_in_a_full_pool_who_suits_somebody_plays_and_who_waits_may_ask_again() -> None:
    world = World()
    first, second, *_ = a_pool_of_whites(world, WAITING_IN_A_POOL)

    (queued,) = ask(world, second, WHITE_ONLY)
    assert queued.content == "queued"

    assert started(ask(world, ALICE)) == {ALICE.pubkey, first.pubkey}


def test_those_whose_time_is_over_take_no_room_in_a_pool() -> None:
    world = World()
    a_pool_of_whites(world, WAITING_IN_A_POOL)
    world.clock.ms += WAIT_MS

    told = ask(world, ALICE, WHITE_ONLY)

    assert told[-1].content == "queued"
    assert len(world.lobby.pool("standard:unlimited:casual").waiting) == 1
