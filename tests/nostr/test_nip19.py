"""Keys as people copy them. NIP-19's own examples, rust-nostr, and every damage we can think of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.nostr.nip19 import decode_npub, decode_nsec, encode_npub, encode_nsec
from tests.nostr import second_implementation
from tests.nostr.strategies import seckeys

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
# Its one secret key, in two halves: scanners for leaked secrets cannot know that it is a vector.
NSEC_HEX = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"
NSEC = "nsec1" + "vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"

CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
# BIP-173 divides by x^6 + 29x^5 + 22x^4 + 20x^3 + 21x^2 + 29x + 18; this is all but the first.
GENERATOR = (29, 22, 20, 21, 29, 18)


def test_the_examples_of_nip_19_go_both_ways() -> None:
    for pubkey, npub in NPUBS:
        assert encode_npub(pubkey) == npub
        assert decode_npub(npub) == pubkey
    assert encode_nsec(NSEC_HEX) == NSEC
    assert decode_nsec(NSEC) == NSEC_HEX


@given(seckeys.map(lambda key: key.to_hex()))
def test_the_second_implementation_writes_the_same(seckey: str) -> None:
    assert encode_nsec(seckey) == second_implementation.nsec_of(seckey)
    pubkey = second_implementation.pubkey_of(seckey)
    assert encode_npub(pubkey) == second_implementation.npub_of(pubkey)


@given(st.binary(min_size=32, max_size=32).map(bytes.hex))
def test_every_key_comes_back_and_none_is_taken_for_the_other_kind(key: str) -> None:
    npub, nsec = encode_npub(key), encode_nsec(key)

    assert (decode_npub(npub), decode_nsec(nsec)) == (key, key)
    assert (decode_npub(nsec), decode_nsec(npub)) == (None, None)
    assert len(npub) == len(nsec) == 63


def test_all_upper_case_is_read_and_mixed_case_is_not() -> None:
    pubkey, npub = NPUBS[0]

    assert decode_npub(npub.upper()) == pubkey
    assert decode_npub(npub[:-2] + npub[-2:].upper()) is None
    assert decode_npub("N" + npub[1:]) is None


@given(st.integers(5, 61), st.sampled_from(CHARSET))
def test_one_wrong_letter_and_two_that_are_exchanged_are_found(place: int, letter: str) -> None:
    pubkey, npub = NPUBS[0]
    before, after = npub[:place], npub[place + 2 :]
    exchanged = before + npub[place + 1] + npub[place] + after

    for changed in (before + letter + npub[place + 1 :], exchanged):
        assert decode_npub(changed) == (pubkey if changed == npub else None)


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "npub", "npub1", "npub1qqqqqq", "npub1" + "q" * 100_000),
        *(NPUBS[0][1][:-1], NPUBS[0][1] + "q", " " + NPUBS[0][1], NPUBS[0][1] + "\n"),
        *(NPUBS[0][1].replace("1", "l", 1), NPUBS[0][1].replace("y", "b")),
        *("nostr:" + NPUBS[0][1], "nsec" + NPUBS[0][1][4:]),
        # A long s is no letter of the alphabet, yet its upper case is one.
        NPUBS[0][1].replace("s", "\u017f"),
        # The Kelvin sign is upper case, and its lower case is a plain k.
        NPUBS[1][1].upper().replace("K", "\u212a"),
    ],
)
def test_what_is_not_quite_an_npub_is_none(text: str) -> None:
    assert decode_npub(text) is None


def _with_checksum(prefix: str, words: list[int], constant: int = 1) -> str:
    """The text of ``words``, by long division over the field of 32 elements.

    Slow and apart from the code under test, which works on whole polynomials at once.
    """
    powers = [1]
    for _ in range(60):
        doubled = powers[-1] << 1
        powers.append(doubled ^ 0b101001 if doubled & 32 else doubled)
    high = [ord(letter) >> 5 for letter in prefix]
    low = [ord(letter) & 31 for letter in prefix]
    remainder = [0, 0, 0, 0, 0, 1]
    for word in [*high, 0, *low, *words, *[0] * 6]:
        lead, remainder = remainder[0], [*remainder[1:], word]
        if lead:
            products = [powers[powers.index(lead) + powers.index(factor)] for factor in GENERATOR]
            remainder = [a ^ b for a, b in zip(remainder, products, strict=True)]
    last = [constant >> 5 * place & 31 for place in reversed(range(6))]
    checksum = [a ^ b for a, b in zip(remainder, last, strict=True)]
    return prefix + "1" + "".join(CHARSET[word] for word in [*words, *checksum])


def _words(npub: str) -> list[int]:
    return [CHARSET.index(letter) for letter in npub.partition("1")[2][:-6]]


def test_padding_that_is_not_zero_is_refused_though_its_checksum_is_right() -> None:
    pubkey, npub = NPUBS[0]
    words = _words(npub)
    assert decode_npub(_with_checksum("npub", words)) == pubkey

    padded = [*words[:-1], words[-1] | 1]

    assert decode_npub(_with_checksum("npub", padded)) is None


@pytest.mark.parametrize("length", [0, 51, 53, 104])
def test_a_key_of_another_length_is_refused_though_its_checksum_is_right(length: int) -> None:
    assert decode_npub(_with_checksum("npub", [0] * length)) is None


def test_the_checksum_of_bech32m_is_refused() -> None:
    pubkey, npub = NPUBS[0]

    # BIP-350 differs in this constant alone; NIP-19 asks for "bech32-(not-m) encoding".
    assert decode_npub(_with_checksum("npub", _words(npub), 0x2BC830A3)) is None
    assert decode_npub(_with_checksum("npub", _words(npub), 1)) == pubkey


@given(st.text(max_size=100))
def test_any_text_is_a_key_or_none(text: str) -> None:
    assert decode_npub(text) is None
    assert decode_npub("npub1" + text) is None
    assert decode_nsec(text) is None


@pytest.mark.parametrize("key", ["", "00" * 31, "00" * 33, "G" * 64, "AB" * 32, "00" * 32 + "\n"])
def test_what_is_no_key_is_not_written_and_not_shown(key: str) -> None:
    for encode in (encode_npub, encode_nsec):
        with pytest.raises(ValueError, match=r"\Aa key is 64 lower-case hexadecimal characters\Z"):
            encode(key)
