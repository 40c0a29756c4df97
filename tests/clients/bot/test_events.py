"""Nostr events of the bot: only what is rightly signed is read."""

import json

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from arbiter.nostr.nip13 import difficulty
from clients.bot.events import Draft, public_key, read_event, sign, with_work

SECRET = bytes([7]) * 32


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

    assert difficulty(draft.id) >= 8
    assert [tag[2] for tag in draft.tags if tag[0] == "nonce"] == ["8"]
