"""What is watched, for how long it is kept, and whom it tells."""

import logging
from typing import Any

import pytest

from arbiter.adapters.relays.listener import Listener
from tests.template.source import named, properties, template

_FUNCTIONS = named("AWS::Serverless::Function")
_DEAD_LETTERS = [name for name in named("AWS::SQS::Queue") if name.endswith("DeadLetters")]


def _alarms_on(metric: str) -> dict[str, dict[str, Any]]:
    """The alarms on one metric, by the resource they watch."""
    found = {}
    for name in named("AWS::CloudWatch::Alarm"):
        alarm = properties(name)
        if alarm["MetricName"] == metric:
            (dimension,) = alarm["Dimensions"]
            (watched,) = dimension["Value"].values()
            found[watched.removesuffix(".QueueName")] = alarm
    return found


def test_every_dead_letter_queue_rings_at_its_first_record() -> None:
    alarms = _alarms_on("ApproximateNumberOfMessagesVisible")

    assert sorted(alarms) == sorted(_DEAD_LETTERS)
    assert {alarm["Threshold"] for alarm in alarms.values()} == {0}
    assert {alarm["ComparisonOperator"] for alarm in alarms.values()} == {"GreaterThanThreshold"}


def test_every_queue_that_is_worked_off_is_watched_for_waiting() -> None:
    worked_off = set(named("AWS::SQS::Queue")) - set(_DEAD_LETTERS)

    assert set(_alarms_on("ApproximateAgeOfOldestMessage")) == worked_off


def test_every_function_rings_when_it_fails() -> None:
    assert sorted(_alarms_on("Errors")) == sorted(_FUNCTIONS)


@pytest.mark.parametrize("faults", ["GatewayFaults", "HttpApiFaults"])
def test_a_fault_that_is_answered_and_so_is_no_error_rings_too(faults: str) -> None:
    alarm = properties(f"{faults}Alarm")
    (metric,) = properties(faults)["MetricTransformations"]

    assert properties(faults)["LogGroupName"] == {"Ref": faults.replace("Faults", "Log")}
    assert (alarm["Namespace"], alarm["MetricName"]) == (
        metric["MetricNamespace"],
        metric["MetricName"],
    )


def test_silence_of_the_listeners_is_itself_an_alarm() -> None:
    alarm = properties("ListenerSilentAlarm")
    (metric,) = properties("ListenerHeartbeat")["MetricTransformations"]

    assert alarm["TreatMissingData"] == "breaching"
    assert (alarm["Namespace"], alarm["MetricName"]) == (
        metric["MetricNamespace"],
        metric["MetricName"],
    )
    assert properties("ListenerHeartbeat")["LogGroupName"] == {"Ref": "RelayListenerLog"}


class _NoQueue:
    def send(self, *_: Any) -> Any:
        raise AssertionError


class _NoTime:
    def now_ms(self) -> int:
        return 0


def test_a_listener_says_what_the_heartbeat_is_read_from(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wanted = properties("ListenerHeartbeat")["FilterPattern"].strip('"')
    queue: Any = _NoQueue()

    with caplog.at_level(logging.INFO):
        Listener(relays=(), server_pubkey="11" * 32, event_queue=queue, clock=_NoTime()).run(0)

    assert [wanted in line for line in caplog.messages] == [True]


@pytest.mark.parametrize("alarm", named("AWS::CloudWatch::Alarm"))
def test_an_alarm_tells_when_it_rings_and_when_it_is_over(alarm: str) -> None:
    assert properties(alarm)["AlarmActions"] == [{"Ref": "AlarmTopic"}]
    assert properties(alarm)["OKActions"] == [{"Ref": "AlarmTopic"}]
    assert properties(alarm)["AlarmDescription"]


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_a_function_writes_to_a_log_that_is_not_kept_for_ever(function: str) -> None:
    log = properties(function)["LoggingConfig"]["LogGroup"]["Ref"]

    assert properties(log)["RetentionInDays"] == {"Ref": "LogRetentionDays"}


def test_no_log_group_is_kept_for_ever() -> None:
    for name in named("AWS::Logs::LogGroup"):
        assert "RetentionInDays" in properties(name)


def test_two_listeners_are_alive_at_any_moment() -> None:
    listener = properties("RelayListenerFunction")
    (schedule,) = [event["Properties"] for event in listener["Events"].values()]
    every_seconds = 60 * int(schedule["Schedule"].removeprefix("rate(").split()[0])
    lives = template()["Parameters"]["ListenSeconds"]

    assert listener["Environment"]["Variables"]["LISTEN_SECONDS"] == {"Ref": "ListenSeconds"}
    assert lives["Default"] // every_seconds >= 2
    # Who pays for one alone has at least him, and time for the next to take over.
    assert min(lives["AllowedValues"]) >= every_seconds + 30
    # Room to hang up and to send what is still in hand.
    assert max(lives["AllowedValues"]) + 60 < listener["Timeout"] <= 900
    assert schedule["State"] == {"If": ["ListensOnSchedule", "ENABLED", "DISABLED"]}
    assert schedule["RetryPolicy"]["MaximumRetryAttempts"] == 0
    assert listener["EventInvokeConfig"]["MaximumRetryAttempts"] == 0


def test_nothing_listens_on_a_schedule_where_there_are_no_relays() -> None:
    assert template()["Conditions"]["ListensOnSchedule"] == {
        "And": [
            {"Equals": [{"Ref": "ListenerSchedule"}, "ENABLED"]},
            {"Not": [{"Equals": [{"Ref": "Relays"}, ""]}]},
        ]
    }


def test_the_outputs_name_what_is_there() -> None:
    resources = {*template()["Resources"], *template()["Parameters"]}
    for output in template()["Outputs"].values():
        ((how, named_there),) = output["Value"].items()
        if how == "If":  # the person's own address, or what AWS calls it
            assert named_there[0] in template()["Conditions"]
            assert named_there[1]["Ref"] in resources
        else:
            assert named_there.partition(".")[0] in resources
