"""The clock function as Lambda calls it, on moto's queues: batches in, ids of what must come again
out, nudges in the moves of their games.
"""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from moto.server import ThreadedMotoServer

from arbiter import wiring
from arbiter.adapters.aws_clients import AwsClients
from arbiter.application.queue_messages import Timer, TimerFired, parse, timer_body
from arbiter.application.routing import timers_group
from arbiter.application.timers import ClockDeps
from functions.clock import app
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.fakes.faults import crash_at
from tests.fakes.queue import FakeEventQueue
from tests.fakes.timers import FakeTimers
from tests.functions.logged import lines

GAME = "0123456789abcdef0123456789abcdef"


class Queues:
    """A clock queue and a moves queue, where the environment says they are."""

    def __init__(self, endpoint: str, patch: pytest.MonkeyPatch) -> None:
        for name, value in {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }.items():
            patch.setenv(name, value)
        self._sqs = AwsClients().sqs()
        self.moves = self._sqs.create_queue(
            QueueName="moves.fifo", Attributes={"FifoQueue": "true"}
        )["QueueUrl"]
        self.clock = self._sqs.create_queue(QueueName="clock")["QueueUrl"]
        patch.setenv("MOVES_QUEUE_URL", self.moves)
        patch.setenv("CLOCK_QUEUE_URL", self.clock)

    def arrived(self) -> list[dict[str, Any]]:
        """What came into the moves since this was last asked."""
        answer = self._sqs.receive_message(
            QueueUrl=self.moves, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"]
        )
        messages = answer.get("Messages", [])
        for message in messages:
            self._sqs.delete_message(QueueUrl=self.moves, ReceiptHandle=message["ReceiptHandle"])
        return [dict(message) for message in messages]

    def held_back(self) -> int:
        """How many nudges wait for their delay to be over."""
        found = self._sqs.get_queue_attributes(QueueUrl=self.clock, AttributeNames=["All"])
        return int(found["Attributes"]["ApproximateNumberOfMessagesDelayed"])


@pytest.fixture(scope="module")
def made() -> Iterator[Queues]:
    """Made once, since each further session of botocore costs half a second."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    forget = wiring.clock_deps.cache_clear
    forget()
    with pytest.MonkeyPatch.context() as patch:
        yield Queues("http://{}:{}".format(*server.get_host_and_port()), patch)
    forget()
    server.stop()


@pytest.fixture
def queues(made: Queues) -> Queues:
    made.arrived()
    return made


def handle(*bodies: str) -> list[str]:
    """The ids that are to be delivered again, out of a response of the very shape Lambda reads."""
    records = [{"messageId": f"m{at}", "body": body} for at, body in enumerate(bodies)]
    response = app.handler({"Records": records}, None)
    assert set(response) == {"batchItemFailures"}
    assert [item for item in response["batchItemFailures"] if set(item) != {"itemIdentifier"}] == []
    assert json.loads(json.dumps(response)) == response
    return [item["itemIdentifier"] for item in response["batchItemFailures"]]


def test_a_nudge_whose_time_has_come_joins_the_moves_of_its_game(queues: Queues) -> None:
    before_ms = wiring.clock_deps().clock.now_ms()
    assert handle(timer_body(Timer(GAME, 7, before_ms - 1))) == []
    (message,) = queues.arrived()
    nudged = parse(message["Body"])
    assert isinstance(nudged, TimerFired)
    assert (nudged.game_id, nudged.ply) == (GAME, 7)
    assert before_ms <= nudged.received_at_ms <= wiring.clock_deps().clock.now_ms()
    assert message["Attributes"]["MessageGroupId"] == timers_group(GAME)


def test_an_early_nudge_goes_back_and_is_held_back(queues: Queues) -> None:
    now_ms = wiring.clock_deps().clock.now_ms()
    before = queues.held_back()
    assert handle(timer_body(Timer(GAME, 7, now_ms + 3_600_000))) == []
    assert queues.arrived() == []
    assert queues.held_back() == before + 1


def test_a_batch_is_counted_in_one_line_and_holds_no_bytes_of_a_stranger(
    queues: Queues, caplog: pytest.LogCaptureFixture
) -> None:
    mark = "zzz-never-in-a-log-zzz"
    soon_ms = wiring.clock_deps().clock.now_ms() + 60_000
    caplog.set_level(logging.INFO)
    assert (
        handle(
            mark,
            json.dumps({"nudge": mark}),
            timer_body(Timer(GAME, 1, 1)),
            timer_body(Timer(GAME, 2, soon_ms)),
        )
        == []
    )
    assert lines(caplog.records) == [{"nudges": {"malformed": 2, "passed-on": 1, "early": 1}}]
    assert mark not in caplog.text


def test_what_neither_queue_took_comes_again_alone(
    queues: Queues, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost, early, late = Timer(GAME, 1, NOW_MS), Timer(GAME, 2, NOW_MS + 1), Timer("f" * 32, 3, 1)
    deps = ClockDeps(
        clock=FakeClock(NOW_MS),
        timers=FakeTimers(crash_at("timers.set")),
        moves=FakeEventQueue(crash_at(f"queue.entry {lost.name}")),
    )
    monkeypatch.setattr(wiring, "clock_deps", lambda: deps)
    assert handle("{", *map(timer_body, (lost, early, early, late))) == ["m1", "m2"]


@pytest.mark.parametrize("invocation", [{}, {"Records": []}])
def test_a_batch_without_records_fails_nothing_and_has_nothing_to_say(
    queues: Queues, invocation: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    assert app.handler(invocation, None) == {"batchItemFailures": []}
    assert [record for record in caplog.records if record.name == "arbiter"] == []


@pytest.mark.parametrize(("level", "said"), [("INFO", 1), ("WARNING", 0)])
def test_the_operator_chooses_what_is_logged(
    queues: Queues,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    level: str,
    said: int,
) -> None:
    monkeypatch.setenv("LOG_LEVEL", level)
    assert handle("{") == []
    assert len([record for record in caplog.records if record.name == "arbiter"]) == said


def test_a_nudge_delivered_twice_joins_the_moves_once(queues: Queues) -> None:
    body = timer_body(Timer(GAME, 7, 1))
    assert handle(body, body) == []
    assert handle(body) == []  # later, and so with another time of receipt
    found = [parse(message["Body"]) for message in queues.arrived()]
    assert [type(nudged) for nudged in found] == [TimerFired]
