"""The template's tables, queues and bucket on a moto server, and what feeds the functions there.

Invariant: names, sizes and limits come from template.yaml, resolved by moto's CloudFormation
without SAM's transform: tables, queues, the bucket, and the functions' variables as outputs. moto's
schedules never fire, and it has no sockets; neither bridge, house nor notices.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config

from arbiter.nostr.keys import SecretKey
from local.deploy import STACK_NAME, Stack
from local.environment import aws_environment, bare_environment, client_settings
from local.ports import LOOPBACK
from local.processes import Part
from local.settings import Settings
from local.template import Template

_STOP_TIMEOUT_SECONDS = 5.0
_FUNCTION = "AWS::Serverless::Function"
_MADE = ("AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue")
_INTRINSICS = {"And", "Equals", "If", "Join", "Not", "Or", "Sub"}
# With these the functions would use what moto lacks: Scheduler, sockets, a bridge, a house and what
# pairs tournaments or sends notices.
_NOT_HERE = {
    *("SCHEDULE_GROUP", "SCHEDULE_TARGET_ARN", "SCHEDULER_ROLE_ARN"),
    *("GATEWAY_ENDPOINT", "GATEWAY_URL"),
    *("SSB_QUEUE_URL", "HOUSE_QUEUE_URL", "PAIRING_FUNCTION", "NOTICE_FUNCTION"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """One event source of a function; ``handler`` is ``module:attribute``."""

    name: str
    handler: str
    queue_url: str
    queue_arn: str
    batch_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MotoCloud:
    """The stack on moto: outputs, the environment of all functions, event sources."""

    stack: Stack
    environment: Mapping[str, str]
    mapped: tuple[Mapped, ...]


def moto_part(settings: Settings, host: str = LOOPBACK) -> Part:
    port = settings.ports.aws
    return Part(
        name="moto",
        command=(sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)),
        environment={**bare_environment(settings), **aws_environment(f"http://{host}:{port}")},
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
        is_restarted=False,  # it would be empty
    )


def provision(
    endpoint_url: str | None, template: Template, given: Mapping[str, str], key: SecretKey
) -> MotoCloud:
    """Make all on an empty moto (None: in this process) by ``given`` parameters."""
    access, config = client_settings(endpoint_url), Config(proxies={})
    environment = {
        name: value
        for function in template.named(_FUNCTION)
        for name, value in template.environment(function).items()
        if name not in _NOT_HERE
    }
    queues = [
        name
        for name in template.named("AWS::SQS::Queue")
        if "Condition" not in template.content["Resources"][name]
    ]
    wanted = {f"{name}Url": {"Ref": name} for name in queues}
    wanted |= {f"{name}Arn": {"GetAtt": f"{name}.Arn"} for name in queues}
    wanted["TableName"] = {"Ref": "Table"}
    told = _created(template, given, {**wanted, **environment}, access, config)
    ssm = boto3.client("ssm", **access, config=config)
    ssm.put_parameter(
        Name=told["KEY_PARAMETER"], Value=key.to_hex(), Type="SecureString", Overwrite=True
    )
    return MotoCloud(
        stack=Stack({name: told[name] for name in wanted if not name.endswith("Arn")}),
        environment={name: told[name] for name in environment},
        mapped=_mapped(template, told),
    )


def _created(
    template: Template,
    given: Mapping[str, str],
    outputs: Mapping[str, Any],
    access: Mapping[str, Any],
    config: Config,
) -> dict[str, str]:
    content = template.content
    body = {
        "Parameters": content["Parameters"],
        "Conditions": content["Conditions"],
        "Resources": {name: it for name, it in content["Resources"].items() if it["Type"] in _MADE},
        "Outputs": {name: {"Value": value} for name, value in outputs.items()},
    }
    stacks = boto3.client("cloudformation", **access, config=config)
    stacks.create_stack(
        StackName=STACK_NAME,
        TemplateBody=json.dumps(_in_long_form(body)),
        Parameters=[{"ParameterKey": it, "ParameterValue": given[it]} for it in given],
    )
    (made,) = stacks.describe_stacks(StackName=STACK_NAME)["Stacks"]
    return {it["OutputKey"]: it["OutputValue"] for it in made["Outputs"]}


def _in_long_form(value: Any) -> Any:  # noqa: ANN401 - a template's values are any JSON
    """`!Sub` and the like, which the template is read with, as JSON spells them."""
    match value:
        case {"GetAtt": str(name)} if len(value) == 1:
            return {"Fn::GetAtt": name.split(".", 1)}
        case dict():
            return {
                f"Fn::{key}" if key in _INTRINSICS else key: _in_long_form(part)
                for key, part in value.items()
            }
        case list():
            return [_in_long_form(part) for part in value]
        case _:
            return value


def _mapped(template: Template, told: Mapping[str, str]) -> tuple[Mapped, ...]:
    found = []
    for function in template.named(_FUNCTION):
        written = template.properties(function)
        if "Condition" in template.content["Resources"][function]:
            continue
        for name, event in written.get("Events", {}).items():
            if event["Type"] == "SQS":
                queue = event["Properties"]["Queue"]["GetAtt"].removesuffix(".Arn")
                found.append(
                    Mapped(
                        name=name.lower(),
                        handler=f"{written['CodeUri'].replace('/', '.')}.app:handler",
                        queue_url=told[f"{queue}Url"],
                        queue_arn=told[f"{queue}Arn"],
                        batch_size=event["Properties"]["BatchSize"],
                    )
                )
    return tuple(found)
