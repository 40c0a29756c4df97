"""NIP-13: how much work an event shows."""

from dataclasses import replace
from itertools import count

import pytest

from arbiter.core.rules import Rules
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip13 import committed_work, difficulty
from tests.application.world import World
from tests.builders import ALICE, SERVER, an_event


@pytest.mark.parametrize(
    ("event_id", "bits"),
    [
        ("f" * 64, 0),
        ("7" + "f" * 63, 1),
        ("2" + "f" * 63, 2),
        ("0" * 64, 256),
        ("003f" + "f" * 60, 10),
        ("0" * 63 + "1", 255),
        # NIP-13's own example.
        ("000000000e9d97a1ab09fc381030b346cdd7a142ad57e6df0b46dc9bef6c7e2d", 36),
    ],
)
def test_difficulty_is_the_number_of_leading_zero_bits(event_id: str, bits: int) -> None:
    assert difficulty(event_id) == bits


TEN_BITS = "003f" + "f" * 60
NONE = "0" * 64


@pytest.mark.parametrize(
    ("event_id", "tag", "work"),
    [
        # Up to the target that it was made for.
        *((TEN_BITS, ("nonce", "1", it), int(it)) for it in ("10", "8")),
        (NONE, ("nonce", "1", "1"), 1),
        *((TEN_BITS, ("nonce", "1", it), 0) for it in ("11", "99999")),
        # Without one it is worth nothing.
        *((NONE, it, 0) for it in (("nonce",), ("nonce", "1"), ("NONCE", "1", "8"))),
        *((NONE, ("nonce", "1", it), 0) for it in ("", "-1", "8.0", "\u0668", "\u00b2", "ten")),
        (NONE, ("nonce", "1", "9" * 5000), 0),
    ],
)
def test_work_counts_up_to_its_own_target(event_id: str, tag: tuple[str, ...], work: int) -> None:
    """As if the work had been done; the id is not checked again at this place."""
    assert committed_work(replace(an_event(ALICE, 20300, "", (tag,)), id=event_id)) == work


def test_a_stranger_shows_work_once_and_luck_is_none() -> None:
    world = World(Rules(work_of_strangers=6))

    def mined(target: int) -> VerifiedEvent:
        tags = ((("p", SERVER.pubkey), ("nonce", str(nonce), str(target))) for nonce in count())
        events = (an_event(ALICE, 20300, "", it, world.clock.ms // 1000) for it in tags)
        return next(event for event in events if difficulty(event.id) >= 6)

    for answered, text in (
        (world.ask(ALICE), "error:pow: 6"),
        (world.hear(mined(5)), "error:pow: 6"),
        (world.hear(mined(6)), "queued"),
    ):
        assert [event.content for event in answered] == [text]
    world.clock.ms += 1000
    assert [event.content for event in world.ask(ALICE)] == ["queued"]
