"""The deployed stack. Missing credentials, region or stack are a line of text, no traceback."""

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


class Refused(Exception):
    """The reason why nothing was done; the text is for the operator and contains no secret."""


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


def describe_stack(stack_name: str) -> Stack:
    try:
        client = boto3.client("cloudformation")
        stack = stack_of(client.describe_stacks(StackName=stack_name)["Stacks"][0])
    except (BotoCoreError, ClientError) as error:
        raise refused_by_aws(error) from error
    if not stack.outputs:
        raise Refused(
            f"The stack {stack_name} is not completely deployed: make deploy\n"
            "If its first deployment failed, before that: "
            f"aws cloudformation delete-stack --stack-name {stack_name}"
        )
    return stack


def refused_by_aws(error: BotoCoreError | ClientError) -> Refused:
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


def run(act: Callable[[], int], after_trouble: str = "") -> int:
    """The exit code; a refusal and AWS's errors are lines of text, then ``after_trouble``."""
    try:
        return act()
    except Refused as refused:
        print(refused, file=sys.stderr)
    except (BotoCoreError, ClientError) as error:
        print(f"{refused_by_aws(error)}\n{after_trouble}".strip(), file=sys.stderr)
    return 1


def run_for(stack_name: str, act: Callable[[Stack], int], after_trouble: str = "") -> int:
    return run(lambda: act(describe_stack(stack_name)), after_trouble)
