"""The gateway function as API Gateway calls it: what it returns, tells its sockets, and logs."""

import base64
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Never
from unittest.mock import Mock

import pytest

from arbiter import config, wiring
from arbiter.core.game import WHITE, Outcome, Termination
from arbiter.nostr.event import event_to_json
from functions.gateway import app
from tests.application.gateway.relay_world import RelayWorld
from tests.builders import ALICE, SERVER, a_game, after, an_event
from tests.fakes.faults import Crash, crash_at
from tests.functions.logged import MARK, lines

SOCKET = "L0SM9cOFvHcCIhw="


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> RelayWorld:
    gateway = RelayWorld()
    monkeypatch.setattr(wiring, "gateway_deps", lambda: gateway.deps)
    return gateway


def invoke(event_type: str, context: Mapping[str, Any] | None = None, **more: Any) -> int:
    """As API Gateway calls it; the status code, of a response that holds nothing else: a body would
    be one more way to speak to the client.
    """
    told = {
        "routeKey": "$default",
        "eventType": event_type,
        "connectionId": SOCKET,
        "identity": {"sourceIp": "192.0.2.7", "userAgent": MARK},
        "domainName": "abc.execute-api.eu-west-1.amazonaws.com",
        "stage": "v1",
        **(context or {}),
    }
    response = app.handler({"requestContext": told, "isBase64Encoded": False, **more}, None)
    assert set(response) == {"statusCode"}
    return response["statusCode"]


def say(frame: Any, **context: Any) -> int:
    body = frame if isinstance(frame, str) else json.dumps(frame)
    return invoke("MESSAGE", context, body=body)


def test_a_socket_is_remembered_from_its_opening_to_its_end(gateway: RelayWorld) -> None:
    assert invoke("CONNECT") == 200
    assert gateway.connections.open[SOCKET].address == "192.0.2.7"
    assert invoke("DISCONNECT", disconnectStatusCode=1001, disconnectReason=MARK) == 200
    assert gateway.connections.open == {}


