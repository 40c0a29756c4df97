"""Queues keep each game's order, hold no game up for another, and lose nothing; tables are kept."""

from typing import Any

import pytest

from arbiter.adapters.sqs import VISIBLE_AGAIN_SECONDS
from arbiter.application.tournaments.pairing import MAX_PAIRING_SECONDS
from arbiter.core.notices import SENDING_MS
from clients.bot.turn import MAX_SECONDS
from tests.template.source import at_least, listed, named, properties, statements, template

# It is without dead letters, since what it holds are questions.
_HOUSE = "HouseQueue"
_CONSUMED = ("MovesQueue", "SeeksQueue", "RepublishQueue", "ClockQueue")
_FIFO = ("MovesQueue", "SeeksQueue", "SsbQueue", _HOUSE)
# The bridge, a process of the operator's, consumes the last.
_LIVE = (*_CONSUMED, "SsbQueue")


def _sources() -> dict[str, dict[str, Any]]:
    """The event source of each queue, with its function's timeout."""
    return {
        it["Properties"]["Queue"]["GetAtt"].removesuffix(".Arn"): {
            **it["Properties"],
            "Timeout": properties(function)["Timeout"],
        }
        for function in named("AWS::Serverless::Function")
        for it in properties(function).get("Events", {}).values()
        if it["Type"] == "SQS"
    }


def _redrive(queue: str) -> tuple[int, str]:
    policy = properties(queue)["RedrivePolicy"]
    return policy["maxReceiveCount"], policy["deadLetterTargetArn"]["GetAtt"].removesuffix(".Arn")


def test_every_queue_has_a_consumer_or_holds_dead_letters() -> None:
    dead = {_redrive(name)[1] for name in _LIVE}

    assert set(_sources()) == {*_CONSUMED, _HOUSE}
    assert len(dead) == len(_LIVE)
    assert set(named("AWS::SQS::Queue")) == {*_LIVE, *dead, _HOUSE}


@pytest.mark.parametrize("queue", _LIVE)
def test_a_failing_record_becomes_a_dead_letter_and_is_kept_two_weeks(queue: str) -> None:
    receipts, dead = _redrive(queue)

    if queue in _CONSUMED:
        # While an account is at its quota, each batch that finds no concurrency counts as received.
        assert receipts * properties(queue)["VisibilityTimeout"] >= 15 * 60
    else:  # a bridge without its peer retries for hours
        assert receipts == 1000
        assert receipts * VISIBLE_AGAIN_SECONDS > 4 * 3600
    assert properties(dead)["MessageRetentionPeriod"] == 14 * 24 * 3600


@pytest.mark.parametrize("queue", _CONSUMED)
def test_a_failed_record_returns_alone_and_not_while_it_is_worked_on(queue: str) -> None:
    source = _sources()[queue]

    assert properties(queue)["VisibilityTimeout"] >= 6 * source["Timeout"]
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert source["BatchSize"] == 10
    if "FifoQueue" in properties(queue):
        assert at_least(source["ScalingConfig"]["MaximumConcurrency"]) >= 2
    else:  # polled by two instead of five
        assert "ScalingConfig" not in source


def test_a_request_is_retried_alone_and_given_up_when_no_player_waits_for_it_any_more() -> None:
    source, queue = _sources()[_HOUSE], properties(_HOUSE)

    assert queue["VisibilityTimeout"] >= 6 * source["Timeout"]
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    # Each thinks for seconds, and one that comes again is of a past position.
    assert source["BatchSize"] == 1
    assert source["Timeout"] > MAX_SECONDS
    assert queue["MessageRetentionPeriod"] == 3600
    assert "RedrivePolicy" not in queue


def test_a_round_is_paired_by_an_invocation_once_more_if_it_fails_and_given_up_after_an_hour() -> (
    None
):
    function = properties("PairingFunction")

    # No queue of its own is polled while no event is played (`bench/idle.py`).
    assert "Events" not in function
    assert function["Timeout"] > MAX_PAIRING_SECONDS
    again = {"MaximumRetryAttempts": 1, "MaximumEventAgeInSeconds": 3600}
    assert function["EventInvokeConfig"] == again


