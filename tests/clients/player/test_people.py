"""Profiles, ratings, and the programs that the arbiter announces: how they are read."""

import json

import pytest

from arbiter.dialects.arbiter_events import announcement_events
from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json
from arbiter.nostr.house import HousePlayer
from arbiter.nostr.keys import SecretKey
from clients.player.inbox import Inbox
from clients.player.people import House, Profile, Rating, read_house, read_profile, read_rating
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import START

FIRST, SECOND = "1" * 64, "2" * 64


def sent(template: EventTemplate, author: SecretKey = SERVER) -> NostrEvent:
    event = event_from_json(event_to_json(author.sign(template)))
    assert isinstance(event, NostrEvent)
    return event


def test_the_arbiters_own_announcement_is_read_and_no_other() -> None:
    inbox = Inbox(SERVER.pubkey, {ALICE.pubkey: lambda _: None})
    handler = announcement_events("A", [], [], int(START), (HousePlayer(FIRST, 3),))[-1]

    assert inbox.open(sent(handler), stored=True) == House((HousePlayer(FIRST, 3),), int(START))
    assert inbox.open(sent(handler, EVE), stored=True) is None


def test_what_cannot_be_read_in_an_announcement_is_left_out() -> None:
    wrong = (
        ("house",),
        ("house", FIRST),
        ("house", FIRST, "9"),
        ("house", FIRST, ""),
        ("house", "npub1", "3"),
        ("home", FIRST, "3"),
    )
    template = EventTemplate(31990, (*wrong, ("house", SECOND, "3", "more")), "", int(START))

    assert read_house(SERVER.sign(template)).players == (HousePlayer(SECOND, 3),)
    many = tuple(("house", f"{number:064x}", "1") for number in range(200))
    assert len(read_house(SERVER.sign(EventTemplate(31990, many, "", 1))).players) == 64


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"name": "Bob"}', "Bob"),
        ('{"name": " Bob\\n\\tB. "}', "Bob B."),
        ('{"display_name": "Bobby"}', "Bobby"),
        ('{"name": "bob", "display_name": "Bobby"}', "bob"),
        ('{"name": "", "display_name": "Bobby"}', "Bobby"),
        *(
            (content, "")
            for content in (
                *('{"name": 7}', '{"name": null}', "[]", "Bob", "", "[" * 50_000),
                '{"name": ' + "9" * 10_000 + "}",
                json.dumps({"name": "Bob", "about": "x" * 70_000}),
            )
        ),
    ],
)
def test_a_profile_is_read_for_its_name(content: str, name: str) -> None:
    event = BOB.sign(EventTemplate(0, (), content, 1_800_000_000))
    assert read_profile(event) == Profile(BOB.pubkey, name, 1_800_000_000)


def a_rating(*tags: tuple[str, ...], by: SecretKey = SERVER) -> Rating | None:
    return read_rating(by.sign(EventTemplate(30300, tags, "", 1_800_000_000)))


@pytest.mark.parametrize(
    "tags",
    [
        (),
        (("d",), ("rating",)),
        (("d", f"blitz:{BOB.pubkey}"),),
        *((("d", f"blitz:{BOB.pubkey}"), ("rating", value)) for value in ("x", "99999", "-1")),
        *(
            (("d", name), ("rating", "1500"))
            for name in ("blitz", "blitz:me", f"\x1b[2J:{BOB.pubkey}", f":{BOB.pubkey}")
        ),
    ],
)
def test_a_malformed_rating_is_left(tags: tuple[tuple[str, ...], ...]) -> None:
    assert a_rating(*tags) is None


def test_a_rating_has_its_deviation_and_its_games() -> None:
    tags = (("d", f"blitz:{BOB.pubkey}"), ("rating", "1712", "61"), ("games", "40"))
    found = a_rating(*tags, ("provisional",))
    assert found is not None
    assert (found.value, found.deviation, found.games, found.provisional) == (1712, 61, 40, True)
    alone = a_rating(*tags[:1], ("rating", "1712"))
    assert alone is not None
    assert (alone.value, alone.deviation, alone.games, alone.provisional) == (1712, 350, 0, False)
