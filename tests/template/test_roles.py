"""Who may do what: every grant is listed, so that a new one shows up in a review."""

import json
from typing import Any

import pytest

from arbiter.adapters.dynamodb.game_items import PLAYERS
from tests.template.source import listed, named, properties, statements, template

_HERE = "${AWS::Region}:${AWS::AccountId}"
_KEY = f"arn:${{AWS::Partition}}:ssm:{_HERE}:parameter${{KeyParameterName}}"
_SCHEDULES = f"arn:${{AWS::Partition}}:scheduler:{_HERE}:schedule/${{Schedules}}/*"
_OUTBOX = f"arn:${{AWS::Partition}}:sqs:{_HERE}:${{AWS::StackName}}-scuttlebutt.fifo"
_HOUSE = _OUTBOX.replace("scuttlebutt", "house")
_SOCKETS = f"arn:${{AWS::Partition}}:execute-api:{_HERE}:${{GatewayApi}}/v1/*"
_CONSUME = "ChangeMessageVisibility DeleteMessage GetQueueAttributes ReceiveMessage"

_GRANTS = {
    "ClockRole": {
        "MovesQueue": "sqs SendMessage",
        "ClockQueue": f"sqs {_CONSUME} SendMessage",
    },
    "GatewayRole": {
        "MovesQueue": "sqs SendMessage",
        "SeeksQueue": "sqs SendMessage",
        "ServerKeyEncryption": "kms Decrypt",
        "ShortLivedTable": "dynamodb BatchGetItem BatchWriteItem DeleteItem PutItem "
        "Query UpdateItem",
        "Table": "dynamodb GetItem",
        _SOCKETS: "execute-api ManageConnections",
        _KEY: "ssm GetParameter",
    },
    "HouseRole": {
        "HouseQueue": f"sqs {_CONSUME}",
        "MovesQueue": "sqs SendMessage",
        "SeeksQueue": "sqs SendMessage",
        "ServerKeyEncryption": "kms Decrypt",
        "Table": "dynamodb GetItem",
        _KEY: "ssm GetParameter",
    },
    "HttpApiRole": {
        **{
            f"${{Table.Arn}}/index/{index}": "dynamodb Query"
            for index in ("ladder", "white", "black", "live")
        },
        **{
            f"{queue}{kind}": "sqs GetQueueAttributes"
            for queue in ("Moves", "Seeks")
            for kind in ("Queue", "DeadLetters")
        },
        "ClockDeadLetters": "sqs GetQueueAttributes",
        "RepublishDeadLetters": "sqs GetQueueAttributes",
        "RepublishQueue": "sqs SendMessage",
        _OUTBOX.replace(".fifo", "-dead.fifo"): "sqs GetQueueAttributes",
        "ShortLivedTable": "dynamodb Query UpdateItem",
        "Table": "dynamodb BatchGetItem GetItem PutItem UpdateItem",
        "*": "cloudwatch GetMetricStatistics",  # metrics have no ARNs
    },
    "ProcessEventsRole": {
        "ClockQueue": "sqs SendMessage",
        "MovesQueue": f"sqs {_CONSUME}",
        "SeeksQueue": f"sqs {_CONSUME}",
        "RepublishQueue": f"sqs {_CONSUME} SendMessage",
        "SchedulerRole": "iam PassRole",
        "ServerKeyEncryption": "kms Decrypt",
        "ShortLivedTable": "dynamodb BatchGetItem BatchWriteItem DeleteItem Query UpdateItem",
        "Table": "dynamodb DeleteItem GetItem PutItem UpdateItem",
        _SOCKETS: "execute-api ManageConnections",
        _SCHEDULES: "scheduler CreateSchedule",
        _OUTBOX: "sqs SendMessage",
        _HOUSE: "sqs SendMessage",
        _KEY: "ssm GetParameter",
    },
    "RelayListenerRole": {
        "MovesQueue": "sqs SendMessage",
        "SeeksQueue": "sqs SendMessage",
        "Table": "dynamodb BatchGetItem GetItem UpdateItem",
    },
    "SchedulerRole": {"ClockQueue": "sqs SendMessage"},
}


def _statement(role: str, action: str) -> dict[str, Any]:
    (found,) = [it for it in statements(role) if action in listed(it["Action"])]
    return found


