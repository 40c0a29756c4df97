"""Who may do what. `make rehearse` has an emulator refuse the rest."""

import json
from typing import Any

import pytest

from arbiter.adapters.items.games import PLAYERS
from tests.template.source import listed, named, properties, statements, template

_HERE = "${AWS::Region}:${AWS::AccountId}"
_KEY = f"arn:${{AWS::Partition}}:ssm:{_HERE}:parameter/${{AWS::StackName}}/server-secret-key"


def _statement(role: str, action: str) -> dict[str, Any]:
    (found,) = [it for it in statements(role) if action in listed(it["Action"])]
    return found


def test_roles_are_the_only_source_of_rights() -> None:
    assert not named("AWS::IAM::Policy") + named("AWS::IAM::ManagedPolicy")
    for function in named("AWS::Serverless::Function"):
        written = properties(function)
        assert written["Role"] == {"GetAtt": function.removesuffix("Function") + "Role.Arn"}
        added_by_sam = {"Policies", "Tracing", "VpcConfig", "DeadLetterQueue", "Connectors"}
        assert not added_by_sam & set(written)


@pytest.mark.parametrize("role", named("AWS::IAM::Role"))
def test_a_role_may_do_named_things_to_named_resources(role: str) -> None:
    for statement in statements(role):
        assert statement["Effect"] == "Allow"
        assert "*" not in "".join(listed(statement["Action"]))
        # Metrics have no ARNs.
        unnamed = "*" in listed(statement["Resource"])
        assert unnamed == (statement["Action"] == "cloudwatch:GetMetricStatistics")
    assert not {"ManagedPolicyArns", "PermissionsBoundary"} & set(properties(role))


_LOG = {"logs:CreateLogStream", "logs:PutLogEvents"}
_TAKE = {
    *("sqs:ChangeMessageVisibility", "sqs:DeleteMessage"),
    *("sqs:GetQueueAttributes", "sqs:ReceiveMessage"),
}
_SIGN = {"ssm:GetParameter", "kms:Decrypt"}
_ITEMS = {
    *("dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:PutItem"),
    *("dynamodb:Query", "dynamodb:UpdateItem"),
}
_SOCKETS = {"dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "execute-api:ManageConnections"}
_READ_PLAYERS = {"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:UpdateItem"}
_SCHEDULE = {"scheduler:CreateSchedule", "iam:PassRole"}
_LOOK = {"cloudwatch:GetMetricStatistics", "sqs:GetQueueAttributes"}


@pytest.mark.parametrize(
    ("role", "rights"),
    [
        ("ProcessEventsRole", _LOG | _TAKE | _SIGN | _ITEMS | _SOCKETS | _SCHEDULE),
        ("HouseRole", _LOG | _TAKE | _SIGN | {"dynamodb:GetItem"}),
        ("ClockRole", _LOG | _TAKE),
        ("RelayListenerRole", _LOG | _READ_PLAYERS),
        ("GatewayRole", _LOG | _SIGN | _ITEMS | _SOCKETS),
        ("HttpApiRole", _LOG | _ITEMS | _LOOK),
        ("SchedulerRole", set[str]()),
    ],
)
def test_a_role_has_the_rights_of_what_it_does_and_no_more(role: str, rights: set[str]) -> None:
    found = {action for it in statements(role) for action in listed(it["Action"])}

    assert found == rights | {"sqs:SendMessage"}


def test_the_table_of_rights_names_every_role() -> None:
    (marks,) = test_a_role_has_the_rights_of_what_it_does_and_no_more.pytestmark  # type: ignore[attr-defined]

    assert {role for role, _ in marks.args[1]} == {*named("AWS::IAM::Role")}


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
