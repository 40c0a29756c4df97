import pytest

from arbiter.adapters.relays.ingest import Drop, screened
from arbiter.application.routing import LISTENED_KINDS, route
from arbiter.nostr.event import EventTemplate, NostrEvent
from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, SERVER

SINCE = 1_800_000_000
WANTED = Filter(kinds=LISTENED_KINDS, tags={"p": (SERVER.pubkey,)}, since=SINCE)
TO_SERVER = ("p", SERVER.pubkey)


def an_event(
    kind: int = 20303,
    tags: tuple[tuple[str, ...], ...] = (TO_SERVER, ("d", "ab")),
    created_at: int = SINCE,
    by: SecretKey = ALICE,
) -> NostrEvent:
    signed = by.sign(EventTemplate(kind, tags, "e2e4", created_at))
    return NostrEvent(signed.id, signed.pubkey, created_at, kind, tags, signed.content, signed.sig)


def test_what_was_asked_for_is_let_on_to_its_queue() -> None:
    event = an_event()
    assert screened(event, WANTED, SERVER.pubkey) == route(event)


def test_a_v1_move_with_the_players_in_p_tags_too_is_let_on() -> None:
    event = an_event(tags=(("p", ALICE.pubkey), ("p", BOB.pubkey), TO_SERVER, ("d", "ab")))
    assert screened(event, WANTED, SERVER.pubkey) == route(event)


@pytest.mark.parametrize(
    ("event", "drop"),
    [
        (an_event(kind=1), Drop.NOT_LISTENED_KIND),
        (an_event(kind=20302), Drop.NOT_LISTENED_KIND),
        (an_event(kind=22242), Drop.NOT_LISTENED_KIND),
        (an_event(by=SERVER), Drop.OWN),
        (an_event(tags=(("d", "ab"),)), Drop.NOT_FOR_US),
        (an_event(tags=(("p", BOB.pubkey), ("d", "ab"))), Drop.NOT_FOR_US),
        (an_event(tags=(("p", BOB.pubkey, SERVER.pubkey),)), Drop.NOT_FOR_US),
        (an_event(tags=(("p",), ("e", SERVER.pubkey))), Drop.NOT_FOR_US),
        (an_event(tags=(("P", SERVER.pubkey),)), Drop.NOT_FOR_US),
        (an_event(created_at=SINCE - 1), Drop.NOT_ASKED_FOR),
    ],
)
def test_anything_else_is_dropped_with_its_reason(event: NostrEvent, drop: Drop) -> None:
    assert screened(event, WANTED, SERVER.pubkey) is drop


def test_a_kind_that_is_routed_but_was_not_asked_for_is_dropped() -> None:
    only_seeks = Filter(kinds=(20300,), tags={"p": (SERVER.pubkey,)})
    assert screened(an_event(), only_seeks, SERVER.pubkey) is Drop.NOT_LISTENED_KIND
