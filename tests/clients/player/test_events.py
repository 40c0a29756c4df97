"""Events that a player signs, and what is read of others'."""

import json
from dataclasses import replace

import nostr_sdk  # type: ignore[import-untyped]

from arbiter.nostr.event import NostrEvent, event_from_json, event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip13 import difficulty
from clients.player.events import Draft, with_work
from clients.player.inbox import Inbox
from clients.player.messages import Queued
from tests.builders import ALICE, EVE, SERVER


def a_draft(content: str = 'é\n"\\ \u2028') -> Draft:
    return Draft(ALICE.pubkey, 1_800_000_000, 20303, (("d", "x"), ("e",)), content)


def test_another_implementation_accepts_what_is_drafted_and_signed() -> None:
    signed = ALICE.sign(a_draft().template)
    event = nostr_sdk.Event.from_json(json.dumps(event_to_json(signed)))

    assert event.verify()
    assert event.id().to_hex() == a_draft().id


def test_work_has_the_bits_that_its_nonce_commits_to() -> None:
    draft = with_work(with_work(a_draft(), 3), 8)

    assert difficulty(draft.id) >= 8
    assert [tag[2] for tag in draft.tags if tag[0] == "nonce"] == ["8"]


def an_event(kind: int = 20301, content: str = "queued", by: SecretKey = SERVER) -> NostrEvent:
    draft = Draft(by.pubkey, 1_800_000_000, kind, (("p", ALICE.pubkey),), content)
    event = event_from_json(event_to_json(by.sign(draft.template)))
    assert isinstance(event, NostrEvent)
    return event


def test_what_two_relays_repeat_is_read_once_and_a_forgery_never() -> None:
    inbox, genuine, eves = (
        Inbox(SERVER.pubkey, {ALICE.pubkey: lambda _: None}),
        an_event(),
        an_event(by=EVE),
    )
    for forged in (
        *(eves, replace(eves, pubkey=SERVER.pubkey), replace(genuine, content="cancelled")),
        *(replace(genuine, sig=eves.sig), an_event(kind=1), an_event(content="nonsense")),
    ):
        assert inbox.open(forged, stored=False) is None
    assert inbox.open(genuine, stored=False) == Queued()
    assert inbox.open(genuine, stored=False) is None


def test_a_stored_response_is_passed_over_and_counts_when_it_comes_anew() -> None:
    inbox = Inbox(SERVER.pubkey, {ALICE.pubkey: lambda _: None})
    assert inbox.open(an_event(), stored=True) is None
    assert inbox.open(an_event(kind=20304, content="stale: x"), stored=True) is None
    assert inbox.open(an_event(), stored=False) == Queued()
