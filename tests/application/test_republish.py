"""What no relay took: when it is said again, and when not."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from arbiter.core.seeks import WAIT_MS
from arbiter.nostr.event import VerifiedEvent
from tests.application.world import FakePublisher, World
from tests.builders import ALICE, BOB, EVE
from tests.fakes.queue import FakeRepublishQueue


class Picky(FakePublisher):
    """Relays that take one kind of event alone."""

    def __init__(self, kind: int) -> None:
        super().__init__()
        self.kind = kind

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> FakePublisher:
        return super().publish([e for e in events if e.kind == self.kind], deadline_seconds)


class Noting(FakeRepublishQueue):
    """Remembers the delays as they were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.delays: list[int] = []

    def later(self, what: str, delay_seconds: int) -> None:
        super().later(what, delay_seconds)
        self.delays.append(delay_seconds)


def test_an_answer_of_which_only_a_part_was_taken_is_said_again_whole() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    table.say("e2e4")
    table.say("e7e5")
    all_ears = world.publisher
    world.deps = replace(world.deps, publisher=Picky(20302))
    world.hear(table.move_event("quit"))
    (body,) = world.republish.bodies
    world.deps = replace(world.deps, publisher=all_ears)
    before = len(all_ears.taken_events)

    world.deliver(world.record(body))

    assert [event.kind for event in all_ears.taken_events[before:]] == [20302, 64]
    assert len(world.republish.bodies) == 1


def test_the_first_tries_come_soon_and_the_later_ones_every_quarter_of_an_hour() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.publisher.deaf = True
    queue = Noting()
    world.deps = replace(world.deps, republish=queue)
    world.hear(table.move_event("e2e4"))
    for _ in range(11):
        world.deliver(world.record(queue.bodies[-1]))

    assert queue.delays == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]


def test_of_a_game_that_is_gone_nothing_is_said_again() -> None:
    world = World()
    order = json.dumps({"republish": {"game_id": "a" * 32, "changed_at_ms": 1}})

    assert world.deliver(world.record(order)) == ()
    assert world.statuses() == ["superseded"]
    assert world.publisher.taken_events == []


def test_a_player_who_waits_no_more_is_not_told_that_he_does() -> None:
    world = World()
    world.publisher.deaf = True
    world.ask(ALICE)
    (body,) = world.republish.bodies
    world.publisher.deaf = False
    world.ask(BOB)
    before = len(world.publisher.taken_events)

    world.deliver(world.record(body))

    assert world.statuses()[-1] == "superseded"
    assert len(world.publisher.taken_events) == before


@pytest.mark.parametrize("tags", [(), (("challenge", BOB.pubkey),), (("challenge", "open"),)])
def test_a_player_who_waited_for_too_long_is_not_told_that_he_waits(
    tags: tuple[tuple[str, ...], ...],
) -> None:
    """A challenge carries its expiration: no relay would take it, for a day of tries."""
    world = World()
    world.publisher.deaf = True
    world.ask(ALICE, "", *tags)
    world.publisher.deaf = False
    (body,) = world.republish.bodies
    world.clock.ms += WAIT_MS + 1

    world.deliver(world.record(body))

    assert world.publisher.taken_events == []
    assert world.statuses()[-1] == "superseded"
    (nowhere,) = world.ask(ALICE, "state")
    assert nowhere.content.startswith("error:unknown-game: ")


def test_a_strangers_refusal_in_a_known_game_is_let_go() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.publisher.deaf = True

    table.say("e2e4", key=EVE)

    assert world.statuses()[-1] == "not-a-player"
    assert world.republish.bodies == []
