"""`make undeploy` deletes all, tells it, and may be repeated; nothing goes unasked."""

from collections.abc import Iterator
from functools import cache
from io import StringIO
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from deploy import undeploy
from deploy.stack import Stack
from deploy.undeploy import delete_all

TEMPLATE = """{"Resources": {"Table": {"Type": "AWS::DynamoDB::Table", "DeletionPolicy": "Retain",
  "Properties": {"TableName": "games", "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}}}}"""
UPLOADS = """{"Resources": {"Bucket": {"Type": "AWS::S3::Bucket",
  "Properties": {"BucketName": "uploads", "VersioningConfiguration": {"Status": "Enabled"}}}},
  "Outputs": {"SourceBucket": {"Value": "uploads"}}}"""


@cache
def client(service: Any) -> Any:
    """Made once: to make one takes a third of a second."""
    return boto3.client(service, "us-east-1")


@pytest.fixture
def stack() -> Iterator[Stack]:
    """A table that is protected, a secret under a key, a stack, and a bucket with an upload."""
    with mock_aws():
        stacks = client("cloudformation")
        stacks.create_stack(StackName="arbiter", TemplateBody=TEMPLATE)
        stacks.create_stack(StackName="aws-sam-cli-managed-default", TemplateBody=UPLOADS)
        client("dynamodb").update_table(TableName="games", DeletionProtectionEnabled=True)
        for body in (b"a", b"b"):
            client("s3").put_object(Bucket="uploads", Key="code", Body=body)
        client("s3").create_bucket(Bucket="transcripts")
        client("s3").put_object(Bucket="transcripts", Key="game", Body=b"a")
        key = client("kms").create_key()["KeyMetadata"]["Arn"]
        client("ssm").put_parameter(Name="/secret", Value="x", Type="SecureString", KeyId=key)
        outputs = {"KeyParameterName": "/secret", "TableName": "games", "KeyEncryptionKeyArn": key}
        outputs["TranscriptsBucket"] = "transcripts"
        yield Stack({}, outputs)


def test_nothing_is_left_but_a_key_that_waits_for_its_deletion(stack: Stack) -> None:
    said = "\n".join(delete_all("arbiter", stack, client))

    assert client("dynamodb").list_tables()["TableNames"] == []
    assert client("ssm").describe_parameters()["Parameters"] == []
    assert client("s3").list_buckets()["Buckets"] == []
    assert client("cloudformation").describe_stacks()["Stacks"] == []
    key = stack.outputs["KeyEncryptionKeyArn"]
    assert client("kms").describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "PendingDeletion"
    for named in ("/secret", "games", "arbiter", "uploads", "transcripts", key):
        assert named in said


def test_an_interrupted_run_is_repeated(stack: Stack) -> None:
    steps = delete_all("arbiter", stack, client)
    for _ in range(3):
        next(steps)

    assert len([*delete_all("arbiter", stack, client)]) == 6
    assert client("dynamodb").list_tables()["TableNames"] == []


def test_uploads_of_other_applications_stay(stack: Stack) -> None:
    other = TEMPLATE.replace("games", "others")
    client("cloudformation").create_stack(StackName="another", TemplateBody=other)

    assert "another" in [*delete_all("arbiter", stack, client)][-1]
    assert [it["Name"] for it in client("s3").list_buckets()["Buckets"]] == ["uploads"]


def test_what_is_refused_is_no_success(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = ClientError({"Error": {"Code": "AccessDeniedException"}}, "DeleteTable")

    def refuse(*_: Any) -> None:
        raise refused

    monkeypatch.setattr(undeploy, "_delete_table", refuse)
    with pytest.raises(ClientError):
        list(delete_all("arbiter", stack, client))
    assert client("cloudformation").describe_stacks()["Stacks"]


def test_without_the_stacks_name_nothing_is_deleted(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("deploy.stack.describe_stack", lambda _: stack)
    monkeypatch.setattr("sys.argv", ["undeploy"])
    for typed in ("", "\n", "y\n", "Arbiter\n"):
        monkeypatch.setattr("sys.stdin", StringIO(typed))

        assert undeploy.main() == 1, typed
        assert "Nothing was deleted" in capsys.readouterr().err
    assert client("dynamodb").list_tables()["TableNames"] == ["games"]
