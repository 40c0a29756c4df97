"""The arbiter function as Lambda calls it: batches in, ids of what must come again out, and what it
logs.
"""

import json
from collections import Counter
from dataclasses import replace
from typing import Any, Never

import pytest

from arbiter import wiring
from arbiter.nostr.event import EventTemplate, event_to_json
from functions.process_events import app
from tests.application.script import Conversation
from tests.application.words import event_word
from tests.builders import EVE, SERVER, an_event
from tests.fakes.faults import crash_at
from tests.fakes.relay import FakeRelay
from tests.functions.logged import MARK, failed_ids, lines


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Conversation:
    talk = Conversation(in_order=False)
    monkeypatch.setattr(wiring, "arbiter_deps", lambda: talk.world.deps)
    return talk


def said(talk: Conversation, text: str) -> str:
    """The body of what a player says now."""
    return talk.world.body(talk.players.event(text)[0])


def a_record(number: int, body: str, group: str | None = None) -> dict[str, Any]:
    """As SQS hands it to Lambda; a standard queue has no groups."""
    attributes = {"ApproximateReceiveCount": "1"} | ({"MessageGroupId": group} if group else {})
    return {"messageId": f"m{number}", "body": body, "attributes": attributes}


def handle(*records: dict[str, Any]) -> list[str]:
    return failed_ids(app.handler({"Records": list(records)}, None))


@pytest.mark.parametrize("invocation", [{}, {"Records": []}])
def test_a_batch_without_records_fails_nothing(
    talk: Conversation, invocation: dict[str, Any]
) -> None:
    assert app.handler(invocation, None) == {"batchItemFailures": []}