def test_a_notice_is_an_invocation_of_its_own_that_is_tried_thrice_within_an_hour() -> None:
    function = properties("NoticeFunction")

    assert "Events" not in function
    assert function["Timeout"] * 1000 < SENDING_MS, "or another one would send beside it"
    assert function["EventInvokeConfig"] == {
        "MaximumRetryAttempts": 2,
        "MaximumEventAgeInSeconds": 3600,
    }
    assert function["ReservedConcurrentExecutions"]["If"][0] == "BoundsGateway"


def test_each_game_is_a_message_group_and_what_is_delayed_is_in_no_fifo_queue() -> None:
    for queue in named("AWS::SQS::Queue"):
        fifo = queue in _FIFO or queue in {_redrive(name)[1] for name in _FIFO if name in _LIVE}
        written = properties(queue)
        assert written.get("FifoQueue", False) is fifo
        assert written["SqsManagedSseEnabled"] is True
        name = written["QueueName"]["Sub"]
        assert name.startswith("${AWS::StackName}-")
        assert name.endswith(".fifo") == fifo
    for queue in _FIFO:
        written = properties(queue)
        assert written["DeduplicationScope"] == "messageGroup"
        assert written["FifoThroughputLimit"] == "perMessageGroupId"
        # The Nostr event's id deduplicates; two bodies differ by when they were received.
        assert written["ContentBasedDeduplication"] is False


def _sends_to(function: str) -> set[str]:
    role = properties(function)["Role"]["GetAtt"].removesuffix(".Arn")
    return {
        resource["GetAtt"].removesuffix(".Arn")
        for statement in statements(role)
        if "sqs:SendMessage" in listed(statement["Action"])
        for resource in listed(statement["Resource"])
        if "GetAtt" in resource
    }


def test_a_function_that_a_chain_of_messages_may_come_back_to_may_loop() -> None:
    """Lambda drops what comes after sixteen invocations of one chain, unless that is allowed."""
    functions = named("AWS::Serverless::Function")
    taken_by = {
        it["Properties"]["Queue"]["GetAtt"].removesuffix(".Arn"): function
        for function in functions
        for it in properties(function).get("Events", {}).values()
        if it["Type"] == "SQS"
    }
    follows = {one: {taken_by[it] for it in _sends_to(one) if it in taken_by} for one in functions}
    follows["ProcessEventsFunction"] |= {"PairingFunction", "NoticeFunction"}  # which it invokes
    reached = {one: set(then) for one, then in follows.items()}
    for _ in functions:
        reached = {
            one: then | {it for of in then for it in reached[of]} for one, then in reached.items()
        }
    looping = {one for one in functions if one in reached[one]}

    assert looping == {
        *("ProcessEventsFunction", "ClockFunction", "PairingFunction", "NoticeFunction")
    }
    for function in functions:
        assert (properties(function).get("RecursiveLoop") == "Allow") == (function in looping)


def test_transcripts_outlive_the_stack_and_are_read_by_the_function_alone() -> None:
    resource = template()["Resources"]["Transcripts"]

    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == (
        "RetainExceptOnCreate",
        "Retain",
    )
    assert set(properties("Transcripts")["PublicAccessBlockConfiguration"].values()) == {True}
    (statement,) = properties("TranscriptsTlsOnly")["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Condition"]) == (
        "Deny",
        {"Bool": {"aws:SecureTransport": "false"}},
    )


@pytest.mark.parametrize(
    ("table", "deleted", "replaced"),
    [("Table", "RetainExceptOnCreate", "Retain"), ("ShortLivedTable", "Delete", "Delete")],
)
def test_games_outlive_the_stack_and_are_backed_up_and_what_is_short_lived_is_not(
    table: str, deleted: str, replaced: str
) -> None:
    kept = table == "Table"
    resource, written = template()["Resources"][table], properties(table)

    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == (deleted, replaced)
    # Or a first deployment that fails could not be undone: `make deploy` protects it afterwards.
    assert "DeletionProtectionEnabled" not in written
    assert written["BillingMode"] == "PAY_PER_REQUEST"
    backups = written.get("PointInTimeRecoverySpecification")
    assert backups == ({"PointInTimeRecoveryEnabled": True} if kept else None)
    assert not kept or written["SSESpecification"] == {"SSEEnabled": True}
    expiry = {"AttributeName": "expires_at", "Enabled": True}
    assert written["TimeToLiveSpecification"] == expiry
