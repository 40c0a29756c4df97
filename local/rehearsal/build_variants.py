"""Variants of what `sam build` made: unchanged, with a changed function, and one that cannot be
deployed.

Invariant: only a copy in the run's folder is changed, and of a function only its log, so games go
on. Each variant logs its name, which shows whose code answered.

The probes are functions under the arbiter's roles that try what they are given and return how it
was refused: a check that refuses nothing would find every role sufficient.
"""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from local.ministack_with_records import WITHOUT_TLS

CHANGED_FUNCTION = "ProcessEventsFunction"
# What is made for good in the second variant, so that its removal can be looked at as well.
ADDED_QUEUE = "RehearsalQueue"
# AWS and the emulator alike refuse a FIFO queue whose name does not end in .fifo, and both find
# out only when they are about to make it.
IMPOSSIBLE = "RehearsalImpossible"
# Under a role that may send to the queues, a function that is taken to speak without TLS.
PLAIN_PROBE = WITHOUT_TLS
PLAIN_PROBE_ROLE = "RelayListenerRole"
# A part of every probe's name in the account.
PROBES = re.compile(f"RoleProbe-|{PLAIN_PROBE}-")
_PROBES_LOG = "RehearsalLog"

_PROBE = """\
import boto3

def handler(invocation, context):
    found = []
    for call in invocation["calls"]:
        client = boto3.client(call["service"])
        try:
            getattr(client, call["operation"])(**call["arguments"])
            found.append("allowed")
        except client.exceptions.ClientError as refusal:
            found.append(refusal.response["Error"]["Code"])
    return found
"""


def variant(built: Path, folder: Path, name: str) -> dict[str, Any]:
    """A copy of what was built, in ``folder``, whose function says this variant's name; its
    template. The copy has no template yet: see `written`.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built, folder)
    app = folder / CHANGED_FUNCTION / "app.py"
    with app.open("a", encoding="utf-8") as code:
        code.write(f'\nprint("{log_line_of(name)}")\n')
    template: dict[str, Any] = yaml.safe_load((built / "template.yaml").read_text("utf-8"))
    return template


def log_line_of(name: str) -> str:
    """What the function of a variant says when it starts."""
    return f"rehearsal: this is the {name} variant"


def written(folder: Path, template: Mapping[str, Any]) -> Path:
    """Write a variant's template where `sam deploy` looks for it. JSON is YAML as well."""
    path = folder / "template.yaml"
    path.write_text(json.dumps(template, indent=1), encoding="utf-8")
    return path


def with_additions(template: Mapping[str, Any]) -> dict[str, Any]:
    """The template with a queue more, and a probe for every role that functions have."""
    resources = dict(template["Resources"])
    resources[ADDED_QUEUE] = {"Type": "AWS::SQS::Queue"}
    # Lambda would make groups of its own, which no stack deletes.
    resources[_PROBES_LOG] = {"Type": "AWS::Logs::LogGroup"}
    for role in function_roles(template):
        resources[probe_of(role)] = _probe(role)
    resources[PLAIN_PROBE] = _probe(PLAIN_PROBE_ROLE)
    return {**template, "Resources": resources}


def with_impossible_queue(template: Mapping[str, Any]) -> dict[str, Any]:
    """The template with a resource that cannot be created, after the function was changed."""
    impossible = {
        "Type": "AWS::SQS::Queue",
        "DependsOn": CHANGED_FUNCTION,
        "Properties": {"FifoQueue": True, "QueueName": "rehearsal-no-suffix"},
    }
    return {**template, "Resources": {**template["Resources"], IMPOSSIBLE: impossible}}


def function_roles(template: Mapping[str, Any]) -> tuple[str, ...]:
    """The logical ids of the roles that the template's functions run under, each once."""
    roles = [
        resource["Properties"]["Role"]["Fn::GetAtt"][0]
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::Serverless::Function"
    ]
    return tuple(dict.fromkeys(roles))


def _probe(role: str) -> dict[str, Any]:
    return {
        "Type": "AWS::Serverless::Function",
        "Properties": {
            "InlineCode": _PROBE,
            "Handler": "index.handler",
            "Role": {"Fn::GetAtt": [role, "Arn"]},
            "Timeout": 30,
            "LoggingConfig": {"LogGroup": {"Ref": _PROBES_LOG}},
        },
    }


def probe_of(role: str) -> str:
    """The logical id of the probe under this role."""
    return f"{role}Probe"
