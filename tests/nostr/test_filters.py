"""A filter means what NIP-01 says, in memory and on the wire."""

import json

import pytest
from hypothesis import given

from arbiter.nostr.event import (
    EventTemplate,
    ParseError,
    ParseErrorCode,
    VerifiedEvent,
    event_to_json,
)
from arbiter.nostr.filters import Filter, filter_from_json, filter_to_json, matches
from arbiter.nostr.limits import MAX_FILTER_VALUES
from tests.nostr import second_implementation
from tests.nostr.hostile.case import PLAYER, SERVER, STRANGER
from tests.nostr.strategies import events_of_a_small_world, filters_of_a_small_world

KEY = PLAYER.pubkey
TAGS = (("d", "game"), ("p", SERVER.pubkey), ("t", "first", "second"), ("x",))
MOVE = PLAYER.sign(EventTemplate(20303, TAGS, "e2e4", 1000))


@given(filters_of_a_small_world, events_of_a_small_world)
def test_matching_agrees_with_another_program(wanted: Filter, event: VerifiedEvent) -> None:
    asked = json.dumps(filter_to_json(wanted))
    theirs = second_implementation.matches(asked, json.dumps(event_to_json(event)))

    assert matches(wanted, event) == theirs
    assert filter_from_json(json.loads(asked)) == wanted


@pytest.mark.parametrize(
    ("wanted", "matching"),
    [
        (Filter(), True),
        (Filter(ids=(MOVE.id,)), True),
        (Filter(ids=(MOVE.id[:8],)), False),
        (Filter(authors=(STRANGER.pubkey, PLAYER.pubkey)), True),
        (Filter(authors=(STRANGER.pubkey,)), False),
        (Filter(kinds=(20300, 20303)), True),
        (Filter(kinds=(20300,)), False),
        (Filter(tags={"p": (SERVER.pubkey,), "d": ("game", "other")}), True),
        (Filter(tags={"p": (SERVER.pubkey,), "d": ("other",)}), False),
        (Filter(tags={"e": (MOVE.id,)}), False),
        (Filter(tags={"P": (SERVER.pubkey,)}), False),
        (Filter(tags={"e": ()}), True),
        (Filter(since=1000, until=1000), True),
        (Filter(since=1001), False),
        (Filter(until=999), False),
        (Filter(since=0, until=0), False),
        (Filter(limit=0), True),
        (Filter(kinds=(20303,), authors=(STRANGER.pubkey,)), False),
        # Only the first value of a tag counts.
        (Filter(tags={"t": ("first",)}), True),
        (Filter(tags={"t": ("second",)}), False),
        (Filter(tags={"x": ("",)}), False),
    ],
)
def test_every_constraint_has_its_say(wanted: Filter, *, matching: bool) -> None:
    assert matches(wanted, MOVE) is matching


def test_only_constraints_are_written() -> None:
    assert filter_to_json(Filter()) == filter_to_json(Filter(tags={"p": ()})) == {}
    written = filter_to_json(Filter(kinds=(0,), since=0, limit=0, tags={"p": ("x",)}))
    assert written == {"kinds": [0], "#p": ["x"], "since": 0, "limit": 0}


@pytest.mark.parametrize(
    "value",
    [
        *(None, [], "kinds", {"kinds": []}, {"ids": []}, {"#p": []}, {7: [1]}, {"Kinds": [1]}),
        *({"authors": it} for it in (KEY, [KEY[:8]], [KEY.upper()])),
        *({name: ["x"]} for name in ("#e", "#tt", "#1", "#", "#é", "#t\n")),
        *({"ids": [7]}, {"#p": ["npub1"]}, {"#t": [7]}, {"#t": "t"}, {"search": "chess"}),
        *({"kinds": [it]} for it in (True, 1.0, 65536, -1)),
        {"kinds": list(range(MAX_FILTER_VALUES + 1))},
        *({"since": "1"}, {"since": -1}, {"until": 1.5}, {"until": None}),
        *({"limit": True}, {"limit": 2**53}),
    ],
    ids=repr,
)
def test_what_is_no_filter_of_nip_01_is_refused(value: object) -> None:
    answer = filter_from_json(value)

    assert isinstance(answer, ParseError)
    assert answer.code == ParseErrorCode.BAD_FILTER


def test_every_constraint_is_read() -> None:
    bounds = {"since": 0, "until": 2**53 - 1, "limit": 0}
    value = {"ids": [MOVE.id], "authors": [KEY], "kinds": [0, 65535], "#p": [KEY], "#d": ["any"]}
    tags = {"p": (KEY,), "d": ("any",)}
    read = Filter(ids=(MOVE.id,), authors=(KEY,), kinds=(0, 65535), tags=tags, **bounds)

    assert filter_from_json({**value, **bounds}) == read
