"""The deployed stack, as CloudFormation describes it.

Missing credentials, region or stack are values with a line of text, not tracebacks: they are a
newcomer's first errors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
)
from botocore.exceptions import ConnectionError as Unconnected


@dataclass(frozen=True, slots=True)
class Refused:
    """The reason why nothing was done; ``text`` is for the operator and contains no secret."""

    text: str


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack's parameters and outputs."""

    parameters: Mapping[str, str]
    outputs: Mapping[str, str]


def stack_of(described: Mapping[str, Any]) -> Stack:
    """Reads one stack of a ``DescribeStacks`` answer."""
    return Stack(
        {it["ParameterKey"]: it["ParameterValue"] for it in described["Parameters"]},
        {it["OutputKey"]: it["OutputValue"] for it in described.get("Outputs", ())},
    )


def describe_stack(stack_name: str) -> Stack | Refused:
    """The stack of this name in the shell's account and region."""
    try:
        client = boto3.client("cloudformation")
        stack = stack_of(client.describe_stacks(StackName=stack_name)["Stacks"][0])
    except (BotoCoreError, ClientError) as error:
        return refused_by_aws(error)
    if not stack.outputs:
        return Refused(
            f"The stack {stack_name} is not completely deployed: make deploy\n"
            "If its first deployment failed, before that: "
            f"aws cloudformation delete-stack --stack-name {stack_name}"
        )
    return stack


def refused_by_aws(error: BotoCoreError | ClientError) -> Refused:
    """AWS's error, and what to check."""
    match error:
        case NoCredentialsError() | PartialCredentialsError() | ProfileNotFound():
            do = "Log in first (aws configure, AWS_PROFILE): aws sts get-caller-identity answers."
        case NoRegionError():
            do = "Choose a region near your players: export AWS_DEFAULT_REGION=eu-central-1"
        case HTTPClientError() | Unconnected():
            do = "Is this machine online, and $AWS_DEFAULT_REGION a region? Then the same again."
        case _:
            do = (
                "Check that this shell uses the right account and region "
                "(aws sts get-caller-identity, echo $AWS_DEFAULT_REGION), and STACK=… for another "
                "name."
            )
    return Refused(f"{error}\n{do}")
