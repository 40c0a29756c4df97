"""One short match, broken off at every single call of a port, and taken up by the queue again."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from arbiter.core.game import Game
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.fakes.faults import Crash

MOVES = ("e2e4", "e7e5", "e1e3", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7")
"""Scholar's mate, with one illegal move on the way."""


class Faults:
    """Counts the calls of all ports and breaks those of these numbers off, each once."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = {*numbers}
        self.calls = 0

    def __call__(self, point: str) -> None:
        self.calls += 1
        if self.calls in self.numbers:
            raise Crash(point)


class Fragile:
    """Signer and publisher that may break off before and after the thing is done."""

    def __init__(self, world: World, hook: Faults) -> None:
        self.world, self.hook = world, hook
        self.pubkey = SERVER.pubkey

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        self.hook("sign")
        return SERVER.sign(template)

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> Any:
        self.hook("publish")
        report = self.world.publisher.publish(events, deadline_seconds)
        self.hook("published")
        return report


def play_through(*faults: int) -> tuple[World, Table, int]:
    """The match with these calls broken off; how many calls there were in all."""
    world, hook = World(), Faults(*faults)
    world.games.hook = world.lobby.hook = hook
    fragile = Fragile(world, hook)
    world.deps = replace(world.deps, signer=fragile, publisher=fragile)

    def deliver(event: VerifiedEvent) -> None:
        body = world.body(event)
        for _ in range(5):
            if not world.deliver(world.record(body)):
                return
            world.clock.ms += 48_000  # the queue's visibility time-out
        pytest.fail("among the dead letters")

    for key in (ALICE, BOB):
        deliver(an_event(key, 20300, "", (("p", SERVER.pubkey),), world.clock.ms // 1000))
    (game_id,) = world.publisher.states
    table = Table(world, world.publisher.states[game_id], {key.pubkey: key for key in (ALICE, BOB)})
    for uci in MOVES:
        world.clock.ms += 1000
        table.state = world.publisher.states[game_id]
        deliver(table.move_event(uci))
    return world, table, hook.calls


CALLS = play_through()[2]


@pytest.mark.parametrize("number", range(1, CALLS + 1))
def test_a_call_that_breaks_off_loses_nothing_and_does_nothing_twice(number: int) -> None:
    """Alone, and together with the call after it."""
    for faults in ((number,), (number, number + 1)):
        world, table, _ = play_through(*faults)

        game = world.game(table.game_id)
        assert [move.uci() for move in game.moves] == [uci for uci in MOVES if uci != "e1e3"]
        assert (game.result, game.white_strikes, game.black_strikes) == ("1-0", 1, 0)
        assert len(game.applied_ids) == len(set(game.applied_ids)) == len(MOVES)
        assert list(world.games.standing) == [table.game_id]
        told = world.publisher.taken_events
        responses = [event for event in told if event.kind == 20301]
        assert responses[0].content == "queued"
        started = {event.tags[0][1] for event in responses if event.content != "queued"}
        assert started == {ALICE.pubkey, BOB.pubkey}
        shown = [event.content for event in told if event.kind == 20302]
        assert set(shown) == positions(game)
        assert shown[-1] == game.board().fen()
        assert len({event.id for event in told if event.kind == 64}) == 1


def positions(game: Game) -> set[str]:
    """The FEN after every ply, none left out."""
    return {replace(game, moves=game.moves[:ply]).board().fen() for ply in range(game.ply + 1)}