def test_sockets_and_faults_are_counted_for_the_operator(
    gateway: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counter[str]()
    monkeypatch.setattr(wiring, "count", counted.update)
    at = {"connectedAt": 5 * 3_600_000 + 1}
    invoke("CONNECT", at)
    invoke("CONNECT", at)
    invoke("DISCONNECT", at)
    monkeypatch.setattr(app, "answer_frame", Mock(side_effect=OSError))
    assert say(["CLOSE", "s"]) == 500
    assert counted == {"opened_5": 2, "closed_5": 1, "faults": 1}


def test_an_address_that_opens_too_many_is_not_let_in(
    gateway: RelayWorld, caplog: pytest.LogCaptureFixture
) -> None:
    most = gateway.deps.limits.address_connections_per_minute
    for _ in range(most):
        gateway.rates.take("opened:192.0.2.7", most, 60, gateway.world.clock.ms)
    assert (invoke("CONNECT"), gateway.connections.open) == (429, {})
    line = lines(caplog.records)[-1]
    assert (line["status"], line["address"]) == ("refused-rate-limited", "192.0.2.7")


def test_a_frame_without_an_address_is_answered(gateway: RelayWorld) -> None:
    invoke("CONNECT")
    assert say(["CLOSE", "s"], identity={}) == 200


def test_a_line_names_the_game_of_its_event_and_nothing_else_that_a_stranger_wrote(
    gateway: RelayWorld, caplog: pytest.LogCaptureFixture
) -> None:
    invoke("CONNECT")
    for game in ("ab" * 16, MARK):
        tags = (("p", SERVER.pubkey), ("d", game))
        event = an_event(ALICE, 20306, MARK, tags, gateway.world.clock.ms // 1000)
        say(["EVENT", event_to_json(event)])
    named = [line.get("game") for line in lines(caplog.records)[1:]]
    assert named == ["ab" * 16, None]


def test_a_frame_of_bytes_is_read_as_one_of_text_and_one_without_a_body_is_answered(
    gateway: RelayWorld,
) -> None:
    invoke("CONNECT")
    frame = base64.b64encode(json.dumps(["REQ", "sub", {"kinds": [20302]}]).encode()).decode()
    assert invoke("MESSAGE", body=frame, isBase64Encoded=True) == 200
    assert gateway.sockets.heard(SOCKET) == [["EOSE", "sub"]]
    assert (invoke("MESSAGE"), invoke("MESSAGE", body=None)) == (200, 200)
    assert [message[0] for message in gateway.sockets.heard(SOCKET)] == ["NOTICE"] * 2


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_each_invocation_is_one_line_of_ids_and_reasons_and_what_is_queued_has_it_later(
    gateway: RelayWorld,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    level: str,
) -> None:
    monkeypatch.setenv("LOG_LEVEL", level)
    event = an_event(ALICE, 20300, MARK, (("p", SERVER.pubkey),), gateway.world.clock.ms // 1000)
    invoke("CONNECT")
    say(["EVENT", event_to_json(event)])
    assert gateway.sockets.heard(SOCKET) == [["OK", event.id, True, ""]]
    assert json.loads(gateway.queue.waiting[0].body)["event"]["id"] == event.id
    say(["REQ", MARK, {"#d": [MARK]}])
    invoke("DISCONNECT")
    opened, *others = lines(caplog.records)
    assert opened == {"status": "opened", "connection": SOCKET, "address": "192.0.2.7"}
    assert others == [
        {"status": status, "connection": SOCKET, "event": id_}
        for status, id_ in (("queued", event.id), ("subscribed", ""), ("closed", ""))
        if status != "queued" or level == "DEBUG"
    ]
    assert MARK not in caplog.text


@pytest.mark.parametrize("woke_after_ms", [0, 3000])
def test_a_move_counts_from_when_api_gateway_had_it_however_late_the_function_woke(
    gateway: RelayWorld, woke_after_ms: int
) -> None:
    event = an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), gateway.world.clock.ms // 1000)
    invoke("CONNECT")
    received_at_ms = gateway.world.clock.ms - woke_after_ms
    say(["EVENT", event_to_json(event)], requestTimeEpoch=received_at_ms)
    assert json.loads(gateway.queue.waiting[0].body)["received_at_ms"] == received_at_ms


def test_notes_of_long_games_are_bounded_for_an_address_and_short_ones_and_moves_pass(
    gateway: RelayWorld,
) -> None:
    """No process of its own reads here: each REQ holds up a function that players share."""
    over = replace(
        after(a_game(), "Nf3 Nf6 Ng1 Ng8"), outcome=Outcome(Termination.RESIGNATION, WHITE)
    )
    long = [replace(over, id=f"{at:032x}", moves=over.moves * 60) for at in range(25)]
    gateway.world.games.by_id.update({game.id: game for game in (*long, over)})
    limits = gateway.deps.limits
    most = limits.plies_per_ten_seconds // sum(game.ply for game in long)
    wanted = {"kinds": [64], "#d": [game.id for game in long]}
    invoke("CONNECT")
    told = []
    for _ in range(most + 2):
        say(["REQ", "many", wanted])
        told.append(gateway.sockets.heard(SOCKET)[-1][:2])
    assert told == [["EOSE", "many"]] * most + [["CLOSED", "many"]] * 2
    assert gateway.connections.open[SOCKET].subscriptions == frozenset()
    say(["REQ", "one", {"kinds": [64], "#d": [over.id]}])
    assert [message[0] for message in gateway.sockets.heard(SOCKET)] == ["EVENT", "EOSE"]
    event = an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), gateway.world.clock.ms // 1000)
    say(["EVENT", event_to_json(event)])
    assert gateway.sockets.heard(SOCKET)[-1][:3] == ["OK", event.id, True]
    gateway.world.clock.ms += 10_000
    say(["REQ", "many", wanted])
    assert gateway.sockets.heard(SOCKET)[-1] == ["EOSE", "many"]


@pytest.mark.parametrize("point", ["connections.count_frame", "connections.subscribe"])
def test_a_fault_of_ours_is_told_to_the_client_and_to_the_log(
    gateway: RelayWorld, caplog: pytest.LogCaptureFixture, point: str
) -> None:
    invoke("CONNECT")
    gateway.connections.hook = crash_at(point)
    assert say(["REQ", MARK, {"#d": [MARK]}]) == 500
    (answer,) = gateway.sockets.heard(SOCKET)
    assert answer[:2] == ["CLOSED", MARK]
    assert answer[2].startswith("error: ")
    line = lines(caplog.records)[-1]
    assert any("handler.py" in place for place in line.pop("where"))
    assert line == {"status": "failed", "connection": SOCKET, "event": "", "failure": "Crash"}
    assert MARK not in caplog.text


@pytest.mark.parametrize("failure", [config.Misconfigured, Crash, KeyError])
def test_a_fault_that_quotes_the_client_is_logged_by_its_name_alone(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    failure: type[Exception],
) -> None:
    def fail() -> Never:
        raise failure(MARK)

    monkeypatch.setattr(wiring, "gateway_deps", fail)
    types = ("CONNECT", "MESSAGE", "DISCONNECT")
    assert [invoke(event_type, body="[]") for event_type in types] == [500] * 3
    assert [line["failure"] for line in lines(caplog.records)] == [failure.__name__] * 3
    assert MARK not in caplog.text
