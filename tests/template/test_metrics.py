"""Metric filters match lines that the code logs; alarms and the dashboard use those metrics."""

import json
import logging
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from botocore.exceptions import ClientError

from arbiter import wiring
from arbiter.adapters.dynamodb.games import DynamoDbGames
from arbiter.adapters.json_logging import JsonLines
from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.listener import Listener
from arbiter.adapters.relays.loopback_probe import LoopbackPacing
from arbiter.adapters.relays.protocol import Pacing
from arbiter.adapters.relays.publisher import RelayPublisher
from arbiter.application.process_batch import (
    UNPUBLISHED_ATTEMPTS,
    Processed,
    Record,
    publish_later,
)
from arbiter.application.queue_messages import Republish, Timer, timer_body
from arbiter.application.results import Result
from arbiter.web.app import make_app
from functions.clock import app as clock
from functions.gateway import app as gateway
from functions.house import app as house
from functions.process_events import app as process_events
from tests.adapters.relays.stand_ins import WatchedCounters, WatchedQueue
from tests.adapters.relays.test_sender import NEVER, a_sender, put
from tests.adapters.relays.watched_listener import AT_ONCE, listening
from tests.builders import SERVER, a_game, after, an_event
from tests.fakes.clock import FakeClock
from tests.fakes.faults import crash_at
from tests.fakes.relay import FakeRelay
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


class _NewerTable:
    def update_item(self, **_: Any) -> Any:
        raise ClientError({"Error": {"Code": "ConditionalCheckFailedException"}}, "UpdateItem")


def _a_heartbeat() -> None:
    queue: Any = None
    Listener(relays=(), server_pubkey="11" * 32, event_queue=queue, clock=FakeClock(0)).run(0)


def _a_conflict() -> None:
    table: Any = _NewerTable()
    DynamoDbGames(lambda: table, "games").commit(a_game(), after(a_game(), "e4"))


def _a_dead_relay() -> None:
    RelayPublisher(["ws://127.0.0.1:9/"]).publish([an_event(SERVER, 20302)], 0.5)


def _a_lost_canary() -> None:
    never = Backoff(first_seconds=1e6, longest_seconds=1e6)
    canary = LoopbackPacing(silence=AT_ONCE, after_loss=never, back_within_seconds=0.01)
    with (
        FakeRelay(on_event=lambda *_: None) as relay,
        listening(relay, pacing=Pacing(probe=canary)) as watched,
    ):
        watched.counters.reaches("canary-lost")


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


def _a_failed_request() -> None:
    site = Site()
    site.games.hook = crash_at("games.load")
    make_app(site.deps())(an_invocation("GET", f"/games/{'ab' * 16}"), object())


_LOGGED = {
    "ListenerHeartbeat": _a_heartbeat,
    "ListenerDeaf": _a_heartbeat,
    "CanariesLost": _a_lost_canary,
    "Conflicts": _a_conflict,
    "Untaken": _a_dead_relay,
    "UntakenByRelay": _a_dead_relay,
    "Unpublished": _a_reply_that_no_relay_takes,
    "RecordFaults": _a_failed_record,
    "ClockFaults": _a_timer_that_no_queue_takes,
    "HouseFaults": _a_request_that_the_house_fails,
    "RelayListenerFaults": _an_event_that_no_queue_takes,
    "GatewayFaults": _a_failed_frame,
    "HttpApiFaults": _a_failed_request,
}
_COLD_STARTS = {"ColdStarts", "GatewayColdStarts", "HttpApiColdStarts"}
_FAILURES = {name for name in _FILTERS if name.endswith("Failures")}


def _line_of(name: str, caplog: pytest.LogCaptureFixture) -> dict[str, Any]:
    """The one line that the code writes and that this metric is counted by."""
    caplog.set_level(logging.INFO)
    _LOGGED[name]()
    lines: list[dict[str, Any]] = [json.loads(JsonLines().format(it)) for it in caplog.records]
    (line,) = [line for line in lines if _matches(name, line)]
    return line


