"""Marks that must never come out: a stranger's text and the server's secret, through the real
handlers and the real adapters on moto, while all is well and while it is not.
"""

import json
import logging
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import boto3
import pytest
from moto import mock_aws

from arbiter import wiring
from arbiter.adapters import sqs
from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.items.stored_lobby import StoredBrowsers
from arbiter.adapters.json_logging import write_json_lines
from arbiter.adapters.ssm_signer import KeyUnavailable
from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from functions.clock import app as clock
from functions.gateway import app as gateway
from functions.http_api import app as http_api
from functions.process_events import app as process_events
from local.deploy import parameters
from local.moto_cloud import MotoCloud, provision
from local.settings import ROOT, settings_from
from local.template import Template
from tests.application.gateway.relay_world import RelayWorld
from tests.builders import ALICE, BOB, EVE, an_event
from tests.web.browser import an_invocation

KEY = SecretKey.generate(bytes(range(7, 39)))
SECRETS = (KEY.to_hex(), KEY.to_nsec(), str(bytes(range(7, 39))))
MARK = "zzz-never-in-a-log-zzz"
DESKS: tuple[Any, ...] = (wiring.arbiter_deps, wiring.clock_deps, wiring.web_deps, http_api._app)


def _forget() -> None:
    for deps in DESKS:
        deps.cache_clear()


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MotoCloud]:
    """The template's table, queues and key on moto, and the functions' environment. The tests that
    take a part of it away come last.
    """
    settings = settings_from({"RUN_DIR": str(tmp_path_factory.mktemp("run")), "RELAYS": "none"})
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        patch.setattr(AwsClients, "_json", lambda self, name, *_, **__: self._client(name))
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
            patch.setenv(name, "us-east-1")
        template = Template.read(ROOT / "template.yaml")
        made = provision(None, template, parameters(settings, KEY.pubkey), KEY)
        for name, value in made.environment.items():
            patch.setenv(name, value)
        yield made


@pytest.fixture(autouse=True)
def _a_cold_start(cloud: MotoCloud) -> Iterator[None]:
    stored(cloud, KEY.to_hex())
    _forget()
    yield
    _forget()


def stored(cloud: MotoCloud, text: str) -> None:
    """This text is in the place of the key."""
    boto3.client("ssm", "us-east-1").put_parameter(
        Name=cloud.environment["KEY_PARAMETER"], Value=text, Type="SecureString", Overwrite=True
    )


@contextmanager
def logged() -> Iterator[StringIO]:
    """The text that Lambda's own handler would write, byte for byte."""
    root, text = logging.getLogger(), StringIO()
    handlers = root.handlers[:]
    root.handlers[:] = [logging.StreamHandler(text)]
    try:
        yield text
    finally:
        root.handlers[:] = handlers


def lines(text: StringIO) -> list[dict[str, Any]]:
    """Every line, read back; that each is one JSON object without a mark is asserted here."""
    written = text.getvalue()
    assert MARK not in written
    assert not [secret for secret in SECRETS if secret in written]
    read = [json.loads(line) for line in written.splitlines()]
    assert [
        line
        for line in read
        if not (isinstance(line, dict) and line["level"] and line["timestamp"])
    ] == []
    return read


def a_record(number: int, body: str, group: str = "g") -> dict[str, Any]:
    return {"messageId": f"m{number}", "body": body, "attributes": {"MessageGroupId": group}}


def heard(event: VerifiedEvent) -> str:
    now_ms = wiring.clock_deps().clock.now_ms()
    return json.dumps({"event": event_to_json(event), "received_at_ms": now_ms})


def said(key: SecretKey, kind: int, content: str, *tags: tuple[str, ...]) -> VerifiedEvent:
    now = wiring.clock_deps().clock.now_ms() // 1000
    return an_event(key, kind, content, (("p", KEY.pubkey), *tags), now)


def queue_urls(cloud: MotoCloud) -> list[str]:
    """Of every queue there is."""
    return [value for name, value in cloud.stack.outputs.items() if name.endswith("Url")]


def in_queues(cloud: MotoCloud) -> str:
    sqs: Any = boto3.client("sqs", "us-east-1")
    found: list[str] = []
    for url in queue_urls(cloud):
        while got := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            found += [message["Body"] for message in got]
    return "\n".join(found)


def strangers_records() -> list[dict[str, Any]]:
    """Two players, a move, and every way to bring a mark along."""
    bodies = [
        heard(said(ALICE, 20300, "")),
        heard(said(BOB, 20300, "")),
        heard(said(EVE, 20300, MARK, ("time", MARK), (MARK, MARK))),
        heard(said(EVE, 20303, MARK, ("d", MARK), ("e", MARK))),
        heard(said(EVE, 5001, MARK)),
        heard(said(EVE, 20303, "e2e4", ("d", "ab" * 16))).replace("e2e4", MARK),
        MARK,
        json.dumps({"event": {"id": MARK}, "received_at_ms": MARK}),
        json.dumps({"republish": {"game_id": MARK, "changed_at_ms": 1}}),
        json.dumps({"timer": {"game_id": MARK, "ply": 1}, "received_at_ms": 1}),
    ]
    return [a_record(number, body, str(number)) for number, body in enumerate(bodies)]


