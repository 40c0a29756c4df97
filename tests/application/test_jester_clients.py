"""Players of kind 30 whose page is opened anew before each move, as it reads and writes."""

import json

import pytest

from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from clients.probes.matches import OPERA_GAME
from tests.application.native_player import NativePlayer
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.e2e.jester_nostr_blue import NostrBlue
from tests.e2e.jester_spelling import Draft, View


class NostrBluePage:
    """A player of nostr.blue in a game of their own start, who reads only what relays keep."""

    def __init__(self, world: World, key: SecretKey, color: str = "white") -> None:
        self.world, self.key = world, key
        self.own: list[VerifiedEvent] = []
        self.start = self.event(NostrBlue().start("abcdef42", color, SERVER.pubkey))
        world.hear(self.start)

    def event(self, draft: Draft) -> VerifiedEvent:
        self.world.clock.ms += 1000
        text = json.dumps(draft.content, separators=(",", ":"))
        tags = tuple(tuple(tag) for tag in draft.tags)
        return an_event(self.key, 30, text, tags, self.world.clock.ms // 1000)

    def opened_anew(self) -> View:
        told = [event for event in self.world.publisher.taken_events if event.kind == 30]
        events = [event_to_json(event) for event in (*self.own, *told)]
        return NostrBlue().reloaded(event_to_json(self.start), events, self.key.pubkey)

    def publish(self, draft: Draft) -> None:
        self.own.append(self.event(draft))
        self.world.hear(self.own[-1])

    def move(self, uci: str) -> None:
        self.publish(NostrBlue().move(self.opened_anew(), uci, self.key.pubkey))


@pytest.fixture
def table() -> tuple[NostrBluePage, NativePlayer]:
    """Alice on nostr.blue, with White, and Bob, who plays natively."""
    world = World()
    bob = NativePlayer(world, BOB)
    bob.connect()
    return NostrBluePage(world, ALICE), bob


@pytest.mark.parametrize("thought_seconds", [0, 60, 2 * 24 * 60 * 60])
def test_the_answer_is_shown_by_a_page_that_is_opened_anew(
    table: tuple[NostrBluePage, NativePlayer], thought_seconds: int
) -> None:
    alice, bob = table
    alice.move("e2e4")
    alice.world.clock.ms += thought_seconds * 1000
    bob.move("e7e5")

    assert alice.opened_anew().sans == ("e4", "e5")


def test_the_answer_is_dated_the_same_whenever_it_is_sent(
    table: tuple[NostrBluePage, NativePlayer],
) -> None:
    alice, bob = table
    alice.move("e2e4")
    bob.move("e7e5")
    for _ in range(3):
        alice.world.clock.ms += 60_000
        alice.world.hear(alice.own[-1])

    told = [event for event in alice.world.publisher.taken_events if event.kind == 30]
    assert {event.created_at for event in told} == {alice.own[-1].created_at - 1}
    assert len({event.id for event in told}) == 1


@pytest.mark.parametrize("seconds", [-10 * 365 * 24 * 60 * 60, 7 * 24 * 60 * 60])
def test_a_false_date_of_a_move_makes_none_of_the_answer(
    table: tuple[NostrBluePage, NativePlayer], seconds: int
) -> None:
    alice, bob = table
    draft = NostrBlue().move(alice.opened_anew(), "e2e4", alice.key.pubkey)
    now, moved = alice.world.clock.ms // 1000, alice.event(draft)
    alice.world.hear(an_event(ALICE, 30, moved.content, moved.tags, now + seconds))
    bob.move("e7e5")

    (answer,) = (event for event in alice.world.publisher.taken_events if event.kind == 30)
    assert abs(answer.created_at - now) <= 2


def test_a_game_is_played_on_a_page_that_is_opened_anew_before_each_move(
    table: tuple[NostrBluePage, NativePlayer],
) -> None:
    alice, bob = table
    for ply, uci in enumerate(OPERA_GAME):
        (alice, bob)[ply % 2].move(uci.lower())

    (note,) = (event for event in alice.world.publisher.taken_events if event.kind == 64)
    assert '[Result "1-0"]' in note.content
