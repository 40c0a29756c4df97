"""Exports the games to S3 every week by a stack of its own, whose schedule has DynamoDB write all
items into a bucket, which forgets them after ninety days. It outlives the arbiter.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, cast

import boto3
from botocore.exceptions import ClientError

from deploy.stack import Stack, arguments, run_for
from deploy.undeploy import Client

KEPT_DAYS = 90

_EXPORT = "arn:${AWS::Partition}:scheduler:::aws-sdk:dynamodb:exportTableToPointInTime"
_OF_TABLE = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${Table}"


def template() -> Mapping[str, Any]:
    """The stack: a bucket, a schedule, and the schedule's role."""
    bucket = {
        "Type": "AWS::S3::Bucket",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": {
            "PublicAccessBlockConfiguration": dict.fromkeys(
                (
                    *("BlockPublicAcls", "BlockPublicPolicy"),
                    *("IgnorePublicAcls", "RestrictPublicBuckets"),
                ),
                True,
            ),
            "LifecycleConfiguration": {
                "Rules": [{"Status": "Enabled", "ExpirationInDays": KEPT_DAYS}]
            },
        },
    }
    asked = (
        '{"TableArn": "'
        + _OF_TABLE
        + '", "S3Bucket": "${Bucket}", "ExportFormat": "DYNAMODB_JSON"}'
    )
    schedule = {
        "Type": "AWS::Scheduler::Schedule",
        "Properties": {
            "ScheduleExpression": "rate(7 days)",
            "FlexibleTimeWindow": {"Mode": "OFF"},
            "Target": {
                "Arn": {"Fn::Sub": _EXPORT},
                "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
                "Input": {"Fn::Sub": asked},
            },
        },
    }
    return {
        "Parameters": {"Table": {"Type": "String"}},
        "Resources": {"Bucket": bucket, "Schedule": schedule, "Role": _role()},
        "Outputs": {"Bucket": {"Value": {"Ref": "Bucket"}}},
    }


def _role() -> Mapping[str, Any]:
    trusted = {"Effect": "Allow", "Principal": {"Service": "scheduler.amazonaws.com"}}
    own = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    statements = [
        {
            "Effect": "Allow",
            "Action": "dynamodb:ExportTableToPointInTime",
            "Resource": {"Fn::Sub": _OF_TABLE},
        },
        {
            "Effect": "Allow",
            "Action": ["s3:AbortMultipartUpload", "s3:PutObject"],
            "Resource": {"Fn::Sub": "${Bucket.Arn}/*"},
        },
    ]
    policy = {"Version": "2012-10-17", "Statement": statements}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [{**trusted, "Action": "sts:AssumeRole", "Condition": own}],
            },
            "Policies": [{"PolicyName": "export", "PolicyDocument": policy}],
        },
    }


def begin(stack_name: str, stack: Stack, client: Client) -> str:
    """Make the stack, or update it; its bucket. Raises botocore's errors."""
    stacks, name = client("cloudformation"), f"{stack_name}-export"
    asked = {
        "StackName": name,
        "TemplateBody": json.dumps(template()),
        "Parameters": [{"ParameterKey": "Table", "ParameterValue": stack.outputs["TableName"]}],
        "Capabilities": ["CAPABILITY_IAM"],
    }
    try:
        stacks.create_stack(**asked)
        stacks.get_waiter("stack_create_complete").wait(StackName=name)
    except ClientError as error:
        if error.response["Error"]["Code"] != "AlreadyExistsException":
            raise
    (output,) = stacks.describe_stacks(StackName=name)["Stacks"][0]["Outputs"]
    return str(output["OutputValue"])


def main() -> int:
    """Begin, and say where. Return 1 if that failed."""
    name = arguments("weekly_export", __doc__).parse_args().stack_name

    def act(stack: Stack) -> int:
        bucket = begin(name, stack, cast("Client", boto3.client))
        print(f"Every week all items go to s3://{bucket}, for {KEPT_DAYS} days.")
        return 0

    return run_for(name, act)


if __name__ == "__main__":
    sys.exit(main())
