"""What the arbiter says of itself: its names on Nostr, and its health."""

from http import HTTPStatus

import pytest

from arbiter.application.queries import QueueDepth, RelayReach
from arbiter.web.views import OLDEST_SECONDS
from tests.builders import NOW_MS, SERVER
from tests.fakes.vitals import FakeVitals
from tests.web.browser import Answer, Site

RELAYS = ("wss://relay.example", "wss://other.example")
WELL_KNOWN = "/.well-known/nostr.json"


def names(site: Site, **query: str) -> Answer:
    return site.browser().get(WELL_KNOWN, **query)


@pytest.mark.parametrize("name", ["_", "arbiter"])
def test_the_arbiter_is_known_by_the_domain_and_by_its_name(name: str) -> None:
    answer = names(Site(relays=RELAYS), name=name)

    assert answer.status == HTTPStatus.OK
    assert answer.json == {
        "names": {name: SERVER.pubkey},
        "relays": {SERVER.pubkey: [*RELAYS]},
    }


def test_pages_of_other_sites_may_read_the_names() -> None:
    """NIP-05: "Users should ensure that their /.well-known/nostr.json is served with the HTTP
    header Access-Control-Allow-Origin: *".
    """
    assert names(Site()).headers["Access-Control-Allow-Origin"] == "*"


def test_without_a_name_all_are_told_and_for_another_none() -> None:
    assert names(Site()).json["names"] == {"_": SERVER.pubkey, "arbiter": SERVER.pubkey}
    assert names(Site(), name="alice").json == {"names": {}, "relays": {}}


@pytest.mark.parametrize(
    ("called", "known"),
    [("My Arbiter!", {"_", "my-arbiter"}), ("Šach", {"_", "ach"}), ("象棋", {"_"}), ("_", {"_"})],
)
def test_a_name_is_spelled_as_nip05_allows(called: str, known: set[str]) -> None:
    assert set(names(Site(name=called)).json["names"]) == known


def health(vitals: FakeVitals) -> Answer:
    return Site(vitals=vitals).browser().get("/healthz")


HEALTHY = FakeVitals(
    queues=(
        QueueDepth("moves", 3, 1),
        QueueDepth("seeks", 0, 0),
        QueueDepth("dead_letters", 2, 999_999),
    ),
    relays=(RelayReach(RELAYS[0]), RelayReach(RELAYS[1], "unreachable")),
)


def test_a_healthy_arbiter_says_so_and_tells_what_it_saw() -> None:
    answer = health(HEALTHY)

    assert answer.status == HTTPStatus.OK
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json == {
        "status": "ok",
        "faults": [],
        "table": True,
        "queues": [
            {"name": "moves", "waiting": 3, "oldest_seconds": 1},
            {"name": "seeks", "waiting": 0, "oldest_seconds": 0},
            {"name": "dead_letters", "waiting": 2, "oldest_seconds": 999_999},
        ],
        "relays": [
            {"url": RELAYS[0], "reached": True, "trouble": None},
            {"url": RELAYS[1], "reached": False, "trouble": "unreachable"},
        ],
        "looked_at_ms": NOW_MS,
    }


@pytest.mark.parametrize(
    ("vitals", "fault"),
    [
        (FakeVitals(table=False), "the table cannot be read"),
        (FakeVitals(queues=(QueueDepth("moves", None),)), "the queue moves does not answer"),
        (
            FakeVitals(queues=(QueueDepth("moves", 1, OLDEST_SECONDS + 1),)),
            "the queue moves is not emptied",
        ),
        (FakeVitals(relays=(RelayReach(RELAYS[0], "stuck"),)), "no relay can be reached"),
    ],
)
def test_an_arbiter_that_cannot_work_says_why(vitals: FakeVitals, fault: str) -> None:
    answer = health(vitals)

    assert answer.status == HTTPStatus.SERVICE_UNAVAILABLE
    assert (answer.json["status"], answer.json["faults"]) == ("fault", [fault])


@pytest.mark.parametrize(
    "vitals",
    [
        FakeVitals(),
        FakeVitals(queues=(QueueDepth("moves", 1, OLDEST_SECONDS),)),
        FakeVitals(queues=(QueueDepth("moves", 100),)),
    ],
)
def test_what_is_not_known_is_no_fault(vitals: FakeVitals) -> None:
    """No relays at all are an arbiter of the gateway alone; an age may be unknown for minutes."""
    assert health(vitals).status == HTTPStatus.OK
