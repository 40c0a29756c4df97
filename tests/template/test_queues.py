"""The queues' promises: order in a game, no game held up by another, nothing lost in silence."""

from typing import Any

import pytest

from arbiter.adapters.dynamodb.ratings import LADDER_INDEX
from arbiter.adapters.sqs import VISIBLE_AGAIN_SECONDS
from tests.template.source import at_least, named, properties, template

_WORK = ("MovesQueue", "SeeksQueue", "RepublishQueue", "ClockQueue")
_FIFO = ("MovesQueue", "SeeksQueue", "ScuttlebuttQueue")
_OURS = (*_WORK, "ScuttlebuttQueue")
"""The last is worked off by the bridge, a process of the operator's."""


def _sources() -> dict[str, dict[str, Any]]:
    """What each queue feeds, and how; the function's time-out is with it."""
    return {
        it["Properties"]["Queue"]["GetAtt"].removesuffix(".Arn"): {
            **it["Properties"],
            "Timeout": properties(function)["Timeout"],
        }
        for function in named("AWS::Serverless::Function")
        for it in properties(function).get("Events", {}).values()
        if it["Type"] == "SQS"
    }


def test_every_queue_is_worked_off_or_holds_the_dead() -> None:
    dead = {
        properties(name)["RedrivePolicy"]["deadLetterTargetArn"]["GetAtt"].removesuffix(".Arn")
        for name in _OURS
    }

    assert set(_sources()) == set(_WORK)
    assert len(dead) == len(_OURS)
    assert set(named("AWS::SQS::Queue")) == {*_OURS, *dead}


@pytest.mark.parametrize("queue", _WORK)
def test_a_record_that_fails_five_times_is_put_aside(queue: str) -> None:
    assert properties(queue)["RedrivePolicy"]["maxReceiveCount"] == 5


def test_trouble_of_the_bridges_peer_puts_nothing_aside_for_hours() -> None:
    receipts = properties("ScuttlebuttQueue")["RedrivePolicy"]["maxReceiveCount"]

    assert receipts == 1000  # SQS knows no more
    assert receipts * VISIBLE_AGAIN_SECONDS > 4 * 3600


@pytest.mark.parametrize("queue", _OURS)
def test_what_was_put_aside_is_kept_for_two_weeks(queue: str) -> None:
    redrive = properties(queue)["RedrivePolicy"]
    dead = properties(redrive["deadLetterTargetArn"]["GetAtt"].removesuffix(".Arn"))

    assert dead["MessageRetentionPeriod"] == 14 * 24 * 3600
    # "The dead-letter queue of a FIFO queue must also be a FIFO queue."
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/
    assert dead.get("FifoQueue") == properties(queue).get("FifoQueue")


@pytest.mark.parametrize("queue", _WORK)
def test_a_record_stays_hidden_for_six_function_timeouts(queue: str) -> None:
    assert properties(queue)["VisibilityTimeout"] >= 6 * _sources()[queue]["Timeout"]


@pytest.mark.parametrize("queue", _WORK)
def test_a_failed_record_comes_back_without_its_neighbours(queue: str) -> None:
    source = _sources()[queue]

    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert source["BatchSize"] == 10
    assert at_least(source["ScalingConfig"]["MaximumConcurrency"]) >= 2


@pytest.mark.parametrize("queue", _FIFO)
def test_each_game_is_a_line_of_its_own(queue: str) -> None:
    written = properties(queue)

    assert written["FifoQueue"] is True
    assert written["DeduplicationScope"] == "messageGroup"
    assert written["FifoThroughputLimit"] == "perMessageGroupId"
    # The Nostr event's id is the deduplication id; two bodies may differ by when they were heard.
    assert written["ContentBasedDeduplication"] is False


@pytest.mark.parametrize("queue", ["RepublishQueue", "ClockQueue"])
def test_replies_and_nudges_can_be_delayed_one_by_one(queue: str) -> None:
    # "FIFO queues don't support per-message delays, only per-queue delays."
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
    assert "FifoQueue" not in properties(queue)


def test_a_schedule_sends_to_the_queue_its_role_may_send_to_and_that_is_no_fifo_queue() -> None:
    # "If you specify an Amazon SQS FIFO queue as a target, the queue must have content-based
    # deduplication enabled."
    # https://docs.aws.amazon.com/scheduler/latest/APIReference/API_SqsParameters.html
    told = properties("ProcessEventsFunction")["Environment"]["Variables"]

    assert told["SCHEDULE_TARGET_ARN"] == {"GetAtt": "ClockQueue.Arn"}
    assert told["SCHEDULE_GROUP"] == {"Ref": "Schedules"}
    assert told["SCHEDULER_ROLE_ARN"] == {"GetAtt": "SchedulerRole.Arn"}


