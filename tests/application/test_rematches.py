"""The game after a game, and the end that it follows."""

import json

import pytest

from tests.application.talk import BLITZ, MATE, RATED, play, say, states, tag
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, a_key

CAROL = a_key("carol")


def test_a_rematch_swaps_the_colours_and_is_told_as_a_start() -> None:
    world = World()
    table = world.start(ALICE, BOB, *RATED)
    play(table, *MATE)
    offered = say(table, "rematch", table.white)
    assert tag(offered, "offer") == ("rematch", "w")
    assert tag(offered, "result") == ("0-1",)

    world.clock.ms += 1000
    started = table.say("rematch", key=table.black)

    assert [event.kind for event in started] == [20301, 20301, 20302, 20302]
    again = world.game(started[2].tags[0][1])
    # Whoever watched the game before learns from it where it goes on.
    assert tag(started[3], "rematch") == (again.id,)
    old = world.game(table.game_id)
    assert (again.white, again.black) == (old.black, old.white)
    assert (again.rated, again.outcome) == (True, None)
    assert old.next_game_id == again.id
    assert again.timer_at_ms is not None
    for key in (ALICE, BOB):
        assert world.lobby.player(key.pubkey).game_id == again.id
    shown = world.hear(table.move_event("state", key=EVE))
    assert shown


def test_a_rematch_is_accepted_once_however_often_the_event_comes() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    accepted = table.move_event("rematch", key=table.black)
    first = world.hear(accepted)
    world.clock.ms += 1000

    again = world.hear(accepted)

    assert world.fates()[-1] == "duplicate"
    assert states(again)[-1].id == states(first)[-1].id
    assert len(world.games.standing) == 2
    late = say(table, "rematch", table.white)
    assert late.content.startswith("not-offered-here: ")
    assert len(world.games.standing) == 2


def test_two_acceptances_at_once_make_one_rematch() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    rival = table.move_event("rematch", key=table.black)
    world.clock.ms += 1000
    accepted = table.move_event("rematch", key=table.black)
    done: list[str] = []

    def meanwhile(point: str) -> None:
        if point == "lobby.commit" and not done:
            done.append(point)
            world.hear(rival)

    world.lobby.hook = meanwhile
    world.hear(accepted)

    assert len(world.games.standing) == 2


def test_nobody_is_taken_from_another_game_into_a_rematch() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    other = world.start(table.white, CAROL)
    world.clock.ms += 1000

    accepted = table.move_event("rematch", key=table.black)
    (error,) = world.hear(accepted)

    assert error.content.startswith("not-offered-here: ")
    assert world.lobby.player(table.white.pubkey).game_id == other.game_id
    assert len(world.games.standing) == 2

    # Refused is refused: when the other game is over, a replay begins nothing.
    other.say("quit", key=CAROL)
    world.clock.ms += 1000
    world.hear(accepted)
    assert len(world.games.standing) == 2


def test_who_waits_for_others_and_then_plays_the_rematch_waits_no_more() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.ask(table.white)
    world.clock.ms += 1000
    table.say("rematch", key=table.black)

    world.clock.ms += 1000
    (queued,) = world.ask(CAROL)
    assert queued.content == "queued"


def test_a_declined_rematch_is_none() -> None:
    table = World().start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)

    assert tag(say(table, "rematch-decline", table.black), "offer") is None
    assert len(table.world.games.standing) == 1


def test_an_offer_of_a_rematch_neither_dates_the_note_anew_nor_lets_it_be_lost() -> None:
    """A note is kept by relays for ever: twice the same bytes are one, and other bytes are two."""
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE[:3])
    mating = table.move_event(MATE[3])
    first = [event for event in world.hear(mating) if event.kind == 64]
    world.clock.ms += 60_000
    say(table, "rematch", table.white)

    again = [event for event in world.hear(mating) if event.kind == 64]

    assert [event.id for event in again] == [event.id for event in first]


def test_an_end_that_no_relay_took_is_told_though_a_rematch_was_offered_since() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE[:3])
    world.publisher.deaf = True
    world.clock.ms += 1000
    table.say(MATE[3])
    (body,) = world.republish.bodies
    world.publisher.deaf = False
    say(table, "rematch", table.white)

    world.deliver(world.record(body))

    assert world.publisher.taken_events[-1].kind == 64


@pytest.mark.parametrize("broken", [False, True])
def test_a_rematch_has_a_timer_even_if_it_could_not_be_set_at_first(*, broken: bool) -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    accepted = world.record(world.body(table.move_event("rematch", key=table.black)))
    world.timers.near.clear()

    def break_off(point: str) -> None:
        if point == "timers.set":
            raise ConnectionError

    if broken:
        world.timers.hook = break_off
        assert world.deliver(accepted) == (accepted.id,)
        world.timers.hook = lambda point: None
    assert world.deliver(accepted) == ()

    following = world.game(table.game_id).next_game_id
    (bodies, *_) = zip(*world.timers.near, strict=True)
    assert following in {json.loads(body)["nudge"]["game_id"] for body in bodies}
