"""The emulated cloud of a rehearsal: what CloudFormation and logs say, not a command's output."""

import dataclasses
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from local.deploy import STACK_NAME
from local.environment import program_environment
from local.ministack import ministack_part
from local.processes import Part
from local.rehearsal.account import Account
from local.settings import ROOT, Settings

_PROGRAM_TIMEOUT_SECONDS = 60.0


def strict_ministack(settings: Settings) -> Part:
    """MiniStack, new and empty, with ten functions at once and roles enforced."""
    part = ministack_part(settings)
    strict = {
        "AUTH": "true",
        "LAMBDA_ACCOUNT_CONCURRENCY": "10",
        "PERSIST_STATE": "0",
        "S3_PERSIST": "0",
    }
    return dataclasses.replace(part, environment={**part.environment, **strict})


def operator(
    settings: Settings, module: str, *arguments: str, said: str
) -> "subprocess.CompletedProcess[str]":
    """A program of `deploy/`, run on the stack; ``said`` is its standard input."""
    return subprocess.run(
        (sys.executable, "-m", f"deploy.{module}", *arguments, "--stack-name", STACK_NAME),
        input=said,
        env=program_environment(settings),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_PROGRAM_TIMEOUT_SECONDS,
        check=False,
    )


class DeployedStack:
    """The stack, as CloudFormation, Lambda and the log tell of it."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def status(self) -> str:
        return str(self._described()["StackStatus"])

    def outputs(self) -> dict[str, str]:
        return {it["OutputKey"]: it["OutputValue"] for it in self._described()["Outputs"]}

    def delete(self) -> None:
        stacks = self._account.client("cloudformation")
        stacks.delete_stack(StackName=STACK_NAME)
        stacks.get_waiter("stack_delete_complete").wait(
            StackName=STACK_NAME, WaiterConfig={"Delay": 1}
        )

    def resources(self) -> dict[str, str]:
        return {
            it["LogicalResourceId"]: it.get("PhysicalResourceId", "")
            for page in self._pages("list_stack_resources")
            for it in page["StackResourceSummaries"]
        }

    def why_failed(self, resource: str) -> str:
        """Why a resource could not be made, by CloudFormation's events; empty if it was."""
        # AWS says CREATE_FAILED; the emulator says UPDATE_FAILED of new resources too.
        return next(
            (
                str(event.get("ResourceStatusReason"))
                for page in self._pages("describe_stack_events")
                for event in page["StackEvents"]
                if event["LogicalResourceId"] == resource
                and event["ResourceStatus"].endswith("_FAILED")
            ),
            "",
        )

    def function(self, name: str) -> tuple[str, Mapping[str, str]]:
        """The hash of a function's code, and its variables."""
        found = self._account.client("lambda").get_function_configuration(FunctionName=name)
        return found["CodeSha256"], found["Environment"]["Variables"]

    def invoke(self, name: str, invocation: object) -> Any:  # noqa: ANN401 - JSON
        payload = json.dumps(invocation).encode()
        answer = self._account.client("lambda").invoke(FunctionName=name, Payload=payload)
        return json.loads(answer["Payload"].read())

    def start(self, name: str) -> None:
        self._account.client("lambda").invoke(FunctionName=name, InvocationType="Event")

    def log_says(self, group: str, text: str) -> bool:
        logs = self._account.client("logs")
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group)
        return any(text in event["message"] for page in pages for event in page["events"])

    def dead_letters(self) -> int:
        sqs = self._account.client("sqs")
        urls = [url for key, url in self.outputs().items() if key.endswith("DeadLettersUrl")]
        asked = "ApproximateNumberOfMessages"
        return sum(
            int(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[asked])["Attributes"][asked])
            for url in urls
        )

    def _described(self) -> Mapping[str, Any]:
        stacks = self._account.client("cloudformation")
        found: Mapping[str, Any] = stacks.describe_stacks(StackName=STACK_NAME)["Stacks"][0]
        return found

    def _pages(self, operation: str) -> Iterable[Mapping[str, Any]]:
        stacks = self._account.client("cloudformation")
        pages: Iterable[Mapping[str, Any]] = stacks.get_paginator(operation).paginate(
            StackName=STACK_NAME
        )
        return pages
