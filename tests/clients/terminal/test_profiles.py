"""Names and ratings, from whoever signs them, and what a hostile name comes to."""

import json

import pytest

from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.terminal.profiles import (
    MAX_NAME_CELLS,
    Person,
    Profile,
    Rating,
    learn,
    read_profile,
    read_rating,
    shown_name,
    speed_of,
)
from clients.terminal.text import cells
from tests.builders import ALICE, BOB, SERVER


def a_name(content: str) -> str:
    return read_profile(BOB.sign(EventTemplate(0, (), content, 1_800_000_000))).name


def a_rating(*tags: tuple[str, ...], by: SecretKey = SERVER) -> Rating | None:
    return read_rating(by.sign(EventTemplate(30300, tags, "", 1_800_000_000)))


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"name": "Bob"}', "Bob"),
        ('{"name": " Bob\\n\\tB. "}', "Bob B."),
        ('{"display_name": "Bobby"}', "Bobby"),
        ('{"name": "bob", "display_name": "Bobby"}', "bob"),
        ('{"name": "", "display_name": "Bobby"}', "Bobby"),
        ('{"name": 7}', ""),
        ('{"name": null}', ""),
        ("[]", ""),
        ("Bob", ""),
        ("", ""),
        ("[" * 50_000, ""),
        ('{"name": ' + "9" * 10_000 + "}", ""),
        (json.dumps({"name": "Bob", "about": "x" * 70_000}), ""),
    ],
)
def test_a_profile_is_read_for_its_name(content: str, name: str) -> None:
    assert a_name(content) == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[2J\x1b]0;t\x07Bob", "[2J]0;tBob"),
        ("Bob\u202e1-0\u202c", "Bob1-0"),
        ("\u2067Bob\u2069\u200b\u200f", "Bob"),
        ("B\u0336\u0337\u0338\u0339o\u0301b", "B\u0336\u0337o\u0301b"),
        ("\u3164\u2800\u115f", ""),
        ("\x00\x9b31m", "31m"),
        ("you", ""),
        ("YOU", ""),
        (encode_npub(ALICE.pubkey), ""),
        ("NPUB1v6rfl…dawz", ""),
        ("Jörg 漢", "Jörg 漢"),
    ],
)
def test_a_name_is_text_that_no_terminal_obeys(name: str, shown: str) -> None:
    assert shown_name(name) == shown


@pytest.mark.parametrize("name", ["x" * 100_000, "漢" * 100, "é" * 100, "e\u0301" * 1_000])
def test_a_long_name_is_cut_by_the_columns_it_takes(name: str) -> None:
    shown = shown_name(name)
    assert shown.endswith("…")
    assert MAX_NAME_CELLS - 1 <= cells(shown) <= MAX_NAME_CELLS
    assert len(shown) <= 3 * MAX_NAME_CELLS


def test_a_rating_is_read() -> None:
    name = ("d", f"blitz:{BOB.pubkey}")
    tags = (name, ("p", BOB.pubkey), ("rating", "1523", "80"), ("games", "9"))
    expected = Rating(BOB.pubkey, "blitz", 1523, False, 1_800_000_000)
    assert a_rating(*tags) == expected
    provisional = a_rating(*tags, ("provisional",))
    assert provisional is not None
    assert provisional.provisional


@pytest.mark.parametrize(
    "tags",
    [
        (),
        (("d",), ("rating",)),
        (("d", f"blitz:{BOB.pubkey}"),),
        (("d", f"blitz:{BOB.pubkey}"), ("rating", "fifteen")),
        (("d", f"blitz:{BOB.pubkey}"), ("rating", "99999")),
        (("d", f"blitz:{BOB.pubkey}"), ("rating", "-1")),
        (("d", "blitz"), ("rating", "1500")),
        (("d", "blitz:me"), ("rating", "1500")),
        (("d", f"\x1b[2J:{BOB.pubkey}"), ("rating", "1500")),
        (("d", f":{BOB.pubkey}"), ("rating", "1500")),
    ],
)
def test_a_rating_that_makes_no_sense_is_left(tags: tuple[tuple[str, ...], ...]) -> None:
    assert a_rating(*tags) is None


def test_the_newest_profile_and_the_newest_rating_count() -> None:
    people: tuple[Person, ...] = ()
    for told in (
        Profile(BOB.pubkey, "Bob", 10),
        Profile(BOB.pubkey, "Old Bob", 9),
        Rating(BOB.pubkey, "blitz", 1500, True, 10),
        Rating(BOB.pubkey, "blitz", 1400, True, 10),
        Rating(BOB.pubkey, "rapid", 1600, False, 1),
    ):
        people = learn(people, told)
    (bob,) = people
    assert bob.name == "Bob"
    assert [(each.speed, each.value) for each in bob.ratings] == [("blitz", 1500), ("rapid", 1600)]
    (renamed,) = learn(people, Profile(BOB.pubkey, "", 11))
    assert (renamed.name, renamed.rating("rapid")) == ("", bob.rating("rapid"))


@pytest.mark.parametrize(
    ("time", "speed"),
    [
        (None, None),
        ("179+0", "bullet"),
        ("60+3", "blitz"),
        ("180+2", "blitz"),
        ("479+0", "blitz"),
        ("480+0", "rapid"),
        ("1499+0", "rapid"),
        ("1500+0", "classical"),
        ("3d", "correspondence"),
    ],
)
def test_the_speed_of_a_time_control_is_the_protocol_s(time: str | None, speed: str | None) -> None:
    assert speed_of(time) == speed
