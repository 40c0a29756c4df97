"""Metric filters match lines that the code logs; alarms use those metrics."""

import json
import logging
import re
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from arbiter import wiring
from arbiter.adapters.json_logging import JsonLines
from arbiter.adapters.memory.connections import MemoryDayCounters
from arbiter.adapters.relays.listener import Listener
from arbiter.adapters.relays.publisher import RelayPublisher
from arbiter.application.intake.batch import UNPUBLISHED_ATTEMPTS, Processed, Record, publish_later
from arbiter.application.intake.queue_messages import timer_body
from arbiter.application.records import Republish, Timer
from arbiter.application.results import Result
from arbiter.application.spending import Spending
from arbiter.web.app import make_app
from functions.clock import app as clock
from functions.gateway import app as gateway
from functions.house import app as house
from functions.process_events import app as process_events
from tests.adapters.relays.stand_ins import WatchedCounters, WatchedQueue
from tests.adapters.relays.test_sender import NEVER, a_sender, put
from tests.builders import SERVER, an_event
from tests.fakes.clock import FakeClock
from tests.fakes.faults import crash_at
from tests.template.source import named, properties
from tests.web.browser import Site, an_invocation

_OURS = {"Sub": "arbiter/${AWS::StackName}"}
_FILTERS = named("AWS::Logs::MetricFilter")


def _transformation(name: str) -> dict[str, Any]:
    (found,) = properties(name)["MetricTransformations"]
    return dict(found)


def _matches(name: str, line: Mapping[str, Any]) -> bool:
    """Whether CloudWatch would count this line; of its language, the form that is used here."""
    pattern = properties(name)["FilterPattern"].removeprefix("{ ").removesuffix(" }")
    forms = [re.fullmatch(r'\$\.(\w+) = "?([\w-]+)"?', it) for it in pattern.split(" && ")]
    assert all(forms), pattern
    return all(form is not None and str(line.get(form[1])) == form[2] for form in forms)


def _read(line: Mapping[str, Any], selector: str) -> Any:
    assert selector.startswith("$.")
    return line[selector.removeprefix("$.")]


def _a_heartbeat() -> None:
    queue: Any = None
    Listener(relays=(), server_pubkey="11" * 32, event_queue=queue, clock=FakeClock(0)).run(0)


def _a_dead_relay() -> None:
    RelayPublisher(["ws://127.0.0.1:9/"]).publish([an_event(SERVER, 20302)], 0.5)


def _a_failed_record() -> None:
    process_events._log(Processed(Record(id="m", group="g", body=""), failure=ValueError()))


def _a_reply_that_no_relay_takes() -> None:
    again = Republish(game_id="ab" * 16, attempt=UNPUBLISHED_ATTEMPTS)
    result = Result(status="published-again", republish=(again,))
    deps: Any = SimpleNamespace(republish=SimpleNamespace(later=lambda *_: None))
    publish_later(deps, Processed(Record(id="m", group="g", body=""), result))


def _a_timer_that_no_queue_takes() -> None:
    deps: Any = SimpleNamespace(clock=FakeClock(1), moves=SimpleNamespace(send=lambda batch: batch))
    record = {"messageId": "m", "body": timer_body(Timer("ab" * 16, 1, 0))}
    with patch.object(wiring, "clock_deps", lambda: deps):
        clock.handler({"Records": [record]}, None)


def _a_request_that_the_house_fails() -> None:
    with (
        patch.object(wiring, "house_deps", SimpleNamespace),
        patch.object(house, "answer_house_request", side_effect=ValueError),
    ):
        house.handler({"Records": [{"messageId": "m", "body": "{}"}]}, None)


def _an_event_that_no_queue_takes() -> None:
    refused, counted = WatchedQueue(), WatchedCounters()
    refused.refuse = lambda _: True
    with a_sender(refused, counted, retry=NEVER) as sender:
        put(sender, "a")
        counted.reaches("send-failed")


def _a_failed_frame() -> None:
    gateway._log_failure("socket", ValueError())


def _half_of_a_budget() -> None:
    spending = Spending(MemoryDayCounters(), FakeClock(0), {"unit": 10})
    spending.add({"unit": 5})


def _a_failed_request() -> None:
    site = Site()
    site.games.hook = crash_at("games.load")
    make_app(site.deps())(an_invocation("GET", f"/games/{'ab' * 16}"), object())


_LOGGED = [
    ("ListenerDeaf", _a_heartbeat),
    ("Untaken", _a_dead_relay),
    ("Unpublished", _a_reply_that_no_relay_takes),
    ("Faults", _a_failed_record),
    ("Faults", _a_timer_that_no_queue_takes),
    ("HouseFaults", _a_request_that_the_house_fails),
    ("Faults", _an_event_that_no_queue_takes),
    ("Faults", _a_failed_frame),
    ("Faults", _a_failed_request),
    ("HalfSpent", _half_of_a_budget),
]


@pytest.mark.parametrize(("name", "happens"), _LOGGED)
def test_a_filter_counts_one_line_that_the_code_really_writes(
    name: str, happens: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    happens()
    lines: list[dict[str, Any]] = [json.loads(JsonLines().format(it)) for it in caplog.records]
    (line,) = [line for line in lines if _matches(name, line)]
    # All functions have one log, so another filter would count it a second time.
    assert [it for it in _FILTERS if it != "Failures" and _matches(it, line)] == [name]

    value = _transformation(name)["MetricValue"]
    assert value[0].isdigit() or isinstance(_read(line, value), int)
    for dimension in _transformation(name).get("Dimensions", ()):
        assert isinstance(_read(line, dimension["Value"]), str)


def test_every_filter_is_tried_or_reads_what_lambda_itself_writes() -> None:
    assert {"Failures", *(name for name, _ in _LOGGED)} == set(_FILTERS)
    # [ERROR] Runtime.ImportModuleError: …, and … Task timed out after 8.01 seconds
    pattern = '?"[ERROR]" ?"Task timed out" ?"Runtime exited"'
    assert properties("Failures")["FilterPattern"] == pattern
    for name in _FILTERS:
        assert properties(name)["LogGroupName"]["Ref"] in named("AWS::Logs::LogGroup")
        assert _transformation(name)["MetricNamespace"] == _OURS


def test_an_alarm_watches_a_metric_that_is_counted_without_dimensions() -> None:
    ours = [
        it
        for it in map(properties, named("AWS::CloudWatch::Alarm"))
        if it.get("Namespace") == _OURS
    ]
    # With a dimension, there is a metric for each value, and none of them all.
    plain = {
        _transformation(name)["MetricName"]
        for name in _FILTERS
        if "Dimensions" not in _transformation(name)
    }

    assert {alarm["MetricName"] for alarm in ours} == plain
