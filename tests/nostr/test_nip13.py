"""NIP-13: how much work an event shows."""

from dataclasses import replace

import pytest

from arbiter.core.rules import Rules
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip13 import committed_work, difficulty
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER, an_event


@pytest.mark.parametrize(
    ("event_id", "bits"),
    [
        ("f" * 64, 0),
        ("7" + "f" * 63, 1),
        ("2" + "f" * 63, 2),
        ("0" * 64, 256),
        ("0" * 63 + "1", 255),
        # NIP-13's own example.
        ("000000000e9d97a1ab09fc381030b346cdd7a142ad57e6df0b46dc9bef6c7e2d", 36),
    ],
)
def test_difficulty_is_the_number_of_leading_zero_bits(event_id: str, bits: int) -> None:
    assert difficulty(event_id) == bits


def worked(event_id: str, *tags: tuple[str, ...]) -> VerifiedEvent:
    """As if the work had been done; nobody checks the id again at this place."""
    return replace(an_event(ALICE, 20300, "", tags), id=event_id)


TEN_BITS = "003f" + "f" * 60


def test_work_counts_up_to_the_target_that_it_was_made_for() -> None:
    assert difficulty(TEN_BITS) == 10
    assert committed_work(worked(TEN_BITS, ("nonce", "1", "10"))) == 10
    assert committed_work(worked(TEN_BITS, ("nonce", "1", "8"))) == 8


def test_a_low_target_that_got_lucky_is_worth_its_target() -> None:
    assert committed_work(worked("0" * 64, ("nonce", "1", "1"))) == 1


def test_a_target_that_was_not_reached_is_worth_nothing() -> None:
    assert committed_work(worked(TEN_BITS, ("nonce", "1", "11"))) == 0
    assert committed_work(worked(TEN_BITS, ("nonce", "1", "99999"))) == 0


@pytest.mark.parametrize(
    "tag",
    [
        ("nonce",),
        ("nonce", "1"),
        ("nonce", "1", ""),
        ("nonce", "1", "-1"),
        ("nonce", "1", "8.0"),
        ("nonce", "1", "\u0668"),
        ("nonce", "1", "\u00b2"),
        ("nonce", "1", "ten"),
        ("nonce", "1", "9" * 5000),
        ("NONCE", "1", "8"),
    ],
)
def test_work_without_a_target_is_worth_nothing(tag: tuple[str, ...]) -> None:
    assert committed_work(worked("0" * 64, tag)) in {0, 999} - {999}


def mined(world: World, bits: int, target: int) -> VerifiedEvent:
    for nonce in range(100_000):
        tags = (("p", SERVER.pubkey), ("nonce", str(nonce), str(target)))
        event = an_event(ALICE, 20300, "", tags, world.clock.ms // 1000)
        if difficulty(event.id) >= bits:
            return event
    raise AssertionError("no such nonce")


def test_a_stranger_shows_his_work_and_whoever_has_shown_it_need_not_again() -> None:
    world = World(Rules(work_of_strangers=6))

    assert [event.content for event in world.ask(ALICE)] == ["error:pow: 6"]
    assert [event.content for event in world.hear(mined(world, 6, 6))] == ["queued"]
    world.clock.ms += 1000
    assert [event.content for event in world.ask(ALICE)] == ["queued"]


def test_luck_is_not_work() -> None:
    world = World(Rules(work_of_strangers=6))

    assert [e.content for e in world.hear(mined(world, 6, 1))] == ["error:pow: 6"]
    assert world.lobby.players == {}


def test_without_a_threshold_nobody_works() -> None:
    assert [event.content for event in World().ask(BOB)] == ["queued"]