def test_neither_a_mark_nor_a_key_is_logged_or_queued_when_all_is_well(
    cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqs, "MAX_DELAY_SECONDS", 0)  # so that all of it can be looked at
    with logged() as text:
        answer = process_events.handler({"Records": strangers_records()}, None)
    assert answer == {"batchItemFailures": []}
    statuses = [line["status"] for line in lines(text) if "status" in line]
    assert {"queued", "paired"} <= set(statuses)
    assert len(statuses) >= len(strangers_records())
    queued = in_queues(cloud)
    assert "republish" in queued
    assert MARK not in queued
    assert not [secret for secret in SECRETS if secret in queued]


def _quoting(point: str) -> None:
    raise ValueError(f"{MARK} at {point}: {KEY.to_hex()}")


def test_neither_is_logged_by_the_doors(monkeypatch: pytest.MonkeyPatch) -> None:
    world = RelayWorld()
    monkeypatch.setattr(wiring, "gateway_deps", lambda: world.deps)
    told = {"connectionId": "c", "eventType": "MESSAGE", "identity": {"sourceIp": "192.0.2.7"}}
    mine = {"browser_id": MARK, "user-agent": MARK, "x-forwarded-for": MARK}
    requests = [
        an_invocation("POST", "/new-game", body=json.dumps({"browser_id": MARK}), headers=mine),
        an_invocation("GET", f"/make-move/{MARK}/e4", headers=mine),
        an_invocation("GET", f"/games/{MARK}", headers=mine),
    ]

    with logged() as text:
        gateway.handler({"requestContext": {**told, "eventType": "CONNECT"}}, None)
        for frame in (MARK, json.dumps(["REQ", MARK, {"#d": [MARK]}]), json.dumps(["EVENT", MARK])):
            gateway.handler({"requestContext": told, "body": frame}, None)
        world.connections.hook = _quoting
        gateway.handler({"requestContext": told, "body": json.dumps(["CLOSE", MARK])}, None)
        answers = [http_api.handler(request, object()) for request in requests]
        monkeypatch.setattr(StoredBrowsers, "start", lambda *_: _quoting("start"))
        answers.append(http_api.handler(requests[0], object()))

    assert answers[-1]["statusCode"] == 500
    statuses = [line.get("status") for line in lines(text)]
    assert statuses.count("failed") == 2


def test_a_key_that_is_spoilt_is_shown_by_no_exception_that_leaves_a_handler(
    cloud: MotoCloud,
) -> None:
    spoilt = [KEY.to_hex()[:-1] + "x", KEY.to_nsec()[:-1] + "b", "00" * 32, f"{KEY.to_hex()} x"]
    records = strangers_records()
    for text in spoilt:
        stored(cloud, text)
        with logged() as written, pytest.raises(KeyUnavailable, match="no key in ") as caught:
            process_events.handler({"Records": records}, None)
        lines(written)
        shown = "".join(traceback.format_exception(caught.value))
        assert text not in shown
        assert not [secret for secret in SECRETS if secret in shown]


def test_neither_what_a_function_holds_nor_its_environment_shows_a_key() -> None:
    deps = wiring.arbiter_deps()
    write_json_lines("DEBUG")
    for held in (deps, deps.signer, deps, vars(deps.signer), {**os.environ}):
        shown = f"{held!r} {held!s}"
        assert not [secret for secret in SECRETS if secret in shown]


def _lose_the_table(cloud: MotoCloud) -> None:
    tables, name = boto3.client("dynamodb", "us-east-1"), cloud.environment["TABLE_NAME"]
    tables.update_table(TableName=name, DeletionProtectionEnabled=False)
    tables.delete_table(TableName=name)


def _lose_the_queues(cloud: MotoCloud) -> None:
    for url in queue_urls(cloud):
        boto3.client("sqs", "us-east-1").delete_queue(QueueUrl=url)


def test_neither_is_logged_when_what_we_stand_on_is_gone(cloud: MotoCloud) -> None:
    records, logs = strangers_records(), []
    for lose in (_lose_the_queues, _lose_the_table):
        wiring.arbiter_deps()
        lose(cloud)
        with logged() as text:
            failed = process_events.handler({"Records": records}, None)["batchItemFailures"]
            clock.handler({"Records": [a_record(1, MARK), a_record(2, records[-1]["body"])]}, None)
        failures = [line for line in lines(text) if line.get("status") == "failed"]
        assert len(failures) == len(failed) > 0
        logs += failures
    assert {line["failure"].removesuffix("Batch") for line in logs} == {
        "ResourceNotFoundException in GetItem",
        "AWS.SimpleQueueService.NonExistentQueue in SendMessage",
    }
