"""Who may do what: the whole list, so that granting more is a change somebody reads."""

import json
from typing import Any

import pytest

from arbiter.adapters.dynamodb.game_items import PLAYERS
from tests.template.source import listed, named, properties, template

_THE_KEY = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter${KeyParameterName}"

_OUR_SCHEDULES = (
    "arn:${AWS::Partition}:scheduler:${AWS::Region}:${AWS::AccountId}:schedule/${Schedules}/*"
)

_OUR_OUTBOX = (
    "arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:${AWS::StackName}-scuttlebutt.fifo"
)
_WHAT_WAS_NOT_SAID = _OUR_OUTBOX.replace(".fifo", "-dead.fifo")

_OUR_SOCKETS = (
    "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${GatewayApi}/v1/*"
)

# "CloudWatch does not have any specific resources for you to control using policies resources"
_ALL_METRICS = {
    "Sid": "SeeHowLongRecordsWait",
    "Effect": "Allow",
    "Action": "cloudwatch:GetMetricStatistics",
    "Resource": "*",
}

_GRANTED = {
    "ClockRole": {
        "PassOnOrWaitAgain": (["sqs:SendMessage"], ["MovesQueue.Arn", "ClockQueue.Arn"]),
        "TakeRecords": (
            [
                "sqs:ChangeMessageVisibility",
                "sqs:DeleteMessage",
                "sqs:GetQueueAttributes",
                "sqs:ReceiveMessage",
            ],
            ["ClockQueue.Arn"],
        ),
        "WriteItsLog": (["logs:CreateLogStream", "logs:PutLogEvents"], ["ClockLog.Arn"]),
    },
    "GatewayRole": {
        "DecryptTheServerKey": (["kms:Decrypt"], ["ServerKeyEncryption.Arn"]),
        "KeepAccountOfSockets": (
            [
                "dynamodb:BatchWriteItem",
                "dynamodb:DeleteItem",
                "dynamodb:PutItem",
                "dynamodb:Query",
                "dynamodb:UpdateItem",
            ],
            ["ShortLivedTable.Arn"],
        ),
        "PassOnWhatIsHeard": (["sqs:SendMessage"], ["MovesQueue.Arn", "SeeksQueue.Arn"]),
        "ReadTheServerKey": (["ssm:GetParameter"], [_THE_KEY]),
        "ShowGames": (["dynamodb:GetItem"], ["Table.Arn"]),
        "SpeakToSockets": (["execute-api:ManageConnections"], [_OUR_SOCKETS]),
        "WriteItsLog": (["logs:CreateLogStream", "logs:PutLogEvents"], ["GatewayLog.Arn"]),
    },
    "HttpApiRole": {
        "CountRequests": (["dynamodb:UpdateItem"], ["ShortLivedTable.Arn"]),
        "HaveItPublished": (["sqs:SendMessage"], ["RepublishQueue.Arn"]),
        "LoadAndCommit": (
            [
                "dynamodb:BatchGetItem",
                "dynamodb:GetItem",
                "dynamodb:PutItem",
                "dynamodb:UpdateItem",
            ],
            ["Table.Arn"],
        ),
        "ReadTheIndexes": (
            ["dynamodb:Query"],
            [
                "${Table.Arn}/index/ladder",
                "${Table.Arn}/index/white",
                "${Table.Arn}/index/black",
                "${Table.Arn}/index/live",
            ],
        ),
        "SeeHowLongQueuesAre": (
            ["sqs:GetQueueAttributes"],
            [
                "MovesQueue.Arn",
                "SeeksQueue.Arn",
                "MovesDeadLetters.Arn",
                "SeeksDeadLetters.Arn",
                "RepublishDeadLetters.Arn",
                "ClockDeadLetters.Arn",
                _WHAT_WAS_NOT_SAID,
            ],
        ),
        "SeeHowLongRecordsWait": (["cloudwatch:GetMetricStatistics"], ["*"]),
        "WriteItsLog": (["logs:CreateLogStream", "logs:PutLogEvents"], ["HttpApiLog.Arn"]),
    },
    "ProcessEventsRole": {
        "AskForAnotherTry": (["sqs:SendMessage"], ["RepublishQueue.Arn"]),
        "DecryptTheServerKey": (["kms:Decrypt"], ["ServerKeyEncryption.Arn"]),
        "FindWhoIsToHear": (
            [
                "dynamodb:BatchWriteItem",
                "dynamodb:DeleteItem",
                "dynamodb:Query",
                "dynamodb:UpdateItem",
            ],
            ["ShortLivedTable.Arn"],
        ),
        "HaveItSaidOnScuttlebutt": (["sqs:SendMessage"], [_OUR_OUTBOX]),
        "LetSchedulesReachTheClock": (["iam:PassRole"], ["SchedulerRole.Arn"]),
        "LoadAndCommit": (
            ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
            ["Table.Arn"],
        ),
        "ReadTheServerKey": (["ssm:GetParameter"], [_THE_KEY]),
        "SetDeadlines": (["sqs:SendMessage"], ["ClockQueue.Arn"]),
        "SetFarDeadlines": (["scheduler:CreateSchedule"], [_OUR_SCHEDULES]),
        "SpeakToSockets": (["execute-api:ManageConnections"], [_OUR_SOCKETS]),
        "TakeRecords": (
            [
                "sqs:ChangeMessageVisibility",
                "sqs:DeleteMessage",
                "sqs:GetQueueAttributes",
                "sqs:ReceiveMessage",
            ],
            ["MovesQueue.Arn", "SeeksQueue.Arn", "RepublishQueue.Arn"],
        ),
        "WriteItsLog": (["logs:CreateLogStream", "logs:PutLogEvents"], ["ProcessEventsLog.Arn"]),
    },
    "RelayListenerRole": {
        "NoteThatRelaysAreHeard": (["dynamodb:UpdateItem"], ["Table.Arn"]),
        "PassOnWhatIsHeard": (["sqs:SendMessage"], ["MovesQueue.Arn", "SeeksQueue.Arn"]),
        "SeeWhoPlays": (["dynamodb:BatchGetItem"], ["Table.Arn"]),
        "WriteItsLog": (["logs:CreateLogStream", "logs:PutLogEvents"], ["RelayListenerLog.Arn"]),
    },
    "SchedulerRole": {"Nudge": (["sqs:SendMessage"], ["ClockQueue.Arn"])},
}


