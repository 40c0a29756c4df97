"""A batch: what fails alone, what is lost to a race, and what is published again."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from arbiter.application.deps import Contended
from arbiter.application.intake.batch import REPUBLISH_ATTEMPTS
from arbiter.application.intake.queue_messages import parse
from arbiter.application.ports import Committed, Conflict
from arbiter.application.records import Malformed, Republish
from arbiter.application.reply.send import NoRelayAccepted
from arbiter.core.game import Game
from arbiter.core.terms import PLAIN
from arbiter.nostr.event import VerifiedEvent
from tests.application.script import run
from tests.application.world import FakePublisher, World
from tests.builders import ALICE, EVE, SERVER, an_event

MET = "alice seek; bob seek\n"


class Picky(FakePublisher):
    """Relays that take states alone."""

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> FakePublisher:
        return super().publish([e for e in events if e.kind == 20302], deadline_seconds)


def test_an_answer_of_which_only_a_part_was_taken_is_published_again_whole() -> None:
    talk = run(MET + "moves e2e4 e7e5")
    well = talk.world.deps
    talk.world.deps = replace(well, publisher=Picky())
    talk.line("alice quit")
    talk.world.deps = well
    talk.line("republish > state 0-1 resignation | note")


def test_publishing_again_waits_longer_each_time_and_ends_among_the_dead_letters() -> None:
    talk = run(MET + "deaf\n alice e2e4")
    world, delays, send = talk.world, [2], talk.world.republish.send

    def noted(body: str, delay_seconds: int) -> None:
        delays.append(delay_seconds)
        send(body, delay_seconds)

    world.republish.send = noted  # type: ignore[method-assign]
    while True:
        body = world.republish.bodies[-1]
        assert json.loads(body)["republish"]["attempt"] == len(delays)
        if talk.deliver(body):
            break
    assert len(delays) == REPUBLISH_ATTEMPTS
    assert delays[:12] == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]
    assert isinstance(world.log[-1].failure, NoRelayAccepted)
    talk.line("hearing")
    assert not talk.deliver(body), "redriven by hand, it is published"
    assert world.publisher.taken_events[-1].kind == 20302


def test_a_players_event_is_no_republish_order() -> None:
    order = f'"republish": {{"game_id": "{"0" * 32}"}}'
    assert isinstance(parse(f"{{{order}}}"), Republish)
    assert isinstance(parse(f'{{"event": {{}}, {order}}}'), Malformed)
    assert isinstance(parse(f'{{{order}, "event": {{}}}}'), Malformed)


@pytest.mark.parametrize(("races", "status"), [(11, "queued"), (12, "failed")])
def test_a_lobby_that_moved_on_is_read_again_a_dozen_times(races: int, status: str) -> None:
    world, left = World(), [*range(races)]

    def rival(point: str) -> None:
        if point == "lobby.commit" and left:
            left.pop()
            pool = world.lobby.pool(PLAIN.pool)
            world.lobby.pools[pool.name] = replace(pool, item_version=pool.item_version + 1)

    world.lobby.hook = rival
    request = an_event(ALICE, 20300, "", (("p", SERVER.pubkey),))
    assert bool(world.deliver(world.record(world.body(request)))) == (status == "failed")
    assert world.statuses() == [status]


@pytest.mark.parametrize(("races", "status"), [(11, "played"), (12, "failed")])
def test_a_move_that_lost_a_race_is_decided_again_a_dozen_times(races: int, status: str) -> None:
    talk = run(MET)
    games, left = talk.world.games.by_id, [*range(races)]

    def rival(point: str) -> None:
        if point == "games.commit" and left:
            left.pop()
            game = talk.game()
            games[game.id] = replace(game, item_version=game.item_version + 1)

    talk.hook(rival)
    talk.line("alice e2e4")
    assert talk.fact("status") == status
    assert isinstance(talk.world.log[-1].failure, Contended | None)
    assert (talk.world.log[-1].failure is None) == (status == "played")


def test_a_commit_whose_answer_was_lost_is_known_by_its_event() -> None:
    """The write was made, the network failed, and the retry met its own version."""
    talk = run(MET)

    class LostAnswer:
        load = staticmethod(talk.world.games.load)
        load_all = staticmethod(talk.world.games.load_all)

        @staticmethod
        def commit(before: Game, after: Game) -> Committed | Conflict:
            talk.world.games.commit(before, after)
            return Conflict(after)

    talk.world.deps = replace(talk.world.deps, games=LostAnswer)
    talk.line("alice e2e4 > state")
    assert talk.fact("ply") == "1"


def test_what_another_key_would_sign_is_not_published() -> None:
    """The key in SSM was exchanged under a warm function: clients believe the old one alone."""
    talk = run(MET)
    talk.world.deps = replace(talk.world.deps, signer=EVE)
    talk.line("alice e2e4 > failed")
