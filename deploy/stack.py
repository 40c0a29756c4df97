"""The deployed stack, as CloudFormation tells of it.

The law: whoever has no credentials yet, no region or no stack is told so in a line. These are the
first things that go wrong for a newcomer, and a traceback says them badly.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError


@dataclass(frozen=True, slots=True)
class Refused:
    """Why nothing was done; ``text`` is a line for a person and shows no secret."""

    text: str


@dataclass(frozen=True, slots=True)
class Stack:
    """What a stack was given, and what it put out."""

    parameters: Mapping[str, str]
    outputs: Mapping[str, str]


def stack_of(described: Mapping[str, Any]) -> Stack:
    """One of CloudFormation's ``DescribeStacks``."""
    return Stack(
        {it["ParameterKey"]: it["ParameterValue"] for it in described["Parameters"]},
        {it["OutputKey"]: it["OutputValue"] for it in described.get("Outputs", ())},
    )


def found(stack_name: str) -> Stack | Refused:
    """The stack of this name, in the account and the region that this shell is for."""
    try:
        client = boto3.client("cloudformation")
        stack = stack_of(client.describe_stacks(StackName=stack_name)["Stacks"][0])
    except (BotoCoreError, ClientError) as error:
        return not_had(error)
    if not stack.outputs:
        return Refused(f"The stack {stack_name} is not deployed to its end: make deploy")
    return stack


def not_had(error: BotoCoreError | ClientError) -> Refused:
    """What AWS said, and what to look at."""
    return Refused(
        f"{error}\nLook whether this shell is for the right account and region "
        "(aws sts get-caller-identity, echo $AWS_DEFAULT_REGION), and STACK=… for another name."
    )
