"""A batch: what fails alone, what is said again, and what a crash in between leaves behind."""

import json
from dataclasses import replace
from typing import Never

import pytest

from arbiter.application.deps import Contended
from arbiter.application.ports import Committed, Conflict, Games, Lobby, LobbyChange
from arbiter.application.process_batch import REPUBLISH_ATTEMPTS
from arbiter.application.publish import NoRelayAccepted
from arbiter.application.queue_messages import Malformed, Republish, parse
from arbiter.core.game import Game
from arbiter.core.terms import PLAIN
from arbiter.nostr.event import EventTemplate
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, SERVER, a_key, an_event

CAROL = a_key("carol")
DAVE = a_key("dave")


class SickGames:
    """A table that fails for one game."""

    def __init__(self, games: Games, sick: str) -> None:
        self.games, self.sick = games, sick

    def load(self, game_id: str) -> Game | None:
        if game_id == self.sick:
            raise ConnectionError
        return self.games.load(game_id)

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        return self.games.commit(before, after)


def with_games(world: World, games: Games) -> None:
    world.deps = replace(world.deps, games=games)


def test_one_sick_game_takes_its_own_later_records_along_and_no_others() -> None:
    world = World()
    sick, well = world.start(ALICE, BOB), world.start(CAROL, DAVE)
    with_games(world, SickGames(world.games, sick.game_id))
    records = [
        world.record(world.body(sick.move_event("e2e4")), group="sick"),
        world.record(world.body(well.move_event("d2d4")), group="well"),
        world.record(world.body(sick.move_event("quit")), group="sick"),
    ]

    again = world.deliver(*records)

    assert again == (records[0].id, records[2].id)
    assert world.game(well.game_id).ply == 1
    assert world.game(sick.game_id).ply == 0


def test_a_batch_that_failed_leaves_nothing_behind_for_the_next() -> None:
    """A warm function must not remember which groups were sick."""
    world = World()
    table = world.start(ALICE, BOB)
    healthy = world.games
    record = world.record(world.body(table.move_event("e2e4")), group="g")
    with_games(world, SickGames(healthy, table.game_id))
    assert world.deliver(record) == (record.id,)

    with_games(world, healthy)

    assert world.deliver(record) == ()
    assert world.game(table.game_id).ply == 1


def test_an_event_delivered_again_is_applied_once_and_its_state_said_again() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    event = table.move_event("e2e4")

    first = world.hear(event)
    again = world.hear(event)

    assert world.game(table.game_id).ply == 1
    assert [said.id for said in again] == [said.id for said in first]
    assert world.statuses()[-2:] == ["played", "duplicate"]


def test_an_event_delivered_again_after_a_month_says_the_state_with_a_fresh_date() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    event = table.move_event("e2e4")
    world.hear(event)
    world.clock.ms += 30 * 24 * 3600 * 1000

    (state,) = world.hear(event)

    assert world.clock.ms // 1000 - state.created_at < 60
    assert world.game(table.game_id).ply == 1


def test_replays_within_half_a_minute_make_no_new_events() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    event = table.move_event("e2e4")
    ids = set()
    for _ in range(20):
        ids |= {said.id for said in world.hear(event)}
        world.clock.ms += 1000

    assert len(ids) == 1


def test_a_refused_move_stays_refused_when_its_turn_has_come() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    early = table.move_event("e7e5", key=table.black, name_state=False)
    (error,) = world.hear(early)
    assert error.content.startswith("not-your-turn: ")
    table.say("e2e4")

    world.hear(early)

    assert world.game(table.game_id).ply == 1
    assert world.statuses()[-1] == "duplicate"


def test_a_strangers_refused_event_is_not_remembered() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    version = world.game(table.game_id).item_version

    table.say("e2e4", key=EVE)

    assert world.game(table.game_id).item_version == version


def test_a_request_delivered_again_after_the_game_does_not_seat_its_author_anew() -> None:
    world = World()
    request = an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), world.clock.ms // 1000)
    world.hear(request)
    table_state = world.ask(BOB)[-1]
    world.hear(an_event(BOB, 20303, "quit", (("d", table_state.tags[0][1]), ("p", SERVER.pubkey))))

    assert world.hear(request) == []
    assert world.lobby.pool(PLAIN.pool).waiting == ()