def test_no_queue_speaks_without_tls() -> None:
    policies = named("AWS::SQS::QueuePolicy")

    assert sorted(it["Ref"] for name in policies for it in properties(name)["Queues"]) == sorted(
        named("AWS::SQS::Queue")
    )


@pytest.mark.parametrize("policy", named("AWS::SQS::QueuePolicy"))
def test_the_refusal_is_of_everything_and_to_everybody(policy: str) -> None:
    (statement,) = properties(policy)["PolicyDocument"]["Statement"]

    assert statement["Effect"] == "Deny"
    assert statement["Principal"] == "*"
    assert statement["Action"] == "sqs:*"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize("queue", named("AWS::SQS::Queue"))
def test_a_queue_is_encrypted_and_its_name_tells_what_it_is(queue: str) -> None:
    written = properties(queue)
    name = written["QueueName"]["Sub"]

    assert written["SqsManagedSseEnabled"] is True
    assert name.startswith("${AWS::StackName}-")
    assert name.endswith(".fifo") == written.get("FifoQueue", False)


def test_a_move_is_not_written_to_an_index_again() -> None:
    ladder, *of_games = properties("Table")["GlobalSecondaryIndexes"]

    assert ladder["Projection"] == {"ProjectionType": "ALL"}
    for index in of_games:
        assert index["Projection"] == {"ProjectionType": "KEYS_ONLY"}
        # When it began: what a game's item never changes.
        assert index["KeySchema"][1] == {"AttributeName": "c", "KeyType": "RANGE"}


def test_what_is_worthless_tomorrow_is_neither_kept_nor_backed_up() -> None:
    table = template()["Resources"]["ShortLivedTable"]

    assert table["DeletionPolicy"] == table["UpdateReplacePolicy"] == "Delete"
    assert table["Properties"]["BillingMode"] == "PAY_PER_REQUEST"
    assert "PointInTimeRecoverySpecification" not in table["Properties"]
    assert table["Properties"]["TimeToLiveSpecification"] == {
        "AttributeName": "expires_at",
        "Enabled": True,
    }


def test_the_games_outlive_the_stack() -> None:
    table = template()["Resources"]["Table"]

    assert table["DeletionPolicy"] == table["UpdateReplacePolicy"] == "Retain"
    assert table["Properties"]["BillingMode"] == "PAY_PER_REQUEST"
    assert table["Properties"]["KeySchema"] == [{"AttributeName": "pk", "KeyType": "HASH"}]
    indexes = table["Properties"]["GlobalSecondaryIndexes"]
    assert [it["IndexName"] for it in indexes] == [LADDER_INDEX, "white", "black", "live"]
    assert table["Properties"]["PointInTimeRecoverySpecification"] == {
        "PointInTimeRecoveryEnabled": True
    }
    assert table["Properties"]["SSESpecification"] == {"SSEEnabled": True}
    assert table["Properties"]["TimeToLiveSpecification"] == {
        "AttributeName": "expires_at",
        "Enabled": True,
    }


def test_without_a_bridge_there_is_nothing_of_scuttlebutt() -> None:
    made = {name: it.get("Condition") for name, it in template()["Resources"].items()}
    scuttlebutt = {name for name in made if name.startswith("Scuttlebutt")}

    assert {name for name, condition in made.items() if condition == "HasScuttlebutt"} == {
        "ScuttlebuttQueue",
        "ScuttlebuttDeadLetters",
        "ScuttlebuttTlsOnly",
        "ScuttlebuttDeadLettersAlarm",
        "ScuttlebuttWaitAlarm",
    }
    assert [name for name in scuttlebutt if made[name] != "HasScuttlebutt"] == []
    told = properties("ProcessEventsFunction")["Environment"]["Variables"]
    assert told["BRIDGE_PUBKEY"] == {"Ref": "ScuttlebuttBridgePubkey"}
    queue = {"Ref": "ScuttlebuttQueue"}
    assert told["SCUTTLEBUTT_QUEUE_URL"] == {"If": ["HasScuttlebutt", queue, ""]}
