"""Nostr events of the bot: only what is rightly signed is read."""

import json
from pathlib import Path

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.bot.events import (
    Draft,
    npub,
    public_key,
    read_event,
    read_key,
    sign,
    with_work,
    work_of,
)
from clients.bot.nip44 import encrypt, padded_length

SECRET = bytes([7]) * 32
VECTORS = Path(__file__).parents[2] / "nostr" / "vectors" / "nip44.vectors.json"


def a_draft(content: str = 'é\n"\\ \u2028') -> Draft:
    return Draft(public_key(SECRET), 1_800_000_000, 20303, (("d", "x"), ("e",)), content)


def test_another_implementation_accepts_what_the_bot_signs() -> None:
    event = nostr_sdk.Event.from_json(json.dumps(sign(a_draft(), SECRET)))

    assert event.verify()
    assert event.id().to_hex() == a_draft().id


def test_a_signed_event_is_read_with_its_tags() -> None:
    event = read_event(sign(a_draft(), SECRET))

    assert event is not None
    assert event.first("d") == "x"
    assert event.first("e") is None
    assert event.content == a_draft().content


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content", "another"),
        ("content", "\ud800"),
        ("content", None),
        ("pubkey", public_key(bytes([8]) * 32)),
        ("pubkey", "f" * 64),
        ("pubkey", "F" * 64),
        ("id", "0" * 64),
        ("id", None),
        ("created_at", True),
        ("created_at", 1.5),
        ("kind", -1),
        ("kind", "20303"),
        ("tags", [["d", 5]]),
        ("tags", "d"),
        ("sig", "0" * 128),
        ("sig", "z"),
        ("sig", None),
    ],
)
def test_a_forged_or_broken_event_is_none(field: str, value: object) -> None:
    assert read_event({**sign(a_draft(), SECRET), field: value}) is None


@pytest.mark.parametrize("value", [None, [], "event", 5, {}])
def test_what_is_no_event_is_none(value: object) -> None:
    assert read_event(value) is None


def test_work_has_the_bits_that_its_nonce_commits_to() -> None:
    draft = with_work(with_work(a_draft(), 3), 8)

    assert work_of(draft.id) >= 8
    assert [tag[2] for tag in draft.tags if tag[0] == "nonce"] == ["8"]
    assert work_of("0" * 63 + "1") == 255


def test_a_key_is_read_from_hex_and_npub() -> None:
    theirs = nostr_sdk.PublicKey.parse(public_key(SECRET)).to_bech32()

    assert npub(public_key(SECRET)) == theirs
    assert read_key(theirs) == public_key(SECRET) == read_key(public_key(SECRET).upper())


@pytest.mark.parametrize("text", ["", "npub1", "npub1qqqqqqqq", "nsec1" + "q" * 58, "abc", "1"])
def test_what_is_no_key_is_none(text: str) -> None:
    assert read_key(text) is None


def test_chat_is_sealed_as_the_nip_has_it() -> None:
    for case in json.loads(VECTORS.read_text())["v2"]["valid"]["encrypt_decrypt"]:
        sealed = encrypt(
            case["plaintext"], bytes.fromhex(case["conversation_key"]), bytes.fromhex(case["nonce"])
        )
        assert sealed == case["payload"]


def test_lines_are_padded_as_the_nip_has_it() -> None:
    for length, padded in json.loads(VECTORS.read_text())["v2"]["valid"]["calc_padded_len"]:
        assert padded_length(length) == padded
