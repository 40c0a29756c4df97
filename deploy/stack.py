"""The deployed stack, as CloudFormation describes it.

Missing credentials, region or stack are values with a line of text, not tracebacks: they are a
newcomer's first errors.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
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
    return Stack(
        {it["ParameterKey"]: it["ParameterValue"] for it in described["Parameters"]},
        {it["OutputKey"]: it["OutputValue"] for it in described.get("Outputs", ())},
    )


def describe_stack(stack_name: str) -> Stack | Refused:
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
                "Check account (aws sts get-caller-identity), region (echo $AWS_DEFAULT_REGION) "
                "and name (STACK=…): are they the right ones?"
            )
    return Refused(f"{error}\n{do}")


def arguments(module: str, about: str | None) -> argparse.ArgumentParser:
    """The command line of a program here: which stack, and the module's text as its help."""
    parser = argparse.ArgumentParser(
        prog=f"python -m deploy.{module}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--stack-name", default="arbiter")
    return parser


def run(act: Callable[[], int | Refused], after_trouble: str = "") -> int:
    """The exit code of a program; a refusal and AWS's errors are told in lines, and then
    ``after_trouble`` from AWS.
    """
    try:
        done = act()
    except (BotoCoreError, ClientError) as error:
        done = Refused(f"{refused_by_aws(error).text}\n{after_trouble}".strip())
    if isinstance(done, Refused):
        print(done.text, file=sys.stderr)
        return 1
    return done


def run_for(stack_name: str, act: Callable[[Stack], int | Refused], after_trouble: str = "") -> int:
    def with_stack() -> int | Refused:
        stack = describe_stack(stack_name)
        return stack if isinstance(stack, Refused) else act(stack)

    return run(with_stack, after_trouble)