def test_a_request_that_resynced_does_not_queue_its_author_when_the_game_is_over() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.clock.ms += 1000
    request = an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), world.clock.ms // 1000)
    assert world.hear(request)[0].content.startswith("started:")
    table.say("quit")

    assert world.hear(request) == []


def test_the_request_that_made_the_pair_tells_both_again_when_it_is_delivered_again() -> None:
    """The first telling may have died with the function that paired them."""
    world = World()
    world.ask(ALICE)
    request = an_event(BOB, 20300, "", (("p", SERVER.pubkey),), world.clock.ms // 1000)
    first = world.hear(request)

    again = world.hear(request)

    assert [event.id for event in again] == [event.id for event in first]


@pytest.mark.parametrize("off_seconds", [-121, 121])
def test_a_request_that_is_not_fresh_is_refused(off_seconds: int) -> None:
    world = World()
    at = world.clock.ms // 1000 + off_seconds

    (refused,) = world.hear(an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), at))

    assert refused.content.startswith("error:stale: ")


def test_four_players_make_two_games_and_nobody_sits_twice() -> None:
    world = World()
    one = world.start(ALICE, BOB)
    other = world.start(CAROL, DAVE)

    assert one.game_id != other.game_id
    games = [world.game(table.game_id) for table in (one, other)]
    seated = [game.seat(color).player for game in games for color in (True, False)]
    assert sorted(seated) == sorted(key.pubkey for key in (ALICE, BOB, CAROL, DAVE))


class RacingLobby:
    """Another worker seats the same player between our reading and our writing."""

    def __init__(self, lobby: Lobby, races: int) -> None:
        self.lobby, self.races = lobby, races
        self.player, self.pool, self.challenge = lobby.player, lobby.pool, lobby.challenge

    def commit(self, change: LobbyChange) -> bool:
        if self.races:
            self.races -= 1
            return False
        return self.lobby.commit(change)


@pytest.mark.parametrize(("races", "status"), [(11, "queued"), (12, "failed")])
def test_a_lobby_that_moved_on_is_read_again_a_dozen_times(races: int, status: str) -> None:
    world = World()
    lobby = RacingLobby(world.lobby, races)
    world.deps = replace(world.deps, lobby=lobby)

    record = world.record(world.body(an_event(ALICE, 20300, "", (("p", SERVER.pubkey),))))

    assert world.deliver(record) == ((record.id,) if status == "failed" else ())
    assert world.statuses() == [status]


class RacingGames:
    """Somebody else commits first, this many times."""

    def __init__(self, games: Games, races: int) -> None:
        self.games, self.races = games, races
        self.load = games.load

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        if self.races:
            self.races -= 1
            newer = replace(before, item_version=before.item_version + 1)
            self.games.commit(before, newer)
            return Conflict(newer)
        return self.games.commit(before, after)


@pytest.mark.parametrize(("races", "status"), [(11, "played"), (12, "failed")])
def test_a_move_that_lost_a_race_is_decided_again_twelve_times(races: int, status: str) -> None:
    world = World()
    table = world.start(ALICE, BOB)
    with_games(world, RacingGames(world.games, races))

    world.deliver(world.record(world.body(table.move_event("e2e4"))))

    assert world.statuses()[-1] == status
    if status == "failed":
        assert isinstance(world.log[-1].failure, Contended)


def test_a_commit_whose_answer_was_lost_is_known_by_its_event() -> None:
    """The write was made, the network failed, and the retry met its own version."""
    world = World()
    table = world.start(ALICE, BOB)

    class LostAnswer:
        load = staticmethod(world.games.load)

        @staticmethod
        def commit(before: Game, after: Game) -> Committed | Conflict:
            world.games.commit(before, after)
            return Conflict(after)

    with_games(world, LostAnswer)
    (state,) = table.say("e2e4")

    assert state.kind == 20302
    assert world.game(table.game_id).ply == 1


