"""Nostr events of the bot: only what is rightly signed is read."""

import json
from dataclasses import replace

import nostr_sdk  # type: ignore[import-untyped]

from arbiter.nostr.event import NostrEvent, event_from_json, event_to_json
from arbiter.nostr.nip13 import difficulty
from clients.bot.events import Draft, public_key, read_event, sign, with_work

SECRET = bytes([7]) * 32


def a_draft(content: str = 'é\n"\\ \u2028') -> Draft:
    return Draft(public_key(SECRET), 1_800_000_000, 20303, (("d", "x"), ("e",)), content)


def test_another_implementation_accepts_what_the_bot_signs() -> None:
    event = nostr_sdk.Event.from_json(json.dumps(event_to_json(sign(a_draft(), SECRET))))

    assert event.verify()
    assert event.id().to_hex() == a_draft().id


def test_a_signed_event_is_read_with_its_tags() -> None:
    signed = event_from_json(event_to_json(sign(a_draft(), SECRET)))
    assert isinstance(signed, NostrEvent)
    event = read_event(signed)

    assert event is not None
    assert event.first("d") == "x"
    assert event.first("e") is None
    assert event.content == a_draft().content


def test_a_forged_event_is_none() -> None:
    signed = sign(a_draft(), SECRET)
    event = event_from_json(event_to_json(signed))

    assert isinstance(event, NostrEvent)
    assert read_event(replace(event, content="another")) is None
    assert read_event(replace(event, sig="0" * 128)) is None


def test_work_has_the_bits_that_its_nonce_commits_to() -> None:
    draft = with_work(with_work(a_draft(), 3), 8)

    assert difficulty(draft.id) >= 8
    assert [tag[2] for tag in draft.tags if tag[0] == "nonce"] == ["8"]
