"""House players as an operator names them."""

import pytest

from arbiter.nostr.house import MOST_PLAYERS, HousePlayer, read_house
from arbiter.nostr.nip19 import encode_npub

FIRST, SECOND = "ab" * 32, "cd" * 32


def test_a_player_is_named_by_an_npub_or_in_hex_and_several_may_have_one_level() -> None:
    house = read_house(f" {encode_npub(FIRST)}:3, {SECOND}:3,")

    assert house == (HousePlayer(FIRST, 3), HousePlayer(SECOND, 3))
    assert read_house(",".join(map(str, house))) == house
    assert read_house("") == ()


@pytest.mark.parametrize(
    "text",
    [FIRST, f"{FIRST}:", f"{FIRST}:0", f"{FIRST}:9", f"{FIRST}:\u0663", "npub1x:1", ":1",
     f"{FIRST.upper()}:1", f"{FIRST}:1:1", f"{FIRST}:1;{SECOND}:2"],
)  # fmt: skip
def test_what_is_no_key_and_level_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="KEY:LEVEL"):
        read_house(text)


def test_a_key_has_one_level_and_there_is_a_most() -> None:
    with pytest.raises(ValueError, match="twice"):
        read_house(f"{FIRST}:1,{FIRST}:2")
    with pytest.raises(ValueError, match=str(MOST_PLAYERS)):
        read_house(",".join(f"{number:064x}:1" for number in range(MOST_PLAYERS + 1)))
