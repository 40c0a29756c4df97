"""Every alarm watches something that is counted and tells the operator; the listeners overlap."""

from typing import Any

import pytest

from deploy.redrive import ways
from deploy.stack import Stack
from tests.template.source import named, properties, template

# A nudge holds nothing that could be lost, and an opponent without an answer looks for another.
_HOUSE = ("HouseQueue", "HouseFunction")
_FUNCTIONS = named("AWS::Serverless::Function")
_DEAD_LETTERS = [name for name in named("AWS::SQS::Queue") if name.endswith("DeadLetters")]
_LIVE = [name for name in named("AWS::SQS::Queue") if name not in _DEAD_LETTERS]


def _alarms_on(metric: str) -> dict[str, dict[str, Any]]:
    """The alarms on one metric, by the resource they watch."""
    found = {}
    for alarm in map(properties, named("AWS::CloudWatch::Alarm")):
        if alarm["MetricName"] == metric:
            ((watched,),) = (it["Value"].values() for it in alarm["Dimensions"])
            found[watched.removesuffix(".QueueName")] = alarm
    return found


@pytest.mark.parametrize(
    ("metric", "watched"),
    [
        ("ApproximateNumberOfMessagesVisible", _DEAD_LETTERS),
        ("ApproximateAgeOfOldestMessage", _LIVE),
        ("Errors", _FUNCTIONS),
    ],
)
def test_dead_letters_waiting_records_and_failing_functions_raise_an_alarm(
    metric: str, watched: list[str]
) -> None:
    assert sorted(_alarms_on(metric)) == sorted(name for name in watched if name not in _HOUSE)


def test_the_first_dead_letter_raises_the_alarm() -> None:
    alarms = _alarms_on("ApproximateNumberOfMessagesVisible").values()

    assert {(it["Threshold"], it["ComparisonOperator"]) for it in alarms} == {
        (0, "GreaterThanThreshold")
    }


def test_every_dead_letter_can_be_redriven_and_is_counted_by_the_health_check() -> None:
    outputs = template()["Outputs"]
    stack_ways = ways(Stack({}, {name: name for name in outputs}))
    pairs = {
        outputs[way.dead_url]["Value"]["Ref"]: outputs[way.queue_url]["Value"]["Ref"]
        for way in stack_ways
    }

    assert set(pairs) == set(_DEAD_LETTERS)
    for dead, queue in pairs.items():
        assert properties(queue)["RedrivePolicy"]["deadLetterTargetArn"] == {
            "GetAtt": f"{dead}.Arn"
        }
    given = properties("HttpApiFunction")["Environment"]["Variables"]["DEAD_LETTER_QUEUE_URLS"]
    counted = [it["If"][1]["Ref"] if "If" in it else it["Ref"] for it in given["Join"][1]]
    assert counted == _DEAD_LETTERS


def test_silent_listeners_raise_an_alarm() -> None:
    alarm = properties("ListenerSilentAlarm")

    assert alarm["TreatMissingData"] == "breaching"
    # The best of them: a listener that a relay just disconnected reports none.
    assert (alarm["Statistic"], alarm["ComparisonOperator"]) == ("Maximum", "LessThanThreshold")
    assert alarm["Threshold"] == 1


@pytest.mark.parametrize("alarm", named("AWS::CloudWatch::Alarm"))
def test_an_alarm_notifies_when_it_begins_and_when_it_ends(alarm: str) -> None:
    assert properties(alarm)["AlarmActions"] == [{"Ref": "AlarmTopic"}]
    assert properties(alarm)["OKActions"] == [{"Ref": "AlarmTopic"}]
    assert properties(alarm)["AlarmDescription"]


def test_logs_expire() -> None:
    groups = named("AWS::Logs::LogGroup")

    assert all("RetentionInDays" in properties(name) for name in groups)
    for function in _FUNCTIONS:
        log = properties(function)["LoggingConfig"]["LogGroup"]["Ref"]
        assert properties(log)["RetentionInDays"] == {"Ref": "LogRetentionDays"}


def test_two_listeners_are_alive_at_any_moment() -> None:
    listener = properties("RelayListenerFunction")
    (schedule,) = [event["Properties"] for event in listener["Events"].values()]
    every_seconds = 60 * int(schedule["Schedule"].removeprefix("rate(").split()[0])
    lives = template()["Parameters"]["ListenSeconds"]

    assert listener["Environment"]["Variables"]["LISTEN_SECONDS"] == {"Ref": "ListenSeconds"}
    assert lives["Default"] // every_seconds >= 2
    # The cheapest choice has one, and time for the next to take over.
    assert min(lives["AllowedValues"]) >= every_seconds + 30
    # Room to disconnect and to send what is still in hand.
    assert max(lives["AllowedValues"]) + 60 < listener["Timeout"] <= 900
    assert schedule["State"] == {"If": ["ListensOnSchedule", "ENABLED", "DISABLED"]}
    assert schedule["RetryPolicy"]["MaximumRetryAttempts"] == 0
    assert listener["EventInvokeConfig"]["MaximumRetryAttempts"] == 0
    assert template()["Conditions"]["ListensOnSchedule"] == {
        "And": [
            {"Equals": [{"Ref": "ListenerSchedule"}, "ENABLED"]},
            {"Not": [{"Equals": [{"Ref": "Relays"}, ""]}]},
        ]
    }
