"""The arbiter's name on Nostr (NIP-05), and its health."""

from http import HTTPStatus

import pytest

from arbiter.application.queries import QueueDepth, RelayReach
from arbiter.web.views import OLDEST_SECONDS
from tests.builders import NOW_MS, SERVER
from tests.fakes.health import FakeHealth
from tests.web.browser import Answer, Site

RELAYS = ("wss://relay.example", "wss://other.example")


@pytest.mark.parametrize(
    ("called", "asked", "known"),
    [
        ("Arbiter", None, {"_", "arbiter"}),
        ("Arbiter", "_", {"_"}),
        ("Arbiter", "arbiter", {"arbiter"}),
        ("Arbiter", "alice", set()),
        ("My Arbiter!", None, {"_", "my-arbiter"}),
        ("Šach", None, {"_", "ach"}),
        ("象棋", None, {"_"}),
        ("_", None, {"_"}),
    ],
)
def test_the_arbiter_is_known_by_its_domain_and_its_name_as_nip05_spells_it(
    called: str, asked: str | None, known: set[str]
) -> None:
    query = {} if asked is None else {"name": asked}

    answer = Site(relays=RELAYS, name=called).browser().get("/.well-known/nostr.json", **query)

    assert answer.json["names"] == dict.fromkeys(known, SERVER.pubkey)
    assert answer.json["relays"] == ({SERVER.pubkey: [*RELAYS]} if known else {})
    # NIP-05 requires it.
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


TOO_OLD = QueueDepth("moves", 1, OLDEST_SECONDS + 1)


def healthz(health: FakeHealth) -> Answer:
    return Site(health=health).browser().get("/healthz")


HEALTHY = FakeHealth(
    queues=(
        QueueDepth("moves", 3, 1),
        QueueDepth("seeks", 0, 0),
        QueueDepth("dead_letters", 2, 999_999),
    ),
    relays=(RelayReach(RELAYS[0]), RelayReach(RELAYS[1], "unreachable")),
)


def test_a_healthy_arbiter_reports_its_table_queues_and_relays() -> None:
    answer = healthz(HEALTHY)

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
    ("health", "fault"),
    [
        (FakeHealth(table=False), "the table cannot be read or written"),
        (FakeHealth(queues=(QueueDepth("moves", None),)), "the queue moves does not answer"),
        (FakeHealth(queues=(TOO_OLD,)), "the queue moves is not emptied"),
        (FakeHealth(relays=(RelayReach(RELAYS[0], "stuck"),)), "no relay can be reached"),
        # What is not known is no fault: an arbiter may have no relays.
        (FakeHealth(), None),
        (FakeHealth(queues=(QueueDepth("moves", 1, OLDEST_SECONDS),)), None),
        (FakeHealth(queues=(QueueDepth("moves", 100),)), None),
    ],
)
def test_an_arbiter_that_cannot_work_reports_why(health: FakeHealth, fault: str | None) -> None:
    answer = healthz(health)

    assert answer.status == (503 if fault else HTTPStatus.OK)
    assert answer.json["faults"] == ([fault] if fault else [])
    assert answer.json["status"] == ("fault" if fault else "ok")
