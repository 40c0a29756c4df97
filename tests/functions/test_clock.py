"""The clock function as Lambda calls it: batches in, ids of what must come again out, timers among
the moves of their games.
"""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from arbiter import wiring
from arbiter.application.intake.due_timers import ClockDeps
from arbiter.application.intake.queue_messages import parse, timer_body
from arbiter.application.intake.routing import timers_group
from arbiter.application.records import Timer, TimerFired
from functions.clock import app
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.fakes.faults import crash_at
from tests.fakes.queue import FakeEventQueue
from tests.fakes.timers import FakeTimers
from tests.functions.logged import MARK, failed_ids, lines

GAME = "0123456789abcdef0123456789abcdef"


def handle(*bodies: str) -> list[str]:
    records = [{"messageId": f"m{at}", "body": body} for at, body in enumerate(bodies)]
    return failed_ids(app.handler({"Records": records}, None))


@pytest.fixture
def arrived(
    monkeypatch: pytest.MonkeyPatch, by_botocore: None
) -> Iterator[Callable[[], list[Any]]]:
    """The arrivals among the moves, where queues are moto's and the environment says where."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "us-east-1")
    with mock_aws():
        sqs: Any = boto3.client("sqs", "us-east-1")
        moves = sqs.create_queue(QueueName="moves.fifo", Attributes={"FifoQueue": "true"})
        monkeypatch.setenv("MOVES_QUEUE_URL", moves["QueueUrl"])
        monkeypatch.setenv("CLOCK_QUEUE_URL", sqs.create_queue(QueueName="clock")["QueueUrl"])
        wiring.clock_deps.cache_clear()
        more = {"MaxNumberOfMessages": 10, "MessageSystemAttributeNames": ["All"]}
        yield lambda: sqs.receive_message(QueueUrl=moves["QueueUrl"], **more).get("Messages", [])
    wiring.clock_deps.cache_clear()


def test_a_timer_whose_time_has_come_joins_the_moves_of_its_game_once(
    arrived: Callable[[], list[Any]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    before_ms = wiring.clock_deps().clock.now_ms()
    due, early = Timer(GAME, 7, before_ms - 1), Timer(GAME, 8, before_ms + 3_600_000)
    bodies = [*map(timer_body, (due, due, early)), MARK, json.dumps({"timer": MARK})]
    assert handle(*bodies) == []
    assert handle(timer_body(due)) == []  # later, and so with another time of receipt
    (message,) = arrived()
    fired = parse(message["Body"])
    assert isinstance(fired, TimerFired)
    assert (fired.game_id, fired.ply) == (GAME, 7)
    assert before_ms <= fired.received_at_ms <= wiring.clock_deps().clock.now_ms()
    assert message["Attributes"]["MessageGroupId"] == timers_group(GAME)
    counted = {"timers": {"passed-on": 2, "early": 1, "malformed": 2}, "game": GAME}
    assert lines(caplog.records) == [counted, {"timers": {"passed-on": 1}, "game": GAME}]
    assert MARK not in caplog.text


@pytest.fixture
def deps(monkeypatch: pytest.MonkeyPatch) -> ClockDeps:
    lost = Timer(GAME, 1, NOW_MS)
    deps = ClockDeps(
        clock=FakeClock(NOW_MS),
        timers=FakeTimers(crash_at("timers.set")),
        moves=FakeEventQueue(crash_at(f"queue.entry {lost.name}")),
    )
    monkeypatch.setattr(wiring, "clock_deps", lambda: deps)
    return deps


def test_what_neither_queue_took_comes_again_alone(deps: ClockDeps) -> None:
    lost, early, late = Timer(GAME, 1, NOW_MS), Timer(GAME, 2, NOW_MS + 1), Timer("f" * 32, 3, 1)
    assert handle("{", *map(timer_body, (lost, early, early, late))) == ["m1", "m2"]


@pytest.mark.parametrize("invocation", [{}, {"Records": []}])
def test_a_batch_without_records_fails_nothing_and_has_nothing_to_say(
    deps: ClockDeps, invocation: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    assert app.handler(invocation, None) == {"batchItemFailures": []}
    assert lines(caplog.records) == []
