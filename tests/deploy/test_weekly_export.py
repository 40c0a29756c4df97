"""The weekly export: DynamoDB writes the games into a bucket of a stack beside the arbiter's."""

import json

import boto3
import pytest
import yaml
from cfnlint.api import lint  # type: ignore[import-untyped]
from moto import mock_aws

from deploy.stack import Stack
from deploy.weekly_export import TEMPLATE, begin


@pytest.fixture(autouse=True)
def region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


def test_cloudformation_takes_the_template() -> None:
    assert lint(TEMPLATE.read_text(encoding="utf-8")) == []


@pytest.mark.filterwarnings("ignore:Tried to parse AWS..Scheduler..Schedule")
def test_it_is_made_once_and_found_again() -> None:
    stack = Stack({}, {"TableName": "games"})
    with mock_aws():
        first, again = (begin("mine", stack, boto3.client) for _ in range(2))  # type: ignore[arg-type]
        assert first == again
        assert [it["Name"] for it in boto3.client("s3").list_buckets()["Buckets"]] == [first]


def test_the_export_asks_for_the_arbiters_table_and_may_do_nothing_else() -> None:
    made = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["Resources"]
    asked = made["Schedule"]["Properties"]["Target"]["Input"]["Fn::Sub"]
    assert "table/${Table}" in json.loads(asked)["TableArn"]
    (policy,) = made["Role"]["Properties"]["Policies"]
    actions = [it["Action"] for it in policy["PolicyDocument"]["Statement"]]
    assert actions == [
        "dynamodb:ExportTableToPointInTime",
        ["s3:AbortMultipartUpload", "s3:PutObject"],
    ]