def _statements(role: str) -> list[dict[str, Any]]:
    return [
        statement
        for policy in properties(role)["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def _arn(resource: Any) -> str:
    if resource == "*":
        return "*"
    assert isinstance(resource, dict), f"{resource!r} names no resource of this stack"
    (written,) = resource.values()
    return str(written)


def test_every_role_is_one_of_ours() -> None:
    assert sorted(_GRANTED) == sorted(named("AWS::IAM::Role"))


@pytest.mark.parametrize("role", _GRANTED)
def test_a_role_may_do_exactly_what_is_listed(role: str) -> None:
    granted = {
        statement["Sid"]: (
            sorted(listed(statement["Action"])),
            [_arn(resource) for resource in listed(statement["Resource"])],
        )
        for statement in _statements(role)
    }

    assert granted == _GRANTED[role]


@pytest.mark.parametrize("role", _GRANTED)
def test_a_role_has_no_other_source_of_rights(role: str) -> None:
    assert not {"ManagedPolicyArns", "PermissionsBoundary"} & set(properties(role))
    assert not named("AWS::IAM::Policy")
    assert not named("AWS::IAM::ManagedPolicy")


@pytest.mark.parametrize("role", _GRANTED)
def test_no_grant_holds_a_star(role: str) -> None:
    assert [statement for statement in _statements(role) if statement["Effect"] != "Allow"] == []
    # A schedule can be named only by its group, a socket only by its API, and a metric not at all.
    written = json.dumps(properties(role)).replace(_OUR_SCHEDULES, "").replace(_OUR_SOCKETS, "")
    assert "*" not in written.replace(json.dumps(_ALL_METRICS), "")


_STARS = {
    # Who writes it, where, what the star stands for: each with its reason in template.yaml.
    *(
        ("ScuttlebuttTlsOnly", *it)
        for it in (("Principal", "*"), ("Action", "sqs:*"), ("Resource", "*"))
    ),
    ("TlsOnly", "Principal", "*"),  # a refusal, to everybody
    ("TlsOnly", "Action", "sqs:*"),  # of everything
    ("TlsOnly", "Resource", "*"),  # on the queue whose policy it is
    ("ServerKeyEncryption", "Resource", "*"),  # on the key whose policy it is
    ("HttpApiRole", "Resource", "*"),  # metrics have no ARNs
    ("ProcessEventsRole", "Resource", _OUR_SCHEDULES),  # named after game, ply and time
    ("ProcessEventsRole", "Resource", _OUR_SOCKETS),  # sockets come and go
    ("GatewayRole", "Resource", _OUR_SOCKETS),
    (
        "GatewayMayInvoke",  # the routes of the one stage, of which there are three
        "SourceArn",
        "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${GatewayApi}/v1/*",
    ),
    (
        "HttpMayInvoke",  # the stage, of which there is one
        "SourceArn",
        "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${HttpApi}/*/$default",
    ),
}


def _stars(name: str, value: Any, where: str = "") -> set[tuple[str, str, str]]:
    """Every text with a star in what a resource grants or refuses, with the key it stands under."""
    match value:
        case dict():
            # What a resource is called, and intrinsic functions, are on the way to a text.
            found = (
                _stars(name, it, where if key in {"Sub", "If"} else key)
                for key, it in value.items()
            )
            return set().union(*found)
        case list():
            return set().union(*(_stars(name, it, where) for it in value))
        case str() if "*" in value and where in _GRANTING:
            return {(name, where, value)}
        case _:
            return set()


_GRANTING = {"Action", "NotAction", "Resource", "NotResource", "Principal", "AWS", "Service"} | {
    "SourceArn",
    "NotPrincipal",
    "aws:SourceArn",
}


def test_every_star_in_the_whole_template_is_one_of_these() -> None:
    found = set()
    for name, resource in template()["Resources"].items():
        found |= _stars(name, resource.get("Properties", {}))

    assert found == _STARS


def _may(role: str, *actions: str) -> bool:
    return any(action in actions for it in _statements(role) for action in listed(it["Action"]))


def test_those_who_sign_and_nobody_else_may_read_the_key() -> None:
    # The arbiter publishes; the gateway signs the states that it shows to whoever subscribes.
    signing = ["GatewayRole", "ProcessEventsRole"]

    assert sorted(role for role in _GRANTED if _may(role, "kms:Decrypt")) == signing
    for action in ("ssm:GetParameter", "ssm:GetParameters", "ssm:GetParametersByPath"):
        can = sorted(role for role in _GRANTED if _may(role, action))
        assert can == (signing if action == "ssm:GetParameter" else [])
    assert not [role for role in _GRANTED if _may(role, "ssm:PutParameter", "kms:CreateGrant")]


def test_only_the_arbiter_and_the_http_api_may_write_any_item_of_the_games() -> None:
    writes = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}
    writing = {
        role
        for role in _GRANTED
        for it in _statements(role)
        if writes & set(listed(it["Action"])) and {"GetAtt": "Table.Arn"} in listed(it["Resource"])
    }

    assert {"ProcessEventsRole", "HttpApiRole"} <= writing
    for role in writing - {"ProcessEventsRole", "HttpApiRole"}:
        # Whoever else has a line in it can write that one item and no other.
        (grant,) = [it for it in _statements(role) if writes & set(listed(it["Action"]))]
        assert "dynamodb:LeadingKeys" in json.dumps(grant["Condition"])


def test_the_listener_can_read_who_plays_a_game_and_nothing_else_of_it() -> None:
    (grant,) = [it for it in _statements("RelayListenerRole") if it["Sid"] == "SeeWhoPlays"]

    assert grant["Condition"] == {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": PLAYERS.split(", ")},
        "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
    }


@pytest.mark.parametrize("role", sorted({*_GRANTED} - {"SchedulerRole"}))
def test_only_lambda_can_take_a_functions_role_on(role: str) -> None:
    (trust,) = properties(role)["AssumeRolePolicyDocument"]["Statement"]

    assert trust["Principal"] == {"Service": "lambda.amazonaws.com"}


def test_only_a_schedule_of_ours_can_take_the_schedules_role_on() -> None:
    (trust,) = properties("SchedulerRole")["AssumeRolePolicyDocument"]["Statement"]

    assert trust["Principal"] == {"Service": "scheduler.amazonaws.com"}
    assert trust["Condition"] == {
        "StringEquals": {
            "aws:SourceAccount": {"Ref": "AWS::AccountId"},
            "aws:SourceArn": {"GetAtt": "Schedules.Arn"},
        }
    }


def test_the_arbiter_function_can_hand_the_schedules_role_to_scheduler_alone() -> None:
    (grant,) = [it for it in _statements("ProcessEventsRole") if it["Action"] == "iam:PassRole"]

    assert grant["Condition"] == {
        "StringEquals": {"iam:PassedToService": "scheduler.amazonaws.com"}
    }


@pytest.mark.parametrize("function", named("AWS::Serverless::Function"))
def test_a_function_has_the_role_of_its_name_and_sam_adds_nothing(function: str) -> None:
    written = properties(function)

    assert written["Role"] == {"GetAtt": function.removesuffix("Function") + "Role.Arn"}
    assert not {"Policies", "Tracing", "VpcConfig", "DeadLetterQueue", "Connectors"} & set(written)


def test_only_what_signs_is_told_where_the_key_is() -> None:
    told = [
        name
        for name in named("AWS::Serverless::Function")
        if "KEY_PARAMETER" in properties(name)["Environment"]["Variables"]
    ]

    assert told == ["ProcessEventsFunction", "GatewayFunction"]
    assert "KEY_PARAMETER" not in template()["Globals"]["Function"]["Environment"]["Variables"]


@pytest.mark.parametrize("role", ["ProcessEventsRole", "GatewayRole"])
def test_the_key_decrypts_one_parameter_and_only_through_systems_manager(role: str) -> None:
    statements = properties("ServerKeyEncryption")["KeyPolicy"]["Statement"]
    decrypting = [it for it in statements if "kms:Decrypt" in listed(it["Action"])]
    (conditions,) = [it["Condition"]["StringEquals"] for it in decrypting]
    (grant,) = [it for it in _statements(role) if it["Action"] == "kms:Decrypt"]

    assert conditions["kms:EncryptionContext:PARAMETER_ARN"] == {"Sub": _THE_KEY}
    assert conditions["kms:ViaService"] == {"Sub": "ssm.${AWS::Region}.amazonaws.com"}
    assert grant["Condition"] == {
        "StringEquals": {"kms:EncryptionContext:PARAMETER_ARN": {"Sub": _THE_KEY}}
    }


def test_the_key_gives_nobody_more_than_it_names() -> None:
    statements = properties("ServerKeyEncryption")["KeyPolicy"]["Statement"]

    assert "*" not in json.dumps([listed(it["Action"]) for it in statements])
    assert [
        it
        for it in statements
        if it["Principal"] != {"AWS": {"Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}}
    ] == []
