"""House players as an operator names them."""

import json

import pytest

from arbiter.nostr.house import (
    LEVELS,
    MAX_PLAYERS,
    HousePlayer,
    house_key,
    house_profiles,
    house_tags,
    key_of,
    one_of_each,
    read_house,
)
from arbiter.nostr.nip19 import encode_npub
from tests.builders import ALICE, SERVER

FIRST, SECOND = "ab" * 32, "cd" * 32


def test_a_player_is_named_by_an_npub_or_in_hex_and_several_may_have_one_level() -> None:
    house = read_house(f" {encode_npub(FIRST)}:3, {SECOND}:3,")

    assert house == (HousePlayer(FIRST, 3), HousePlayer(SECOND, 3))
    assert read_house(",".join(map(str, house))) == house
    assert read_house("") == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *((f"{FIRST}{it}", "KEY:LEVEL") for it in ("", ":", ":0", ":9", ":\u0663", ":1:1")),
        *((it, "KEY:LEVEL") for it in ("npub1x:1", ":1", f"{FIRST[1:]}:1")),
        (f"{FIRST}:1;{SECOND}:2", "KEY:LEVEL"),
        (f"{FIRST}:1,{FIRST}:2", "twice"),
        (",".join(f"{number:064x}:1" for number in range(MAX_PLAYERS + 1)), str(MAX_PLAYERS)),
    ],
)
def test_what_is_no_key_and_level_or_too_many_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_house(text)


def test_derived_players_have_profiles_that_say_what_they_are_and_others_have_their_own() -> None:
    house = (
        HousePlayer(house_key(SERVER, 3, 1).pubkey, 3),
        HousePlayer(house_key(SERVER, 3, 2).pubkey, 3),
        HousePlayer(ALICE.pubkey, 8),
    )
    first, second = house_profiles(SERVER, house, 1_800_000_000)

    assert [first.pubkey, second.pubkey] == [player.pubkey for player in house[:2]]
    assert json.loads(second.content)["name"] == "House, level 3 (2)"
    assert json.loads(first.content)["bot"] is True
    assert (first.kind, first.created_at) == (0, 1_800_000_000)


def test_each_level_and_number_has_another_key_which_its_arbiter_finds() -> None:
    keys = {house_key(SERVER, level, number).pubkey for level in LEVELS for number in range(1, 9)}

    assert len(keys) == 64
    assert key_of(SERVER, HousePlayer(house_key(SERVER, 3, 8).pubkey, 3)) is not None
    assert key_of(SERVER, HousePlayer(house_key(SERVER, 3, 8).pubkey, 4)) is None
    assert key_of(ALICE, HousePlayer(house_key(SERVER, 3, 8).pubkey, 3)) is None


def test_one_of_each_level_is_announced_for_all_of_it() -> None:
    house = tuple(HousePlayer(pubkey, level) for pubkey, level in (("b", 8), ("a", 1), ("c", 8)))
    assert [str(player) for player in one_of_each(house)] == ["b:8", "a:1"]
    assert house_tags(house) == (("house", "b", "8"), ("house", "a", "1"))
