"""Every alarm watches something that is counted and tells the operator; the listeners overlap."""

from deploy.redrive import ways
from deploy.stack import Stack
from tests.template.source import named, properties, template

_FUNCTIONS = named("AWS::Serverless::Function")
_DEAD_LETTERS = [name for name in named("AWS::SQS::Queue") if name.endswith("DeadLetters")]
_ALARMS = named("AWS::CloudWatch::Alarm")
_HOURS = {"HasAlarmEmail", "WatchesListeners", "WatchesScuttlebutt"}


def test_there_are_eight_alarms_at_most_and_none_without_an_email() -> None:
    assert len(_ALARMS) <= 8
    resources, conditions = template()["Resources"], template()["Conditions"]
    for name in (*_ALARMS, "AlarmTopic", "AlarmSubscription"):
        condition = resources[name]["Condition"]
        assert condition in _HOURS
        email = condition == "HasAlarmEmail" or conditions[condition]["And"][0]
        assert email in (True, {"Condition": "HasAlarmEmail"})


def test_the_first_dead_letter_of_a_move_and_the_first_failure_of_a_function_raise_an_alarm() -> (
    None
):
    dead, faults = properties("MovesDeadLettersAlarm"), properties("FaultsAlarm")

    assert dead["Dimensions"][0]["Value"] == {"GetAtt": "MovesDeadLetters.QueueName"}
    assert (dead["Threshold"], dead["ComparisonOperator"]) == (0, "GreaterThanThreshold")
    for function in _FUNCTIONS:
        own = properties(function.removesuffix("Function") + "Failures")
        assert own["LogGroupName"] == properties(function)["LoggingConfig"]["LogGroup"]
        (counted,) = own["MetricTransformations"]
        assert counted["MetricName"] == faults["MetricName"]
        assert int(counted["MetricValue"]) > faults["Threshold"]


def test_a_record_that_fails_again_and_again_alone_raises_an_alarm_before_it_is_given_up() -> None:
    faults, queue = properties("FaultsAlarm"), properties("MovesQueue")

    assert faults["Period"] / queue["VisibilityTimeout"] > faults["Threshold"]
    given_up = queue["RedrivePolicy"]["maxReceiveCount"] * queue["VisibilityTimeout"]
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


def test_logs_expire() -> None:
    groups = named("AWS::Logs::LogGroup")

    assert all("RetentionInDays" in properties(name) for name in groups)
    for function in _FUNCTIONS:
        log = properties(function)["LoggingConfig"]["LogGroup"]["Ref"]
        assert properties(log)["RetentionInDays"] == {"Ref": "LogRetentionDays"}


def test_a_listener_is_alive_at_any_moment_or_two() -> None:
    listener = properties("RelayListenerFunction")
    (schedule,) = [event["Properties"] for event in listener["Events"].values()]
    every_seconds = 60 * int(schedule["Schedule"].removeprefix("rate(").split()[0])
    lives = template()["Parameters"]["ListenSeconds"]

    assert listener["Environment"]["Variables"]["LISTEN_SECONDS"] == {"Ref": "ListenSeconds"}
    # Each lives long enough for the next to take over.
    assert [divmod(it, every_seconds) for it in lives["AllowedValues"]] == [(1, 20), (2, 20)]
    # Room to disconnect and to send what is still in hand.
    assert max(lives["AllowedValues"]) + 60 < listener["Timeout"] <= 900
    # One for which there was no concurrency is tried again, but not beside the next.
    assert 60 < listener["EventInvokeConfig"]["MaximumEventAgeInSeconds"] < every_seconds
    assert schedule["State"] == {"If": ["ListensOnSchedule", "ENABLED", "DISABLED"]}
    assert schedule["RetryPolicy"]["MaximumRetryAttempts"] == 0
    assert listener["EventInvokeConfig"]["MaximumRetryAttempts"] == 0
    assert template()["Conditions"]["ListensOnSchedule"] == {
        "And": [
            {"Equals": [{"Ref": "ListenerSchedule"}, "ENABLED"]},
            {"Not": [{"Equals": [{"Ref": "Relays"}, ""]}]},
        ]
    }
