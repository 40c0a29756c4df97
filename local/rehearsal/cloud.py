"""The emulated cloud of a rehearsal, and questions about its stack.

Invariant: a command's own output proves nothing. A deployment is what CloudFormation reports, and a
changed function is one whose log shows it.
"""

import dataclasses
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arbiter.nostr.keys import SecretKey
from local.deploy import STACK_NAME
from local.environment import program_environment
from local.ministack import ministack_part, running
from local.processes import Part
from local.rehearsal import CheckFailed, expect
from local.rehearsal.account import Account
from local.rehearsal.iam_usage import Call, Grant, calls_from, grants_of
from local.settings import ROOT, Settings

_PROGRAM_TIMEOUT_SECONDS = 60.0
_OF_THE_STACK = ("--stack-name", STACK_NAME)


def strict_ministack(settings: Settings) -> Part:
    """MiniStack with an empty new account, which runs ten functions at once, refusing functions
    what their roles do not grant.
    """
    part = ministack_part(settings)
    program = ROOT / "local" / "ministack_with_records.py"
    environment = {
        **part.environment,
        "AUTH": "true",
        "LAMBDA_ACCOUNT_CONCURRENCY": "10",
        "CALLS_FILE": str(calls_file(settings)),
        "PERSIST_STATE": "0",
        "S3_PERSIST": "0",
    }
    return dataclasses.replace(part, command=running(program, settings), environment=environment)


def calls_file(settings: Settings) -> Path:
    """Where the calls of all functions are written down."""
    return settings.run_dir / "calls.jsonl"


def store_key(settings: Settings, key: SecretKey) -> str:
    """`deploy.server_key store`, the secret on its standard input; what it says."""
    done = program(
        settings, "deploy.server_key", "store", *_OF_THE_STACK, said=key.to_nsec() + "\n"
    )
    expect(done.returncode == 0, f"the key was not stored: {done.stderr}")
    return done.stdout.strip()


def program(
    settings: Settings, module: str, *arguments: str, said: str = ""
) -> "subprocess.CompletedProcess[str]":
    """A program of this repository, run as by an operator against the account; ``said`` is its
    standard input.
    """
    return subprocess.run(
        (sys.executable, "-m", module, *arguments),
        input=said,
        env=program_environment(settings),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_PROGRAM_TIMEOUT_SECONDS,
        check=False,
    )


def last_update_of(newest_first: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Those of a stack's events that belong to its last update, the oldest first."""
    found = []
    for event in newest_first:
        found.append(event)
        is_the_stack = event["LogicalResourceId"] == STACK_NAME
        if is_the_stack and event["ResourceStatus"] == "UPDATE_IN_PROGRESS":
            break
    return tuple(reversed(found))


class DeployedStack:
    """The stack, as CloudFormation, Lambda, IAM and the log tell of it."""

    def __init__(self, account: Account, calls: Path) -> None:
        """``calls`` is what the strict MiniStack writes."""
        self._account = account
        self._calls = calls

    def status(self) -> str:
        """The stack's status by CloudFormation."""
        return str(self._described()["StackStatus"])

    def outputs(self) -> dict[str, str]:
        """Its outputs by key."""
        return {it["OutputKey"]: it["OutputValue"] for it in self._described()["Outputs"]}

    def resources(self) -> dict[str, str]:
        """The name of each of its resources in the account, by logical id."""
        return {
            it["LogicalResourceId"]: it.get("PhysicalResourceId", "")
            for page in self._pages("list_stack_resources")
            for it in page["StackResourceSummaries"]
        }

    def last_update(self) -> tuple[Mapping[str, Any], ...]:
        """CloudFormation's events of the last update, the oldest first."""
        pages = self._pages("describe_stack_events")
        return last_update_of([event for page in pages for event in page["StackEvents"]])

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

    def function(self, name: str) -> tuple[str, Mapping[str, str]]:
        """The hash of a function's code, and its variables."""
        found = self._account.client("lambda").get_function_configuration(FunctionName=name)
        return found["CodeSha256"], found["Environment"]["Variables"]

    def listen(self, name: str) -> None:
        """Start the listener function, as its schedule does within fourteen minutes."""
        self._account.client("lambda").invoke(FunctionName=name, InvocationType="Event")

    def ask_probe(self, name: str, calls: Sequence[Mapping[str, Any]]) -> list[str]:
        """The answers to a probe's calls: an error code, or `allowed`."""
        answer = self._account.client("lambda").invoke(
            FunctionName=name, Payload=json.dumps({"calls": calls}).encode()
        )
        told = json.loads(answer["Payload"].read())
        if "FunctionError" in answer or not isinstance(told, list):
            raise CheckFailed(f"{name} fails: {told}")
        return told

    def log_says(self, group: str, text: str) -> bool:
        """Whether a line of this log has this text."""
        logs = self._account.client("logs")
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group)
        return any(text in event["message"] for page in pages for event in page["events"])

    def dead_letters(self) -> int:
        """How many records became dead letters, in all queues."""
        sqs = self._account.client("sqs")
        urls = [url for key, url in self.outputs().items() if key.endswith("DeadLettersUrl")]
        asked = "ApproximateNumberOfMessages"
        return sum(
            int(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[asked])["Attributes"][asked])
            for url in urls
        )

    def grants(self) -> tuple[Grant, ...]:
        """Everything that every role in the account is granted; none has a policy of AWS's own."""
        iam = self._account.client("iam")
        found: list[Grant] = []
        for role in iam.list_roles()["Roles"]:
            name = role["RoleName"]
            attached = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
            expect(not attached, f"{name} has policies that are not in the template: {attached}")
            for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]:
                document = iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
                found.extend(grants_of(name, document))
        return tuple(found)

    def calls(self, left_out: "re.Pattern[str]") -> Counter[Call]:
        """What functions asked for so far, but for those in whose names this pattern is found."""
        if not self._calls.exists():
            return Counter()
        with self._calls.open(encoding="utf-8") as lines:
            every = calls_from(lines)
        return Counter(
            {it: count for it, count in every.items() if not left_out.search(it.function)}
        )
