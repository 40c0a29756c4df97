"""Variants of a copy of what `sam build` made: with a changed function, whose log names the
variant, and one that cannot be deployed.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

CHANGED_FUNCTION = "ProcessEventsFunction"
# What is made for good in the second variant, so that its removal can be looked at as well.
ADDED_QUEUE = "RehearsalQueue"
# AWS and the emulator alike refuse a FIFO queue whose name does not end in .fifo, and both find
# out only when they are about to make it.
IMPOSSIBLE = "RehearsalImpossible"
# Tries what its role does not grant: where that is not refused, every role seems sufficient.
PROBE = "RehearsalProbe"
PROBED_ROLE = "RelayListenerRole"

_PROBE = """\
import boto3

def handler(calls, context):
    found = []
    for call in calls:
        client = boto3.client(call["service"])
        try:
            getattr(client, call["operation"])(**call["arguments"])
            found.append("allowed")
        except client.exceptions.ClientError as refusal:
            found.append(refusal.response["Error"]["Code"])
    return found
"""
_SPELLED = (
    # SQS allows a batch by the action for one message; MiniStack asks for one of the batch's name.
    ('"sqs:SendMessage"', '"sqs:SendMessage*"'),
    # MiniStack takes every group of schedules for the default one.
    ("schedule/${Schedules}/*", "schedule/default/*"),
)


def variant(built: Path, folder: Path, name: str, **more: Any) -> Path:  # noqa: ANN401 - JSON
    """The template of a copy, with ``more`` resources and a function that logs this name."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built, folder)
    with (folder / CHANGED_FUNCTION / "app.py").open("a", encoding="utf-8") as code:
        code.write(f'\nprint("{log_line_of(name)}")\n')
    template: dict[str, Any] = yaml.safe_load((built / "template.yaml").read_text("utf-8"))
    resources = {
        name: resource
        for name, resource in template["Resources"].items()
        # It asks for TLS, which MiniStack does not speak here.
        if resource["Type"] != "AWS::SQS::QueuePolicy"
    }
    text = json.dumps({**template, "Resources": {**resources, **more}}, indent=1)
    for by_aws, by_ministack in _SPELLED:
        if by_aws not in text:
            raise LookupError(f"the template has no {by_aws} any more")
        text = text.replace(by_aws, by_ministack)
    path = folder / "template.yaml"
    path.write_text(text, encoding="utf-8")  # JSON is YAML as well
    return path


def log_line_of(name: str) -> str:
    return f"rehearsal: this is the {name} variant"


def additions() -> dict[str, Any]:
    return {
        ADDED_QUEUE: {"Type": "AWS::SQS::Queue"},
        # Lambda would make a group of its own, which no stack deletes.
        f"{PROBE}Log": {"Type": "AWS::Logs::LogGroup"},
        PROBE: {
            "Type": "AWS::Serverless::Function",
            "Properties": {
                "InlineCode": _PROBE,
                "Handler": "index.handler",
                "Role": {"Fn::GetAtt": [PROBED_ROLE, "Arn"]},
                "Timeout": 30,
                "LoggingConfig": {"LogGroup": {"Ref": f"{PROBE}Log"}},
            },
        },
    }


def impossible_queue() -> dict[str, Any]:
    properties = {"FifoQueue": True, "QueueName": "rehearsal-no-suffix"}
    queue = {"Type": "AWS::SQS::Queue", "DependsOn": CHANGED_FUNCTION, "Properties": properties}
    return {IMPOSSIBLE: queue}
