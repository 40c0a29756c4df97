"""Every alarm watches something that is counted and tells the operator; the listeners overlap."""

import json

import pytest

from arbiter.adapters.relays.listener import ListenerLimits
from arbiter.application.intake.batch import UNPUBLISHED_ATTEMPTS
from deploy.redrive import ways
from deploy.stack import Stack
from tests.template.source import named, properties, template

_FUNCTIONS = named("AWS::Serverless::Function")
_DEAD_LETTERS = [name for name in named("AWS::SQS::Queue") if name.endswith("DeadLetters")]
_ALARMS = named("AWS::CloudWatch::Alarm")
_HOURS = {"HasAlarmEmail", "WatchesListeners", "WatchesSsb", "WatchesSums"}


def _starts_seconds() -> list[int]:
    """Seconds between the starts of a listener if there are two, and if there is one."""
    (schedule,) = properties("RelayListenerFunction")["Events"].values()
    condition, *rates = schedule["Properties"]["Schedule"]["If"]
    assert condition == "HasTwoListeners"
    return [60 * int(rate.removeprefix("rate(").split()[0]) for rate in rates]


def test_there_are_ten_alarms_at_most_and_none_without_an_email() -> None:
    assert len(_ALARMS) <= 10
    resources, conditions = template()["Resources"], template()["Conditions"]
    for name in (*_ALARMS, "AlarmTopic", "AlarmSubscription"):
        condition = resources[name]["Condition"]
        assert condition in _HOURS
        email = condition == "HasAlarmEmail" or conditions[condition]["And"][0]
        assert email in (True, {"Condition": "HasAlarmEmail"})


def test_the_first_failure_of_a_function_raises_an_alarm() -> None:
    faults = properties("FaultsAlarm")
    (counted,) = properties("Failures")["MetricTransformations"]
    assert counted["MetricName"] == faults["MetricName"]
    assert int(counted["MetricValue"]) > faults["Threshold"]


@pytest.mark.parametrize(
    ("fault", "queue"),
    [("Faults", "MovesQueue"), ("Faults", "ClockQueue"), ("HouseFaults", "HouseQueue")],
)
def test_a_record_that_fails_again_and_again_alone_raises_an_alarm_before_it_is_given_up(
    fault: str, queue: str
) -> None:
    faults, of_queue = properties("FaultsAlarm"), properties(queue)
    (counted,) = properties(fault)["MetricTransformations"]
    every, received = of_queue["VisibilityTimeout"], of_queue.get("RedrivePolicy", {})
    given_up = every * received["maxReceiveCount"] if received else 3600

    assert counted["MetricName"] == faults["MetricName"]
    assert faults["Period"] // every * int(counted["MetricValue"]) > faults["Threshold"]
    assert 2 * faults["Period"] < given_up


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


def test_every_window_of_the_alarm_for_silent_listeners_has_a_start_that_lambda_has_reported() -> (
    None
):
    """A rule fires within the minute, and so does Lambda report, when the listener has ended."""
    lives = int(properties("RelayListenerFunction")["Environment"]["Variables"]["LISTEN_SECONDS"])

    assert properties("ListenerSilentAlarm")["Period"] >= lives + 60 + max(_starts_seconds()) + 60


def test_a_listener_without_a_relay_for_five_minutes_is_a_fault() -> None:
    faults = properties("FaultsAlarm")
    (counted,) = properties("ListenerDeaf")["MetricTransformations"]
    beats = faults["Period"] / ListenerLimits().heartbeat_seconds

    assert counted["MetricName"] == faults["MetricName"]
    assert (beats - 1) * float(counted["MetricValue"]) < faults["Threshold"]
    assert beats * float(counted["MetricValue"]) > faults["Threshold"]


def test_a_reply_that_no_relay_takes_is_a_fault_once() -> None:
    (counted,) = properties("Unpublished")["MetricTransformations"]

    assert int(counted["MetricValue"]) > properties("FaultsAlarm")["Threshold"]
    assert f"$.attempts = {UNPUBLISHED_ATTEMPTS} " in properties("Unpublished")["FilterPattern"]


def test_logs_expire() -> None:
    log, access = named("AWS::Logs::LogGroup")

    # They have addresses.
    assert [properties(it)["RetentionInDays"] for it in (log, access)] == [7, 7]
    kept = properties("HttpStage")["AccessLogSettings"]
    assert kept["DestinationArn"] == {"GetAtt": f"{access}.Arn"}
    assert json.loads(kept["Format"])["address"] == "$context.identity.sourceIp"
    for query in named("AWS::Logs::QueryDefinition"):
        assert {it["Ref"] for it in properties(query)["LogGroupNames"]} <= {log, access}
    assert template()["Globals"]["Function"]["LoggingConfig"] == {"LogGroup": {"Ref": log}}
    assert not [it for it in _FUNCTIONS if "LoggingConfig" in properties(it)]


def test_a_listener_is_alive_at_any_moment_or_two() -> None:
    listener = properties("RelayListenerFunction")
    (schedule,) = [event["Properties"] for event in listener["Events"].values()]
    lives_seconds = int(listener["Environment"]["Variables"]["LISTEN_SECONDS"])
    again = listener["EventInvokeConfig"]

    # Each lives long enough for the next to take over.
    assert [divmod(lives_seconds, every) for every in _starts_seconds()] == [(2, 20), (1, 80)]
    # Room to disconnect and to send what is still in hand.
    assert lives_seconds + 30 < listener["Timeout"] <= 900
    # One that failed, or found no concurrency, is tried again, but not beside the next.
    assert again["MaximumRetryAttempts"] > 0
    assert 120 < again["MaximumEventAgeInSeconds"] < max(_starts_seconds())
    assert schedule["State"] == {"If": ["ListensOnSchedule", "ENABLED", "DISABLED"]}
    assert schedule["RetryPolicy"]["MaximumRetryAttempts"] == 0
    assert template()["Conditions"]["ListensOnSchedule"] == {
        "And": [
            {"Not": [{"Equals": [{"Ref": "Listeners"}, 0]}]},
            {"Not": [{"Equals": [{"Ref": "Relays"}, ""]}]},
        ]
    }