@pytest.mark.parametrize("name", _LOGGED)
def test_a_filter_counts_one_line_that_the_code_really_writes(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    line = _line_of(name, caplog)

    value = _transformation(name)["MetricValue"]
    assert value[0].isdigit() or isinstance(_read(line, value), int)
    for dimension in _transformation(name).get("Dimensions", ()):
        assert isinstance(_read(line, dimension["Value"]), str)


def test_every_filter_is_tried_or_reads_what_lambda_itself_writes() -> None:
    assert {*_LOGGED, *_COLD_STARTS, *_FAILURES} == set(_FILTERS)
    for name in _COLD_STARTS:
        # REPORT RequestId: … Duration: … Max Memory Used: … MB	Init Duration: 152.61 ms
        assert properties(name)["FilterPattern"] == '"Init Duration:"'
    for name in _FAILURES:
        # [ERROR] Runtime.ImportModuleError: …, and … Task timed out after 8.01 seconds
        pattern = '?"[ERROR]" ?"Task timed out" ?"Runtime exited"'
        assert properties(name)["FilterPattern"] == pattern
    for name in _FILTERS:
        assert properties(name)["LogGroupName"]["Ref"] in named("AWS::Logs::LogGroup")
        assert _transformation(name)["MetricNamespace"] == _OURS


def test_an_alarm_watches_a_metric_that_is_counted_without_dimensions() -> None:
    ours = [
        it for it in map(properties, named("AWS::CloudWatch::Alarm")) if it["Namespace"] == _OURS
    ]
    # With a dimension, there is a metric for each value, and none of them all.
    plain = {
        _transformation(name)["MetricName"]
        for name in _FILTERS
        if "Dimensions" not in _transformation(name)
    }

    assert {alarm["MetricName"] for alarm in ours} <= plain
    # These are for the dashboard alone.
    assert plain - {alarm["MetricName"] for alarm in ours} == {
        "ColdStarts",
        "Conflicts",
        "RelaysHeard",
    }


def _widgets() -> list[dict[str, Any]]:
    body = json.loads(properties("Overview")["DashboardBody"]["Sub"])
    return [dict(widget["properties"]) for widget in body["widgets"]]


def _shown() -> set[tuple[str, str, str]]:
    """Namespace, metric and resource of every line of the dashboard."""
    # A queue that may be absent is shown by its name, since a Ref to nothing is an error.
    by_name = {properties(it)["QueueName"]["Sub"]: it for it in named("AWS::SQS::Queue")}
    found = set()
    for metric in (metric for widget in _widgets() for metric in widget.get("metrics", ())):
        words = [word for word in metric if isinstance(word, str)]
        if words:
            whose = words[3] if len(words) > 2 else ""
            whose = by_name.get(whose) or re.sub(r"[${}]|\.QueueName", "", whose)
            found.add((words[0], words[1], whose))
    return found


def test_the_dashboard_shows_every_metric_with_an_alarm_and_none_that_is_not_counted() -> None:
    watched = set()
    for alarm in map(properties, named("AWS::CloudWatch::Alarm")):
        namespace, whose = alarm["Namespace"], ""
        for dimension in alarm.get("Dimensions", ()):
            (value,) = dimension["Value"].values()
            whose = value.removesuffix(".QueueName")
        name = namespace["Sub"] if isinstance(namespace, dict) else namespace
        watched.add((name, alarm["MetricName"], whose))
    counted = {_transformation(name)["MetricName"] for name in _FILTERS}
    resources = {*named("AWS::SQS::Queue"), *named("AWS::Serverless::Function")}

    # The sum over relays is shown relay by relay.
    assert watched - _shown() == {(_OURS["Sub"], "Untaken", "")}
    for namespace, metric, whose in _shown():
        assert metric in counted if namespace == _OURS["Sub"] else whose in {*resources, ""}
