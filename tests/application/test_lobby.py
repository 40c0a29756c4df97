"""Requests to play against a lobby that others, or earlier failures, have left their marks on."""

from dataclasses import replace

import pytest

from arbiter.core.pairing import FRESH_MS
from arbiter.core.rules import Rules
from arbiter.core.terms import PLAIN
from arbiter.nostr.event import VerifiedEvent
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, SERVER, a_key, an_event

CAROL = a_key("carol")


def told(events: list[VerifiedEvent], kind: int = 20301) -> list[tuple[str, str]]:
    """To whom, and the first word."""
    return [(e.tags[0][1], e.content.split(":")[0]) for e in events if e.kind == kind]


def a_request(world: World) -> VerifiedEvent:
    """Alice's, now."""
    return an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), world.clock.ms // 1000)


def test_a_player_whose_game_is_missing_can_play_again() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    del world.games.standing[table.game_id]
    world.clock.ms += 1000

    assert told(world.ask(ALICE)) == [(ALICE.pubkey, "queued")]
    assert told(world.ask(CAROL))[-1][1] == "started"


def test_a_player_whose_opponent_left_can_play_another_at_once() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    table.say("quit", key=BOB)
    world.clock.ms += 1000

    world.ask(ALICE)
    started = world.ask(CAROL)

    assert {player for player, word in told(started) if word == "started"} == {
        ALICE.pubkey,
        CAROL.pubkey,
    }


def test_a_player_in_a_game_is_shown_it_and_never_waits() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.clock.ms += 1000

    shown = world.ask(ALICE)

    assert told(shown) == [(ALICE.pubkey, "started")]
    assert shown[-1].tags[0] == ("d", table.game_id)
    assert world.lobby.pool(PLAIN.pool).waiting == ()
    assert told(world.ask(EVE)) == [(EVE.pubkey, "queued")]


def test_the_one_who_waited_knows_his_game_too() -> None:
    """Both records name the game, not only that of him who came second."""
    world = World()
    table = world.start(ALICE, BOB)

    assert {world.lobby.player(key.pubkey).game_id for key in (ALICE, BOB)} == {table.game_id}


def test_a_request_that_queued_says_so_again_when_it_is_delivered_again() -> None:
    world = World()
    request = a_request(world)
    world.hear(request)
    world.clock.ms += FRESH_MS + 60_000

    assert told(world.hear(request)) == [(ALICE.pubkey, "queued")]
    assert len(world.lobby.pool(PLAIN.pool).waiting) == 1


def test_a_request_delivered_again_in_the_middle_of_the_game_shows_it_to_its_author() -> None:
    world = World()
    request = a_request(world)
    world.hear(request)
    state = world.ask(BOB)[-1]
    table = Table(world, state, {key.pubkey: key for key in (ALICE, BOB)})
    table.say("e2e4")

    again = world.hear(request)

    assert told(again) == [(ALICE.pubkey, "started")]
    assert again[-1].id == table.state.id


def test_a_pairing_that_no_relay_took_is_told_again_to_both() -> None:
    world = World()
    world.ask(ALICE)
    world.publisher.deaf = True
    world.ask(BOB)
    (body,) = world.republish.bodies
    world.publisher.deaf = False
    before = len(world.publisher.taken_events)

    world.deliver(world.record(body))

    said = world.publisher.taken_events[before:]
    assert {player for player, word in told(said) if word == "started"} == {
        ALICE.pubkey,
        BOB.pubkey,
    }


def test_a_lobby_that_took_minutes_to_win_is_asked_with_the_time_it_is_then() -> None:
    """A race lost is decided anew in every respect."""
    world = World()
    request = a_request(world)
    points: list[str] = []

    def rival(point: str) -> None:
        points.append(point)
        if point == "lobby.commit" and points.count(point) == 1:
            world.clock.ms += 5000
            pool = world.lobby.pool(PLAIN.pool)
            world.lobby.pools[pool.name] = replace(pool, item_version=pool.item_version + 1)

    world.lobby.hook = rival
    world.hear(request)

    (waiting,) = world.lobby.pool(PLAIN.pool).waiting
    assert waiting.asked_at_ms == world.clock.ms
    assert points.count("lobby.commit") == 2


@pytest.mark.parametrize("knows_him", [False, True])
def test_a_request_dated_ahead_stays_refused_when_its_hour_has_come(knows_him: bool) -> None:  # noqa: FBT001
    """Relays keep what is dated ahead until it is old, and tell it to each new listener."""
    world = World()
    if knows_him:
        world.ask(ALICE, "cancel")
    ahead = (world.clock.ms + 2 * FRESH_MS) // 1000
    request = an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), ahead)
    assert told(world.hear(request)) == [(ALICE.pubkey, "error")]

    for _ in range(4):
        world.clock.ms += FRESH_MS // 2
        assert told(world.hear(request)) == [(ALICE.pubkey, "error")]
    assert world.lobby.pool(PLAIN.pool).waiting == ()

    world.clock.ms += 1000
    assert told(world.ask(ALICE)) == [(ALICE.pubkey, "queued")]


def test_a_refusal_is_remembered_though_somebody_wrote_between() -> None:
    world = World()
    ahead = (world.clock.ms + 2 * FRESH_MS) // 1000
    request = an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), ahead)
    quiet = world.lobby.hook

    def rival(point: str) -> None:
        if point == "lobby.commit":
            world.lobby.hook = quiet
            world.ask(ALICE, "cancel")

    world.lobby.hook = rival
    world.hear(request)

    assert world.lobby.player(ALICE.pubkey).was_refused(request.id)


def test_a_stranger_who_has_not_worked_is_not_written_down_by_a_date() -> None:
    """He would be no stranger any more."""
    world = World(Rules(work_of_strangers=20))
    ahead = (world.clock.ms + 2 * FRESH_MS) // 1000

    world.hear(an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), ahead))

    assert world.lobby.player(ALICE.pubkey).item_version == 0
    (refused,) = world.ask(ALICE)
    assert refused.content == "error:pow: 20"


def test_who_asks_where_he_stands_is_told_and_wants_nothing_new() -> None:
    world = World()
    (nowhere,) = world.ask(ALICE, "state")
    assert nowhere.content.startswith("error:unknown-game: ")
    assert world.lobby.pool(PLAIN.pool).waiting == ()

    world.clock.ms += 1000
    world.ask(ALICE)
    world.clock.ms += 1000
    (waits,) = world.ask(ALICE, "state")
    assert waits.content == "queued"

    world.ask(BOB)
    world.clock.ms += 1000
    assert [event.kind for event in world.ask(ALICE, "state")] == [20301, 20302]


@pytest.mark.parametrize("content", ["", "cancel", "state", "accept:nonsense"])
def test_each_of_two_requests_in_one_second_has_an_answer_of_its_own(content: str) -> None:
    world = World()
    at = world.clock.ms // 1000
    tags = (("p", SERVER.pubkey),)
    first, second = (
        an_event(ALICE, 20300, content, (*tags, ("nonce", str(n))), at) for n in range(2)
    )

    told_first, told_second = world.hear(first), world.hear(second)

    assert [event.tags[1] for event in told_first] == [("e", first.id)]
    assert [event.tags[1] for event in told_second] == [("e", second.id)]