def test_of_a_fifo_queue_a_failed_record_and_those_behind_it_come_again(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counter[str]()
    monkeypatch.setattr(wiring, "count", counted.update)
    talk.line("alice seek; bob seek; carol seek; dave seek")
    talk.world.games.hook = crash_at("games.load")
    again = handle(
        a_record(1, said(talk, "alice e2e4 /g1"), "sick"),
        a_record(2, said(talk, "white e2e4"), "well"),
        a_record(3, said(talk, "alice d2d4 /g1"), "sick"),
    )
    assert again == ["m1", "m3"]
    assert [game.ply for game in talk.world.games.by_id.values()] == [0, 1]
    assert sorted(counted.values()) == [1, 1]
    assert counted["faults"] == 1


def test_of_a_standard_queue_a_failed_record_comes_again_alone(
    talk: Conversation, caplog: pytest.LogCaptureFixture
) -> None:
    talk.line("alice seek; bob seek; carol seek; dave seek")
    orders = [
        json.dumps({"republish": {"game_id": game.id, "changed_at_ms": game.changed_at_ms}})
        for game in talk.world.games.by_id.values()
    ]
    talk.world.games.hook = crash_at("games.load")
    assert handle(*(a_record(at, body) for at, body in enumerate(orders))) == ["m0"]
    assert [line["status"] for line in lines(caplog.records)] == ["failed", "published-again"]


@pytest.mark.parametrize(
    "body",
    [
        MARK,
        "",
        "[" * 200_000,
        '{"event": {}, "received_at_ms": 1}',
        '{"event": null, "received_at_ms": true}',
        '{"received_at_ms": ' + "9" * 5000 + "}",
        json.dumps({"event": {"content": MARK}, "received_at_ms": 1}),
        f'{{"event": {{"id": "{MARK}"}}, "received_at_ms": 1, "republish": {{}}}}',
    ],
)
def test_a_poisoned_record_is_dropped_and_holds_none_up(
    talk: Conversation, caplog: pytest.LogCaptureFixture, body: str
) -> None:
    talk.line("alice seek; bob seek")
    move = said(talk, "white e2e4")
    assert handle(a_record(1, body, "group"), a_record(2, move, "group")) == []
    assert talk.fact("ply") == "1"
    assert MARK not in caplog.text


def test_a_record_is_logged_in_one_line_of_ids_and_reasons(
    talk: Conversation, caplog: pytest.LogCaptureFixture
) -> None:
    talk.line("alice seek; bob seek")
    move, _ = talk.players.event("white e2e4")
    shout = an_event(EVE, 20303, MARK, (("d", MARK), ("p", SERVER.pubkey), ("e", MARK)))
    body = talk.world.body(shout)
    forged = body.replace(EVE.pubkey, SERVER.pubkey)
    handle(*(a_record(at, it) for at, it in enumerate((talk.world.body(move), body, forged))))
    assert lines(caplog.records) == [
        {"status": "played", "event": move.id, "game": talk.games[0]},
        {"status": "unaddressed", "event": shout.id, "game": None},
        {"status": "malformed-wrong_id", "event": "", "game": None},
    ]
    assert MARK not in caplog.text


class Broken:
    """A signer whose key cannot be had, and a publisher that cannot even begin."""

    pubkey = SERVER.pubkey

    def sign(self, *_: object) -> Never:
        raise ConnectionError

    def publish(self, *_: object) -> Never:
        raise RuntimeError("can't start new thread")


def break_port(talk: Conversation, port: str) -> None:
    match port:
        case "signer" | "publisher":
            broken: dict[str, Any] = {port: Broken()}
            talk.world.deps = replace(talk.world.deps, **broken)
        case "republish":
            talk.world.publisher.deaf = talk.world.republish.broken = True
        case _:
            talk.hook(crash_at(port))


OF_GAMES = ("games.load", "games.commit", "games.committed")
OF_LOBBY = ("lobby.player", "lobby.pool", "lobby.commit", "lobby.committed")
OF_BOTH = ("signer", "publisher", "republish")
CASES = [
    *(("alice seek; bob seek", "white e2e4", port, ["state"]) for port in OF_GAMES + OF_BOTH),
    *(("", "eve seek", port, ["eve queued"]) for port in OF_LOBBY + OF_BOTH),
    *(
        ("alice seek", "eve seek", port, ["alice started", "eve started", "state"])
        for port in OF_LOBBY + OF_BOTH
    ),
]


@pytest.mark.parametrize(("before", "text", "port", "told"), CASES)
def test_a_record_stays_in_the_queue_until_it_is_done_once_and_told(
    talk: Conversation,
    caplog: pytest.LogCaptureFixture,
    before: str,
    text: str,
    port: str,
    told: list[str],
) -> None:
    talk.line(before) if before else None
    event, _ = talk.players.event(text)
    record, well = a_record(1, talk.world.body(event), "group"), talk.world.deps
    known = len(talk.world.publisher.taken_events)
    break_port(talk, port)
    assert handle(record, a_record(9, "of another group")) == ["m1"]
    assert {"status": "failed", "record": "m1"}.items() <= lines(caplog.records)[0].items()
    assert SERVER.to_hex() not in caplog.text
    assert event.sig not in caplog.text
    talk.world.deps = well
    talk.world.publisher.deaf = talk.world.republish.broken = False
    assert handle(record) == []
    words = [event_word(talk.players, one) for one in talk.world.publisher.taken_events[known:]]
    assert sorted({*words}) == sorted(told)
    games = talk.world.games.by_id.values()
    assert [(game.ply, len(game.applied_ids)) for game in games] == (
        [(1, 1)] if text == "white e2e4" else [(0, 0)] * bool(before)
    )


@pytest.mark.parametrize(("age_hours", "sent"), [(23, [10002]), (25, [0, 10002, 10050, 31990])])
def test_every_hour_the_arbiter_is_announced_where_that_is_lost_or_of_yesterday(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch, age_hours: int, sent: list[int]
) -> None:
    at = talk.world.clock.ms // 1000 - age_hours * 3600
    with FakeRelay() as relay:
        relay.remembered += [
            event_to_json(SERVER.sign(EventTemplate(kind, (), "", at)))
            for kind in (0, 10050, 31990)
        ]
        monkeypatch.setenv("RELAYS", relay.url)
        monkeypatch.setenv("SERVER_NAME", "Chess")
        app.handler({"announce": "lost"}, None)
        told = [relay.message("EVENT", at + 1)[1]["kind"] for at in range(relay.count("EVENT"))]
        assert told == sent
