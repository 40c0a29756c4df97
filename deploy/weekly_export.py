"""Exports the games to S3 every week by a stack of its own, whose schedule has DynamoDB write all
items into a bucket, which forgets them after ninety days. It outlives the arbiter.
"""

import sys
from pathlib import Path
from typing import cast

import boto3
from botocore.exceptions import ClientError

from deploy.stack import Stack, arguments, run_for
from deploy.undeploy import Client

TEMPLATE = Path(__file__).with_name("weekly_export.yaml")


def begin(stack_name: str, stack: Stack, client: Client) -> str:
    """Make the stack, or update it; its bucket. Raises botocore's errors."""
    stacks, name = client("cloudformation"), f"{stack_name}-export"
    asked = {
        "StackName": name,
        "TemplateBody": TEMPLATE.read_text(encoding="utf-8"),
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
    name = arguments("weekly_export", __doc__).parse_args().stack_name

    def act(stack: Stack) -> int:
        bucket = begin(name, stack, cast("Client", boto3.client))
        print(f"Every week all items go to s3://{bucket}, for ninety days.")
        return 0

    return run_for(name, act)


if __name__ == "__main__":
    sys.exit(main())
