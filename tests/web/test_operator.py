"""The operator's page: its figures and changes are for the operator's signature alone."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.memory.connections import MemoryDayCounters
from arbiter.application import day_figures
from arbiter.application.intake.queue_messages import parse
from arbiter.application.policy import KnownPolicy
from arbiter.application.records import GamesToEnd
from arbiter.application.spending import Spending
from arbiter.core.reports import PlayerReport
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from arbiter.nostr.nip98 import http_auth_header, http_auth_template
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, a_key
from tests.fakes.stores import FakeGames, MemoryTable
from tests.web.browser import Answer, Site

OPERATOR = a_key("operator")
URL = "https://arbiter.example"
NOW = NOW_MS // 1000


@pytest.fixture
def site() -> Site:
    site = Site()
    site.policy = KnownPolicy(
        StoredPolicy(MemoryTable()), site.clock, configured_operator=OPERATOR.pubkey
    )
    return site


def template(method: str, path: str, body: str = "", at: int = NOW) -> EventTemplate:
    return http_auth_template(method, URL + path, body.encode(), at)


def ask(site: Site, signed: EventTemplate, *, body: str = "", key: SecretKey = OPERATOR) -> Answer:
    """Ask for what this was signed for, or for the state."""
    method, path = ("POST", "/operator/policy") if body else ("GET", "/operator/state")
    headers = {"authorization": http_auth_header(key.sign(signed))}
    return site.browser().ask(method, path, headers=headers, body=body or None)


def change(site: Site, **said: Any) -> Answer:
    body = json.dumps(said)
    return ask(site, template("POST", "/operator/policy", body), body=body)


def test_the_operator_sees_the_state(site: Site) -> None:
    state = ask(site, template("GET", "/operator/state"))

    assert state.status == 200
    assert state.json["figures"]["games"] == 0
    assert state.headers["Cache-Control"] == "no-store"


def test_the_operator_sees_what_the_day_costs_and_by_whom(site: Site) -> None:
    spending = Spending(MemoryDayCounters(), site.clock, {"micro_dollars": 2_000_000})
    site.spending = spending
    for amount, address in ((5, "192.0.2.1"), (1_200, "192.0.2.2")):
        spending.add({"micro_dollars": amount}, address)
        site.clock.ms += 60_000
    site.clock.ms -= 120_000
    figures = ask(site, template("GET", "/operator/state")).json["figures"]
    assert figures["micro_dollars today"] == "1,205 of 2,000,000"
    assert figures["micro_dollars, most"] == "192.0.2.2: 1,200, 192.0.2.1: 5"


def test_the_operator_sees_what_all_functions_counted(site: Site) -> None:
    site.spending = Spending(MemoryDayCounters(), site.clock, {"micro_dollars": 2_000_000})
    for counted in (day_figures.moves(9, site.clock.ms), day_figures.opened(site.clock.ms)):
        Spending(site.spending.counters, site.clock, {}).add(counted)
    figures = ask(site, template("GET", "/operator/state")).json["figures"]
    assert (figures["moves in this hour"], figures["sockets, about"]) == (9, 1)


def test_a_change_is_made_and_noted_with_who_made_it(site: Site) -> None:
    npub = encode_npub(ALICE.pubkey)

    state = change(site, word="deny", keys=[npub], reason="rude", ends_games=True)

    (denied,) = state.json["policy"]["denied"]
    assert (denied["key"], denied["reason"]) == (npub, "rude")
    (made,) = state.json["policy"]["changes"]
    assert (made["at"], made["by"]) == (NOW, encode_npub(OPERATOR.pubkey))
    assert made["said"] == f"deny {npub} rude ending games"
    assert site.policy.why_not(ALICE.pubkey, NOW_MS) is not None, "this process obeys at once"
    assert [*map(parse, site.republish.bodies)] == [GamesToEnd(ALICE.pubkey)]


def test_the_last_changes_name_who_they_are_about(site: Site) -> None:
    game = a_game()
    site.games = FakeGames(replace(game, white=replace(game.white, name="Alice")))

    state = change(site, word="void", keys=[ALICE.pubkey, EVE.pubkey]).json

    npubs = [encode_npub(key.pubkey) for key in (ALICE, EVE)]
    assert state["policy"]["changes"][0]["said"] == f"void {npubs[0]} {npubs[1]}"
    assert state["names"] == {npubs[0]: "Alice"}


STATE = template("GET", "/operator/state")
REFUSED: list[tuple[str, EventTemplate, str]] = [
    ("another method", template("POST", "/operator/state"), "another method"),
    ("another path", template("GET", "/operator/policy"), "another URL"),
    (
        "another host",
        replace(STATE, tags=(("u", "https://evil.example/operator/state"), *STATE.tags[1:])),
        "another URL",
    ),
    ("an old one", template("GET", "/operator/state", at=NOW - 61), "more than a minute"),
    ("an early one", template("GET", "/operator/state", at=NOW + 61), "more than a minute"),
    ("another kind", replace(STATE, kind=1), "kind 27235"),
]


@pytest.mark.parametrize(("what", "signed", "why"), REFUSED)
def test_what_was_signed_for_something_else_is_refused(
    site: Site, what: str, signed: EventTemplate, why: str
) -> None:
    refused = ask(site, signed)

    assert refused.status == 401, what
    assert why in refused.json["detail"]


def test_a_signature_is_good_for_one_request(site: Site) -> None:
    assert ask(site, STATE).status == 200

    for later_ms in (0, 1_000, 30_000, 59_000):
        site.clock.ms = NOW_MS + later_ms
        assert ask(site, STATE).status == 401


def test_a_replay_is_refused_at_whatever_second_of_the_hour(site: Site) -> None:
    """Windows of counting begin at some moment, and at it a count begins anew."""
    for minute in range(0, 960, 20):
        site.clock.ms = NOW_MS + minute * 1000
        signed = template("GET", "/operator/state", at=NOW + minute + 60)
        assert ask(site, signed).status == 200
        site.clock.ms += 119_000
        assert ask(site, signed).status == 401


def test_another_body_than_the_signed_one_changes_nothing(site: Site) -> None:
    signed = template("POST", "/operator/policy", '{"word": "open"}')

    refused = ask(site, signed, body='{"word": "close"}')

    assert refused.status == 401
    assert site.policy.now().closed is None


def one_digit_off(key: SecretKey) -> dict[str, str]:
    event = key.sign(STATE)
    wrong = ("0" if event.pubkey[0] != "0" else "1") + event.pubkey[1:]
    return {"authorization": http_auth_header(replace(event, pubkey=wrong))}


@pytest.mark.parametrize(
    "headers",
    [
        dict,
        lambda: {"authorization": "Bearer me"},
        lambda: {"authorization": http_auth_header(BOB.sign(STATE))},
        lambda: one_digit_off(OPERATOR),
        lambda: {
            "authorization": http_auth_header(
                replace(BOB.sign(STATE), pubkey=OPERATOR.pubkey)  # not signed by it
            )
        },
    ],
)
def test_to_any_other_key_there_is_nothing_here(
    site: Site, headers: Callable[[], dict[str, str]]
) -> None:
    browser = site.browser()
    nothing = browser.get("/operator/nothing")

    answer = browser.ask("GET", "/operator/state", headers=headers())
    changed = browser.ask("POST", "/operator/policy", headers=headers(), body='{"word": "close"}')

    assert (answer.status, answer.body) == (404, nothing.body)
    assert (changed.status, changed.body) == (404, nothing.body)


def test_without_an_operator_there_is_no_page() -> None:
    browser = Site().browser()

    assert {browser.get(path).status for path in ("/operator", "/operator/script.js")} == {404}


def test_the_page_runs_its_own_script_alone_and_is_framed_by_nobody(site: Site) -> None:
    browser = site.browser()

    page = browser.get("/operator")

    assert page.status == 200
    policy = page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self'" in policy
    assert "form-action 'none'" in policy
    assert browser.get("/operator/script.js").headers["Content-Type"] == "text/javascript"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"word": "abolish"}, "word"),
        ({"word": "deny", "keys": ["nobody"]}, "keys"),
        ({"word": "deny", "keys": "npub1"}, "keys"),
        ({"word": "close", "until": "tomorrow"}, "from and until"),
        ({"word": "close", "until": 10**30}, "from and until"),
        ({"word": "close", "reason": 7}, "reason"),
        ({"word": "vacation", "days": "ten"}, "days"),
        ({"word": "close", "until": 1}, "over already"),
        ([], "word"),
    ],
)
def test_what_makes_no_sense_is_said_so(site: Site, said: Any, why: str) -> None:
    body = json.dumps(said)

    refused = ask(site, template("POST", "/operator/policy", body), body=body)

    assert refused.status == 400
    assert why in refused.json["detail"]


def test_the_arbiters_own_key_may_change_it_for_the_command_line(site: Site) -> None:
    body = json.dumps({"word": "close"})

    signed = template("POST", "/operator/policy", body)
    state = ask(site, signed, body=body, key=SERVER)

    assert state.json["policy"]["changes"][0]["by"] == "arbiter policy"


def test_a_url_that_is_not_ours_is_not_taken_by_its_host_alone(site: Site) -> None:
    site.own_urls = ("https://chess.example",)

    assert ask(site, STATE).status == 401


def test_the_operator_reads_reports(site: Site) -> None:
    store = site.policy.store
    assert store is not None
    report = PlayerReport(
        id="1" * 64, at_ms=NOW_MS, by=BOB.pubkey, player=ALICE.pubkey, chat=("you lose",)
    )
    assert store.add_report(report)
    assert store.add_report(report), "the same again is kept once"

    (shown,) = ask(site, STATE).json["reports"]

    assert (shown["by"], shown["player"]) == (encode_npub(BOB.pubkey), encode_npub(ALICE.pubkey))
    assert (shown["chat"], shown["at"]) == (["you lose"], NOW)
