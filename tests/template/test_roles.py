"""Who takes a role, and who may use the key. What each role may do is in test_values.py, and
`make rehearse` has an emulator refuse the rest.
"""

import pytest

from tests.template.source import listed, named, properties, template

_HERE = "${AWS::Region}:${AWS::AccountId}"
_KEY = f"arn:${{AWS::Partition}}:ssm:{_HERE}:parameter/${{AWS::StackName}}/server-secret-key"


def test_roles_are_the_only_source_of_rights() -> None:
    assert not named("AWS::IAM::Policy") + named("AWS::IAM::ManagedPolicy")
    for function in named("AWS::Serverless::Function"):
        written = properties(function)
        assert written["Role"] == {"GetAtt": function.removesuffix("Function") + "Role.Arn"}
        added_by_sam = {"Policies", "Tracing", "VpcConfig", "DeadLetterQueue", "Connectors"}
        assert not added_by_sam & set(written)


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


def test_without_a_key_of_its_own_the_stack_names_the_accounts() -> None:
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
    assert [it for it in statements if it["Principal"] != account] == []
