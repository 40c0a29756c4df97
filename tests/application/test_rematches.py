"""The game after a game, and the end that it follows."""

import json

import pytest

from tests.application.talk import BLITZ, MATE, RATED, play, say, states, tag
from tests.application.world import Table, World
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

    assert world.statuses()[-1] == "duplicate"
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


def test_a_player_is_not_pulled_out_of_another_game_nor_into_a_rematch_after_it() -> None:
    """They waited for a game already when they offered the rematch, and found it."""
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    world.clock.ms += 1000
    world.ask(table.white)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    started = next(event for event in world.ask(CAROL) if event.kind == 20302)
    other = Table(world, started, {key.pubkey: key for key in (CAROL, table.white)})
    world.clock.ms += 1000

    accepted = table.move_event("rematch", key=table.black)
    (error,) = world.hear(accepted)

    assert error.content.startswith("not-offered-here: ")
    assert world.lobby.player(table.white.pubkey).game_id == other.game_id

    # Refused is refused: when the other game is over, neither a replay nor a new word begins one.
    other.say("quit", key=CAROL)
    world.clock.ms += 1000
    world.hear(accepted)
    assert say(table, "rematch", table.black).content.startswith("not-offered-here: ")
    assert len(world.games.standing) == 2


def test_a_player_who_waits_and_then_accepts_a_rematch_waits_no_more() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.ask(table.black)
    world.clock.ms += 1000
    table.say("rematch", key=table.black)

    world.clock.ms += 1000
    (queued,) = world.ask(CAROL)
    assert queued.content == "queued"


@pytest.mark.parametrize("color", ["white", "black"])
@pytest.mark.parametrize("content", ["", "cancel"])
def test_a_player_who_asks_for_another_game_or_for_none_takes_their_offer_of_a_rematch_back(
    content: str, color: str
) -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    author, opponent = table.white, table.black
    if color == "black":
        author, opponent = opponent, author
    say(table, "rematch", author)
    world.clock.ms += 1000

    said = world.ask(author, content, *([] if content else [BLITZ]))

    assert tag(said[-1], "offer") is None
    world.clock.ms += 1000
    answer = say(table, "rematch", opponent)
    # Not an acceptance any more, but an offer of the opponent's.
    assert tag(answer, "offer") == ("rematch", "b" if color == "white" else "w")
    assert len(world.games.standing) == 1


def test_a_player_who_asks_where_they_stand_still_offers_the_rematch() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    world.ask(table.white, "state")

    say(table, "rematch", table.black)

    assert len(world.games.standing) == 2


def test_the_author_of_an_offer_of_a_rematch_takes_it_back() -> None:
    table = World().start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)

    assert tag(say(table, "rematch-decline", table.white), "offer") is None


@pytest.mark.parametrize(
    ("terms", "seconds"), [((BLITZ,), 300), ((("time", "3d"),), 86_400), ((), 86_400)]
)
def test_an_offer_of_a_rematch_ends_by_itself(
    terms: tuple[tuple[str, str], ...], seconds: int
) -> None:
    for late, games in ((0, 2), (1, 1)):
        world = World()
        table = world.start(ALICE, BOB, *terms)
        play(table, *MATE)
        say(table, "rematch", table.white)
        world.clock.ms += (seconds - 1 + late) * 1000

        say(table, "rematch", table.black)

        assert len(world.games.standing) == games


def test_an_offer_that_has_ended_is_made_again_and_accepted() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 301_000
    assert tag(say(table, "rematch", table.white), "offer") == ("rematch", "w")
    world.clock.ms += 1000

    say(table, "rematch", table.black)

    assert len(world.games.standing) == 2


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


@pytest.mark.parametrize("is_repeated", [True, False])
def test_an_end_that_no_relay_took_is_told_again_with_its_ratings_though_a_rematch_began(
    *, is_repeated: bool
) -> None:
    """The worker died before it told the end; when the move came again, nobody took it, or the
    rematch.
    """
    world = World()
    table = world.start(ALICE, BOB, *RATED)
    play(table, *MATE[:-1])
    world.publisher.deaf = True
    world.clock.ms += 1000
    mating = world.record(world.body(table.move_event(MATE[-1])))
    world.deliver(mating)
    for key in (table.white, table.black):
        world.clock.ms += 1000
        table.say("rematch", key=key, name_state=False)
    following = world.game(world.game(table.game_id).next_game_id or "")
    world.republish.waiting.clear()

    world.deliver(mating)
    world.publisher.deaf = False
    before = len(world.publisher.taken_events)
    for body in world.republish.bodies * (2 if is_repeated else 1):
        world.deliver(world.record(body))

    told = world.publisher.taken_events[before:]
    assert {event.kind for event in told} >= {64, 30300, 20302}
    assert {event.tags[0][1] for event in told if event.kind == 20302} == {
        table.game_id,
        following.id,
    }
    assert len({event.id for event in told if event.kind == 30300}) == 2
