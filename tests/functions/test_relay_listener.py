"""The listener as it is deployed: its handler, and its process with real signals."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from moto.server import ThreadedMotoServer

from arbiter.adapters.aws_clients import AwsClients
from functions.relay_listener import app
from tests.adapters.relays.stand_ins import a_move, a_seek, json_of
from tests.builders import SERVER
from tests.fakes.relay import FakeRelay

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Context:
    """Lambda's context."""

    left_seconds: float

    def get_remaining_time_in_millis(self) -> int:
        return round(self.left_seconds * 1000)


class Queues:
    """The two queues, on a moto server."""

    def __init__(self, endpoint: str) -> None:
        self.environment = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "SERVER_PUBKEY": SERVER.pubkey,
            # There is none, so whatever is noted there fails, and costs no event.
            "TABLE_NAME": "arbiter",
        }
        self._sqs = AwsClients(
            {
                "endpoint_url": endpoint,
                "region_name": "us-east-1",
                "aws_access_key_id": "test",
                "aws_secret_access_key": "test",
            }
        ).sqs()
        for name in ("MOVES", "SEEKS"):
            self.environment[f"{name}_QUEUE_URL"] = self._sqs.create_queue(
                QueueName=f"{name.lower()}.fifo", Attributes={"FifoQueue": "true"}
            )["QueueUrl"]

    def next_event(self, name: str) -> Any:
        """The event at the head of the queue; waits for one as SQS does."""
        url = self.environment[f"{name}_QUEUE_URL"]
        for _ in range(20):
            answer = self._sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1)
            for message in answer.get("Messages", []):
                self._sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
                return json.loads(message["Body"])["event"]
        pytest.fail(f"nothing came into {name}")


@pytest.fixture(scope="module")
def queues() -> Iterator[Queues]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        yield Queues("http://{}:{}".format(*server.get_host_and_port()))
    finally:
        server.stop()


@pytest.fixture
def relay() -> Iterator[FakeRelay]:
    with FakeRelay() as relay:
        yield relay


@pytest.fixture
def environment(queues: Queues, relay: FakeRelay, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in queues.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RELAYS", relay.url)


@pytest.mark.slow
@pytest.mark.usefixtures("environment")
def test_an_invocation_listens_and_passes_on_until_its_time_is_over(
    queues: Queues, relay: FakeRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LISTEN_SECONDS", "2.5")
    move, seek = a_move("handler"), a_seek(content="handler")
    relay.remembered += [json_of(move), json_of(seek)]
    counts = app.handler({}, Context(left_seconds=900))
    assert queues.next_event("MOVES") == json_of(move)
    assert queues.next_event("SEEKS") == json_of(seek)
    assert counts["sent"] == 2
    assert json.dumps(counts)


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("left_seconds", [20.1, 20.0, 3.0])
def test_an_invocation_ends_before_lambda_would_end_it(
    left_seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LISTEN_SECONDS", "690")
    ended = threading.Event()

    def invoke() -> None:
        app.handler({}, Context(left_seconds))
        ended.set()

    threading.Thread(target=invoke, daemon=True).start()
    assert ended.wait(PATIENCE_SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_listens_until_it_is_told_to_stop_and_loses_nothing(
    number: signal.Signals, queues: Queues, relay: FakeRelay
) -> None:
    environment = {
        **queues.environment,
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "layers/arbiter/python")]),
        "RELAYS": f" {relay.url} ,",
    }
    command = [sys.executable, "-m", "functions.relay_listener.app"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            relay.message("REQ")
            first, last = a_move(f"first {number}"), a_move(f"last {number}")
            relay.broadcast(json_of(first))
            assert queues.next_event("MOVES") == json_of(first)
            relay.broadcast(json_of(last))
            assert queues.next_event("MOVES") == json_of(last)
            process.send_signal(number)
            _, log = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 0, log
    told = [json.loads(line) for line in log.splitlines()]
    assert told[-1]["status"] == "heartbeat"
    assert told[-1]["waiting"] == 0
    assert told[-1]["counts"]["sent"] == 2
    assert [line for line in told if "failure" in line] == []
