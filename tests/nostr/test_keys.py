"""A secret key signs, and does not get out by accident."""

import copy
import json
import pickle
import traceback
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import example, given
from hypothesis import strategies as st

from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from tests.nostr import second_implementation
from tests.nostr.hostile.case import PLAYER, STRANGER
from tests.nostr.strategies import seckeys, templates


@given(seckeys, templates)
def test_a_key_comes_back_from_its_spellings(key: SecretKey, template: EventTemplate) -> None:
    assert key.pubkey == second_implementation.pubkey_of(key.to_hex())
    assert SecretKey.from_hex(key.to_hex()) == key
    assert SecretKey.from_nsec(key.to_nsec()).to_hex() == key.to_hex()
    assert key.sign(template) == key.sign(template)


@given(seckeys)
def test_a_key_is_read_as_people_and_their_editors_write_it(key: SecretKey) -> None:
    for spelling in (key.to_hex(), key.to_nsec()):
        for text in (
            spelling,
            spelling.upper(),
            f"\t{spelling}\r\n",
            f"{spelling[:9]}\n{spelling[9:]}",
        ):
            for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
                read = text.encode(encoding).decode("utf-8", "replace")
                assert SecretKey.from_text(read).to_hex() == key.to_hex(), (text, encoding)


@pytest.mark.parametrize("text", ["", "nsec1", "ab" * 31, "ab" * 33, "00" * 32, f"key {'ab' * 32}"])
def test_a_text_that_is_no_key_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(ValueError, match=r"nsec|secret key") as refused:
        SecretKey.from_text(text)
    assert not text or text not in str(refused.value)


@given(seckeys, st.binary(max_size=40))
def test_a_derived_secret_is_hkdf_as_others_compute_it(key: SecretKey, purpose: bytes) -> None:
    hkdf = HKDF(SHA256(), length=32, salt=None, info=purpose)

    assert key.derive(purpose) == hkdf.derive(bytes.fromhex(key.to_hex()))


def test_randomness_of_32_bytes_makes_a_key_and_the_same_makes_the_same() -> None:
    assert SecretKey.generate(b"\x07" * 32).to_hex() == "07" * 32
    for size in (0, 31, 33, 64):
        with pytest.raises(ValueError, match="32 bytes"):
            SecretKey.generate(b"\x07" * size)


def test_keys_are_compared_by_what_is_public() -> None:
    again = SecretKey.from_hex(PLAYER.to_hex())

    assert again == PLAYER
    assert hash(again) == hash(PLAYER)
    assert PLAYER != STRANGER
    assert PLAYER.to_hex() != PLAYER
    assert {PLAYER: "found"}[again] == "found"


@pytest.mark.parametrize("size", [0, 1, 17, 100])
def test_a_message_that_is_no_digest_is_not_signed(size: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        PLAYER.sign_bytes(bytes(size))


@pytest.mark.parametrize(
    "shown",
    [
        *(repr, str, ascii, "{}".format, "{!r:>90}".format, "{:>90}".format, "%s".__mod__),
        lambda key: f"{[key]} { {'key': key} }",
        lambda key: repr(dir(key)),
        lambda key: repr([getattr(key, name) for name in SecretKey.__slots__]),
    ],
)
def test_showing_a_key_shows_only_its_public_half(shown: Callable[[SecretKey], str]) -> None:
    text = shown(PLAYER)

    assert PLAYER.to_hex() not in text
    assert PLAYER.to_nsec() not in text
    assert str(PLAYER) == f"<SecretKey of {PLAYER.pubkey}>"


@pytest.mark.parametrize(
    "leave",
    [
        *(pickle.dumps, copy.copy, copy.deepcopy, json.dumps, vars),
        lambda key: pickle.dumps(key, protocol=0),
        lambda key: copy.deepcopy({"key": key}),
        lambda key: key.__getstate__(),
        lambda key: key.__reduce__(),
    ],
)
def test_a_key_is_neither_copied_nor_pickled(leave: Callable[[SecretKey], object]) -> None:
    with pytest.raises(TypeError) as refusal:
        leave(PLAYER)

    assert PLAYER.to_hex() not in "".join(traceback.format_exception(refusal.value))


SECRET = "5ec12e7" * 9

NEARLY_KEYS = (
    *(SECRET, SECRET + "5\n", SECRET.upper() + "5", "0x" + SECRET, SECRET + "z"),
    *("0" * 64, "f" * 64, ""),
    # The order of the curve.
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
)


@pytest.mark.parametrize("text", NEARLY_KEYS)
@pytest.mark.parametrize("read", [SecretKey.from_hex, SecretKey.from_nsec])
def test_an_error_never_carries_the_key(read: Callable[[str], SecretKey], text: str) -> None:
    with pytest.raises(ValueError, match=r"secret key|nsec of NIP-19") as refusal:
        read(text)

    said = "".join(traceback.format_exception(refusal.value, chain=True))
    assert refusal.value.__context__ is None
    assert text == "" or text not in said


@given(st.text(max_size=80))
@example(PLAYER.to_nsec()[:-1] + ("q" if PLAYER.to_nsec()[-1] != "q" else "p"))
@example(second_implementation.npub_of(PLAYER.pubkey))
def test_what_is_no_nsec_is_refused_without_being_quoted(text: str) -> None:
    with pytest.raises(ValueError, match=r"\Anot an nsec of NIP-19\Z"):
        SecretKey.from_nsec(text)
