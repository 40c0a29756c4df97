"""The arbiter function as Lambda calls it: batches in, ids of what must come again out, and what
it logs.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Never

import pytest

from arbiter import wiring
from arbiter.core.terms import PLAIN
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from functions.process_events import app
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, SERVER, a_key, an_event
from tests.fakes.faults import crash_at
from tests.functions.logged import lines

CAROL, DAVE = a_key("carol"), a_key("dave")
MARK = "zzz-never-in-a-log-zzz"


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    monkeypatch.setattr(wiring, "arbiter_deps", lambda: world.deps)
    return world


def a_record(number: int, body: str, group: str | None = None) -> dict[str, Any]:
    """As SQS hands it to Lambda; a standard queue has no groups."""
    attributes = {"ApproximateReceiveCount": "1"}
    if group is not None:
        attributes["MessageGroupId"] = group
    return {"messageId": f"m{number}", "body": body, "attributes": attributes}


def handle(*records: dict[str, Any]) -> list[str]:
    """The ids that are to be delivered again, out of a response of the very shape Lambda reads."""
    response = app.handler({"Records": list(records)}, None)
    assert set(response) == {"batchItemFailures"}
    assert [item for item in response["batchItemFailures"] if set(item) != {"itemIdentifier"}] == []
    assert json.loads(json.dumps(response)) == response
    return [item["itemIdentifier"] for item in response["batchItemFailures"]]


def a_request(world: World) -> str:
    return world.body(an_event(EVE, 20300, "", (("p", SERVER.pubkey),), world.clock.ms // 1000))


@pytest.mark.parametrize("invocation", [{}, {"Records": []}])
def test_a_batch_without_records_fails_nothing(world: World, invocation: dict[str, Any]) -> None:
    assert app.handler(invocation, None) == {"batchItemFailures": []}


def test_of_a_fifo_queue_a_failed_record_and_those_behind_it_come_again(world: World) -> None:
    sick, well = world.start(ALICE, BOB), world.start(CAROL, DAVE)
    world.games.hook = crash_at("games.load")
    again = handle(
        a_record(1, world.body(sick.move_event("e2e4")), "sick"),
        a_record(2, world.body(well.move_event("e2e4")), "well"),
        a_record(3, world.body(sick.move_event("d2d4")), "sick"),
    )
    assert again == ["m1", "m3"]
    assert (world.game(sick.game_id).ply, world.game(well.game_id).ply) == (0, 1)


def test_of_a_standard_queue_a_failed_record_comes_again_alone(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.start(ALICE, BOB)
    world.start(CAROL, DAVE)
    orders = [
        json.dumps({"republish": {"game_id": game.id, "changed_at_ms": game.changed_at_ms}})
        for game in world.games.standing.values()
    ]
    world.games.hook = crash_at("games.load")
    assert handle(*(a_record(at, body) for at, body in enumerate(orders))) == ["m0"]
    assert [line["status"] for line in lines(caplog.records)] == ["failed", "said-again"]


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
def test_a_poisoned_record_is_dropped_and_holds_nobody_up(
    world: World, caplog: pytest.LogCaptureFixture, body: str
) -> None:
    table = world.start(ALICE, BOB)
    move = world.body(table.move_event("e2e4"))
    assert handle(a_record(1, body, "group"), a_record(2, move, "group")) == []
    assert world.game(table.game_id).ply == 1
    assert MARK not in caplog.text


def test_a_record_is_logged_in_one_line_of_ids_and_reasons(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    table = world.start(ALICE, BOB)
    move = table.move_event("e2e4")
    shout = an_event(EVE, 20303, MARK, (("d", MARK), ("p", SERVER.pubkey), ("e", MARK)))
    forged = world.body(shout).replace(EVE.pubkey, BOB.pubkey)
    handle(a_record(1, world.body(move)), a_record(2, world.body(shout)), a_record(3, forged))
    assert lines(caplog.records) == [
        {"status": "played", "event": move.id, "game": table.game_id},
        {"status": "unaddressed", "event": shout.id, "game": None},
        {"status": "malformed-wrong_id", "event": "", "game": None},
    ]
    assert MARK not in caplog.text


class NoKey:
    """A signer whose key cannot be had."""

    pubkey = SERVER.pubkey

    def sign(self, template: EventTemplate) -> Never:
        raise ConnectionError


class NoThreads:
    """A publisher that cannot even begin."""

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> Never:
        raise RuntimeError("can't start new thread")


def broken(world: World, port: str) -> None:
    """Make one port of this world raise."""
    match port:
        case "signer":
            world.deps = replace(world.deps, signer=NoKey())
        case "publisher":
            world.deps = replace(world.deps, publisher=NoThreads())
        case "republish":
            world.publisher.deaf = world.republish.broken = True
        case _:
            world.games.hook = world.lobby.hook = crash_at(port)


PORTS_OF_A_MOVE = ["games.load", "games.commit", "games.committed"]
PORTS_OF_A_REQUEST = ["lobby.player", "lobby.pool", "lobby.commit", "lobby.committed"]
PORTS_OF_BOTH = ["signer", "publisher", "republish"]


@pytest.mark.parametrize("port", PORTS_OF_A_MOVE + PORTS_OF_BOTH)
def test_a_move_stays_in_the_queue_until_it_is_played_and_told(
    world: World, caplog: pytest.LogCaptureFixture, port: str
) -> None:
    table = world.start(ALICE, BOB)
    move = table.move_event("e2e4")
    bystander = a_record(9, "not of that game")
    sound = world.deps
    broken(world, port)
    assert handle(a_record(1, world.body(move), "game"), bystander) == ["m1"]
    assert {"status": "failed", "record": "m1"}.items() <= lines(caplog.records)[0].items()
    assert SERVER.to_hex() not in caplog.text
    assert move.sig not in caplog.text
    mended(world, sound)
    assert handle(a_record(1, world.body(move), "game")) == []
    assert world.game(table.game_id).ply == 1
    assert ("moves", "e2e4") in world.publisher.taken_events[-1].tags


@pytest.mark.parametrize("port", PORTS_OF_A_REQUEST + PORTS_OF_BOTH)
def test_a_request_stays_in_the_queue_until_its_author_waits_and_knows(
    world: World, port: str
) -> None:
    request = a_request(world)
    sound = world.deps
    broken(world, port)
    assert handle(a_record(1, request, "pool")) == ["m1"]
    mended(world, sound)
    assert handle(a_record(1, request, "pool")) == []
    (waiting,) = world.lobby.pool(PLAIN.pool).waiting
    assert waiting.seat.player == EVE.pubkey
    assert [event.content for event in world.publisher.taken_events] == ["queued"]


@pytest.mark.parametrize("port", PORTS_OF_A_REQUEST + PORTS_OF_BOTH)
def test_a_pairing_that_failed_anywhere_makes_one_game_and_tells_both(
    world: World, port: str
) -> None:
    world.ask(ALICE)
    request = a_request(world)
    sound = world.deps
    broken(world, port)
    assert handle(a_record(1, request, "pool")) == ["m1"]
    mended(world, sound)
    assert handle(a_record(1, request, "pool")) == []
    (game,) = world.games.standing.values()
    started = [event for event in world.publisher.taken_events if event.kind == 20301][-2:]
    assert {event.tags[0][1] for event in started} == {ALICE.pubkey, EVE.pubkey}
    assert [event for event in started if not event.content.startswith(f"started:{game.id}:")] == []
    keys = {key.pubkey: key for key in (ALICE, EVE)}
    state = world.publisher.taken_events[-1]
    assert Table(world, state, keys).say("e2e4")[0].kind == 20302


def mended(world: World, deps: Any) -> None:
    world.deps = deps
    world.publisher.deaf = world.republish.broken = False


def test_the_operator_chooses_what_is_logged(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("LOG_LEVEL", "ERROR")
    world.games.hook = crash_at("games.load")
    lost = world.body(an_event(EVE, 20303, "e2e4", (("d", "a" * 32), ("p", SERVER.pubkey))))
    handle(a_record(1, a_request(world)), a_record(2, lost))
    assert [line["status"] for line in lines(caplog.records)] == ["failed"]
