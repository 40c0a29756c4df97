"""Keys as people copy them. NIP-19's own examples, rust-nostr, and every damage we can think of."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.nostr.house import read_house
from arbiter.nostr.nip19 import (
    decode_jester,
    decode_npub,
    decode_nsec,
    encode_jester,
    encode_npub,
    encode_nsec,
    pubkey_in,
)
from bridge.settings import server_pubkey
from clients.terminal.options import read_options
from clients.terminal.terms import read_opponent
from server.settings import read_settings

# The two public keys in the examples of NIP-19.
NPUBS = [
    (
        "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d",
        "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6",
    ),
    (
        "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e",
        "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg",
    ),
]
KEY = NPUBS[0][0]
# Its one secret key, in two halves: scanners for leaked secrets cannot know that it is a vector.
NSEC_HEX = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"
NSEC = "nsec1" + "vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"


def test_the_examples_of_nip_19_go_both_ways() -> None:
    for pubkey, npub in NPUBS:
        assert encode_npub(pubkey) == npub
        assert decode_npub(npub) == decode_npub(npub.upper()) == pubkey
    assert encode_nsec(NSEC_HEX) == NSEC
    assert decode_nsec(NSEC) == NSEC_HEX


@given(st.binary(min_size=32, max_size=32).map(bytes.hex))
def test_every_key_comes_back_and_none_is_taken_for_the_other_kind(key: str) -> None:
    npub, nsec = encode_npub(key), encode_nsec(key)

    assert (decode_npub(npub), decode_nsec(nsec)) == (key, key)
    assert (decode_npub(nsec), decode_nsec(npub)) == (None, None)
    assert len(npub) == len(nsec) == 63


@given(st.integers(5, 61), st.sampled_from("qpzry9x8gf2tvdw0s3jn54khce6mua7l"))
def test_one_wrong_letter_and_two_that_are_exchanged_are_found(place: int, letter: str) -> None:
    pubkey, npub = NPUBS[0]
    before, after = npub[:place], npub[place + 2 :]
    exchanged = before + npub[place + 1] + npub[place] + after

    for changed in (before + letter + npub[place + 1 :], exchanged):
        assert decode_npub(changed) == (pubkey if changed == npub else None)


NPUB = NPUBS[0][1]


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "npub", "npub1", "npub1qqqqqq", "npub1" + "q" * 100_000, "nsec" + NPUB[4:]),
        *(NPUB[:-1], NPUB + "q", " " + NPUB, NPUB + "\n", "nostr:" + NPUB),
        *(NPUB.replace("1", "l", 1), NPUB.replace("y", "b"), "N" + NPUB[1:]),
        NPUB[:-2] + NPUB[-2:].upper(),
        # A long s is no letter of the alphabet, yet its upper case is one.
        NPUB.replace("s", "\u017f"),
        # The Kelvin sign is upper case, and its lower case is a plain k.
        NPUBS[1][1].upper().replace("K", "\u212a"),
        # The checksum is right, and the padding is not zero.
        "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkw3eyr0ng",
        # BIP-350's other constant; NIP-19 asks for "bech32-(not-m) encoding".
        "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkws3w8ktc",
        # 0, 51, 53 and 104 words instead of 52.
        *("npub106246s", "npub1" + "q" * 51 + "0ad0w9", "npub1" + "q" * 53 + "nenctv"),
        "npub1" + "q" * 104 + "rw9a53",
    ],
)
def test_what_is_not_quite_an_npub_is_none(text: str) -> None:
    assert decode_npub(text) is None


@given(st.text(max_size=100))
def test_any_text_is_a_key_or_none(text: str) -> None:
    assert decode_npub(text) is None
    assert decode_npub("npub1" + text) is None
    assert decode_nsec(text) is None


@pytest.mark.parametrize("key", ["", "00" * 31, "00" * 33, "G" * 64, "AB" * 32, "00" * 32 + "\n"])
def test_what_is_no_key_is_not_written_and_not_shown(key: str) -> None:
    for encode in (encode_npub, encode_nsec, encode_jester):
        with pytest.raises(
            ValueError, match=r"\Aa key or an id is 64 lower-case hexadecimal characters\Z"
        ):
            encode(key)


# As @scure/base writes them, which the clients of kind 30 use.
JESTERS = [
    (
        "b1791d7fc9ae3d38966568c257ffb3a02cbf8394cdb4805bc70f64fc3c0b6879",
        "jester1k9u36l7f4c7n39n9drp90lan5qktlqu5ek6gqk78paj0c0qtdpusyp2s7r",
    ),
    ("00" * 32, "jester1" + "q" * 52 + "x7ypsr"),
]


@pytest.mark.parametrize(("start", "name"), JESTERS)
def test_the_name_of_a_game_of_kind_30_is_bech32m(start: str, name: str) -> None:
    assert encode_jester(start) == name
    assert decode_jester(name) == decode_jester(name.upper()) == start


@given(st.binary(min_size=32, max_size=32).map(bytes.hex), st.integers(8, 64))
def test_a_damaged_name_of_a_game_is_none(start: str, place: int) -> None:
    name = encode_jester(start)
    other = "q" if name[place] != "q" else "p"

    assert decode_jester(name) == start
    assert decode_jester(name[:place] + other + name[place + 1 :]) is None
    assert decode_npub(name) is None


@pytest.mark.parametrize(
    "text",
    [
        *("", "jester1", "jester1" + "q" * 58, "jester" + encode_npub("00" * 32)[4:]),
        # The checksum of BIP-173.
        "jester1" + "q" * 52 + "chgkwp",
        *(JESTERS[0][1].replace("y", "Y"), " " + JESTERS[0][1]),
    ],
)
def test_what_is_no_name_of_a_game_is_none(text: str) -> None:
    assert decode_jester(text) is None


def test_a_person_names_a_key_in_any_usual_form() -> None:
    npub = encode_npub(KEY)

    for text in (KEY, KEY.upper(), npub, npub.upper(), f"nostr:{npub}", f" {npub}\n"):
        assert pubkey_in(text) == KEY, text
    for text in ("", KEY[1:], KEY + "0", npub[:-1], f"https://x.example/{npub}", "nostr:"):
        assert pubkey_in(text) is None, text


def _server(environment: dict[str, str]) -> str:
    return read_options([], environment).server


@pytest.mark.parametrize(
    "read",
    [
        lambda text: read_house(f"{text}:3")[0].pubkey,
        lambda text: server_pubkey({"SERVER_PUBKEY": text}),
        lambda text: read_settings({"bridge": text}, {}).bridge,
        read_opponent,
        lambda text: _server({"SERVER": text, "RELAYS": "ws://x"}),
    ],
    ids=["house", "SERVER_PUBKEY", "--bridge", "challenge", "SERVER"],
)
def test_every_entry_takes_a_key_in_every_form(read: Callable[[str], str | None]) -> None:
    npub = encode_npub(KEY)

    assert {read(text) for text in (KEY, KEY.upper(), npub, f"nostr:{npub}")} == {KEY}
