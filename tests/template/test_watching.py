"""What is watched, for how long it is kept, and whom it tells."""

from typing import Any

import pytest

from deploy.redrive import ways
from deploy.stack import Stack
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


def test_a_health_check_counts_the_dead_letters_of_every_queue() -> None:
    given = properties("HttpApiFunction")["Environment"]["Variables"]["DEAD_LETTER_QUEUE_URLS"]
    _, counted = given["Join"]

    assert counted == [
        # Of a queue that need not be, only where it is.
        {"If": [condition, {"Ref": name}, ""]} if condition else {"Ref": name}
        for name in _DEAD_LETTERS
        for condition in [template()["Resources"][name].get("Condition")]
    ]


def test_the_dead_letters_of_every_queue_can_be_given_back() -> None:
    outputs = template()["Outputs"]
    given_back = ways(Stack({}, {name: name for name in outputs}))

    assert {outputs[way.dead_url]["Value"]["Ref"] for way in given_back} == set(_DEAD_LETTERS)
    for way in given_back:
        dead = properties(outputs[way.queue_url]["Value"]["Ref"])["RedrivePolicy"]
        assert dead["deadLetterTargetArn"] == {
            "GetAtt": f"{outputs[way.dead_url]['Value']['Ref']}.Arn"
        }


def test_every_queue_that_is_worked_off_is_watched_for_waiting() -> None:
    worked_off = set(named("AWS::SQS::Queue")) - set(_DEAD_LETTERS)

    assert set(_alarms_on("ApproximateAgeOfOldestMessage")) == worked_off


def test_every_function_rings_when_it_fails() -> None:
    assert sorted(_alarms_on("Errors")) == sorted(_FUNCTIONS)


def test_silence_of_the_listeners_is_itself_an_alarm() -> None:
    alarm = properties("ListenerSilentAlarm")

    assert alarm["TreatMissingData"] == "breaching"
    # The best of them: one that was just hung up says that it hears none.
    assert (alarm["Statistic"], alarm["ComparisonOperator"]) == ("Maximum", "LessThanThreshold")
    assert alarm["Threshold"] == 1


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