def _granted(role: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for statement in statements(role):
        assert statement["Effect"] == "Allow"
        for resource in listed(statement["Resource"]):
            name = resource if resource == "*" else str(*resource.values()).removesuffix(".Arn")
            found.setdefault(name, set()).update(listed(statement["Action"]))
    return found


@pytest.mark.parametrize("role", named("AWS::IAM::Role"))
def test_a_role_may_do_exactly_what_is_listed(role: str) -> None:
    expected = {
        resource: {f"{grant.split()[0]}:{action}" for action in grant.split()[1:]}
        for resource, grant in _GRANTS[role].items()
    }
    if role != "SchedulerRole":
        expected[role.removesuffix("Role") + "Log"] = {"logs:CreateLogStream", "logs:PutLogEvents"}

    assert _granted(role) == expected
    assert not {"ManagedPolicyArns", "PermissionsBoundary"} & set(properties(role))


def test_roles_are_the_only_source_of_rights() -> None:
    assert not named("AWS::IAM::Policy") + named("AWS::IAM::ManagedPolicy")
    for function in named("AWS::Serverless::Function"):
        written = properties(function)
        assert written["Role"] == {"GetAtt": function.removesuffix("Function") + "Role.Arn"}
        added_by_sam = {"Policies", "Tracing", "VpcConfig", "DeadLetterQueue", "Connectors"}
        assert not added_by_sam & set(written)


_WILDCARDS = {
    # Refusals of everything without TLS.
    *(
        (policy, key, value)
        for policy in ("TlsOnly", "ScuttlebuttTlsOnly", "HouseTlsOnly")
        for key, value in (("Principal", "*"), ("Action", "sqs:*"), ("Resource", "*"))
    ),
    ("ServerKeyEncryption", "Resource", "*"),  # the key whose policy it is
    ("HttpApiRole", "Resource", "*"),  # metrics have no ARNs
    ("ProcessEventsRole", "Resource", _SCHEDULES),  # named after game, ply and time
    ("ProcessEventsRole", "Resource", _SOCKETS),  # sockets come and go
    ("GatewayRole", "Resource", _SOCKETS),
    ("GatewayMayInvoke", "SourceArn", _SOCKETS),  # the routes of the one stage
    ("HttpMayInvoke", "SourceArn", _SOCKETS.replace("GatewayApi}/v1/*", "HttpApi}/*/$default")),
}

_GRANTING = {
    *("Action", "NotAction", "Resource", "NotResource", "Principal", "NotPrincipal"),
    *("AWS", "Service", "SourceArn", "aws:SourceArn"),
}


def _wildcards(name: str, value: Any, where: str = "") -> set[tuple[str, str, str]]:
    """Every text with a star in what a resource grants or refuses, with its key."""
    match value:
        case dict():
            # Intrinsic functions are on the way to a text.
            found = (
                _wildcards(name, it, where if key in {"Sub", "If"} else key)
                for key, it in value.items()
            )
            return set().union(*found)
        case list():
            return set().union(*(_wildcards(name, it, where) for it in value))
        case str() if "*" in value and where in _GRANTING:
            return {(name, where, value)}
        case _:
            return set()


def test_every_wildcard_of_the_template_is_listed() -> None:
    resources = template()["Resources"].items()
    found = (_wildcards(name, it.get("Properties", {})) for name, it in resources)

    assert set().union(*found) == _WILDCARDS


def test_who_writes_one_item_of_the_games_table_is_bound_to_that_item() -> None:
    condition = _statement("RelayListenerRole", "dynamodb:UpdateItem")["Condition"]

    assert "dynamodb:LeadingKeys" in json.dumps(condition)


def test_the_listener_reads_the_players_of_a_game_and_nothing_else_of_it() -> None:
    assert _statement("RelayListenerRole", "dynamodb:BatchGetItem")["Condition"] == {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": PLAYERS.split(", ")},
        "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
    }


@pytest.mark.parametrize("role", named("AWS::IAM::Role"))
def test_a_role_is_assumed_by_lambda_or_by_our_schedules(role: str) -> None:
    (trust,) = properties(role)["AssumeRolePolicyDocument"]["Statement"]
    service = "scheduler" if role == "SchedulerRole" else "lambda"

    assert trust["Principal"] == {"Service": f"{service}.amazonaws.com"}
    if role == "SchedulerRole":
        assert trust["Condition"]["StringEquals"] == {
            "aws:SourceAccount": {"Ref": "AWS::AccountId"},
            "aws:SourceArn": {"GetAtt": "Schedules.Arn"},
        }


def test_the_schedules_role_is_passed_to_scheduler_alone() -> None:
    condition = _statement("ProcessEventsRole", "iam:PassRole")["Condition"]

    assert condition == {"StringEquals": {"iam:PassedToService": "scheduler.amazonaws.com"}}


def test_only_functions_that_sign_know_the_keys_parameter() -> None:
    told = [
        name
        for name in named("AWS::Serverless::Function")
        if "KEY_PARAMETER" in properties(name)["Environment"]["Variables"]
    ]

    assert told == ["ProcessEventsFunction", "HouseFunction", "GatewayFunction"]
    assert "KEY_PARAMETER" not in template()["Globals"]["Function"]["Environment"]["Variables"]


def test_without_a_key_of_its_own_the_stack_grants_no_use_of_one() -> None:
    """The account's key for Systems Manager lets its users decrypt what they may read."""
    conditional = [
        statement["If"]
        for role in named("AWS::IAM::Role")
        for policy in properties(role)["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
        if "If" in statement
    ]

    assert [(condition, then["Action"]) for condition, then, _ in conditional] == [
        ("HasOwnEncryption", "kms:Decrypt")
    ] * 3
    assert template()["Resources"]["ServerKeyEncryption"]["Condition"] == "HasOwnEncryption"
    own = {"GetAtt": "ServerKeyEncryption.Arn"}
    told = {"If": ["HasOwnEncryption", own, "alias/aws/ssm"]}
    assert template()["Outputs"]["KeyEncryptionKeyArn"]["Value"] == told


def test_the_key_decrypts_one_parameter_and_only_through_systems_manager() -> None:
    parameter = {"kms:EncryptionContext:PARAMETER_ARN": {"Sub": _KEY}}
    statements = properties("ServerKeyEncryption")["KeyPolicy"]["Statement"]
    (decrypting,) = [it for it in statements if "kms:Decrypt" in listed(it["Action"])]
    account = {"AWS": {"Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}}

    via = {"kms:ViaService": {"Sub": "ssm.${AWS::Region}.amazonaws.com"}}
    assert parameter | via == {
        name: decrypting["Condition"]["StringEquals"].get(name) for name in parameter | via
    }
    for role in ("ProcessEventsRole", "HouseRole", "GatewayRole"):
        assert _statement(role, "kms:Decrypt")["Condition"] == {"StringEquals": parameter}
    assert [it for it in statements if it["Principal"] != account] == []