def test_what_no_relay_took_is_said_again_later() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.publisher.deaf = True
    assert world.hear(table.move_event("e2e4")) == []
    (body,) = world.republish.bodies
    world.publisher.deaf = False
    world.clock.ms += 2000

    assert world.deliver(world.record(body)) == ()

    assert world.publisher.taken_events[-1].kind == 20302
    assert world.statuses()[-1] == "said-again"
    assert len(world.republish.bodies) == 1


def test_a_waiting_players_place_is_said_again_too() -> None:
    world = World()
    world.publisher.deaf = True
    world.ask(ALICE)
    (body,) = world.republish.bodies
    world.publisher.deaf = False

    world.deliver(world.record(body))

    assert world.publisher.taken_events[-1].content == "queued"


def test_a_later_state_makes_saying_the_older_one_again_needless() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.publisher.deaf = True
    world.hear(table.move_event("e2e4"))
    (body,) = world.republish.bodies
    world.publisher.deaf = False
    world.clock.ms += 1000
    world.hear(table.move_event("quit", key=table.black, name_state=False))
    before = len(world.publisher.taken_events)

    world.deliver(world.record(body))

    assert world.statuses()[-1] == "superseded"
    assert len(world.publisher.taken_events) == before


def test_saying_again_waits_longer_each_time_and_ends_among_the_dead_letters() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.publisher.deaf = True
    world.hear(table.move_event("e2e4"))
    attempts = 0
    body = world.republish.bodies[-1]
    while world.deliver(record := world.record(body)) == ():
        attempts += 1
        body = world.republish.bodies[-1]
        assert json.loads(body)["republish"]["attempt"] == attempts + 1

    assert attempts == REPUBLISH_ATTEMPTS - 1
    assert isinstance(world.log[-1].failure, NoRelayAccepted)
    assert world.log[-1].record is record

    world.publisher.deaf = False
    before = len(world.publisher.taken_events)
    assert world.deliver(record) == (), "given back by hand, it is said"
    assert len(world.publisher.taken_events) > before


def test_when_not_even_the_retry_queue_takes_it_the_record_stays() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.publisher.deaf = world.republish.broken = True
    record = world.record(world.body(table.move_event("e2e4")))

    assert world.deliver(record) == (record.id,)

    world.publisher.deaf = world.republish.broken = False
    assert world.deliver(record) == ()
    assert world.game(table.game_id).ply == 1
    assert world.publisher.taken_events[-1].kind == 20302


def test_a_signer_that_fails_after_the_commit_loses_nothing() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    record = world.record(world.body(table.move_event("e2e4")))

    class NoKey:
        pubkey = SERVER.pubkey

        @staticmethod
        def sign(template: EventTemplate) -> Never:
            raise ConnectionError

    well = world.deps
    world.deps = replace(well, signer=NoKey())
    assert world.deliver(record) == (record.id,)

    world.deps = well
    assert world.deliver(record) == ()
    assert world.publisher.taken_events[-1].kind == 20302


def test_what_another_key_would_sign_is_not_said() -> None:
    """The key in SSM was exchanged under a warm function: clients believe the old one alone."""
    world = World()
    table = world.start(ALICE, BOB)
    record = world.record(world.body(table.move_event("e2e4")))
    world.deps = replace(world.deps, signer=EVE)
    before = len(world.publisher.taken_events)

    assert world.deliver(record) == (record.id,)
    assert len(world.publisher.taken_events) == before


def test_the_error_of_a_stranger_that_no_relay_takes_is_let_go() -> None:
    world = World()
    world.publisher.deaf = True

    world.hear(an_event(EVE, 20303, "e2e4", (("p", SERVER.pubkey),)))

    assert world.republish.bodies == []


def test_a_players_event_is_no_republish_order() -> None:
    order = f'"republish": {{"game_id": "{"0" * 32}"}}'

    assert isinstance(parse(f"{{{order}}}"), Republish)
    assert isinstance(parse(f'{{"event": {{}}, {order}}}'), Malformed)
    assert isinstance(parse(f'{{{order}, "event": {{}}}}'), Malformed)
