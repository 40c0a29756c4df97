"""The template's table and queues on a moto server, and what feeds the functions there.

Invariant: names, sizes and limits come from template.yaml. moto does not know SAM's transform. It
has schedules that never fire, so far deadlines wait in the clock queue, and no sockets, so there is
no gateway. What a condition makes is not made: neither bridge nor house.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config

from arbiter.nostr.keys import SecretKey
from local.deploy import STACK_NAME, Stack
from local.environment import aws_environment, bare_environment, client_settings
from local.ports import LOOPBACK
from local.processes import Part
from local.settings import REGION, Settings
from local.template import Known, Template

_STOP_TIMEOUT_SECONDS = 5.0
_FUNCTION = "AWS::Serverless::Function"
_TABLE = "AWS::DynamoDB::Table"
_QUEUE = "AWS::SQS::Queue"
# With these the functions would use Scheduler, sockets, a bridge and a house, which moto lacks.
_NOT_HERE = {
    *("SCHEDULE_GROUP", "SCHEDULE_TARGET_ARN", "SCHEDULER_ROLE_ARN"),
    *("GATEWAY_ENDPOINT", "GATEWAY_URL"),
    *("SSB_QUEUE_URL", "HOUSE_QUEUE_URL"),
}
# The properties that moto knows and the game needs.
_TABLE_PROPERTIES = ("AttributeDefinitions", "BillingMode", "GlobalSecondaryIndexes", "KeySchema")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """One event source of a function, as the template maps it. ``handler`` is the function's, as
    ``module:attribute``.
    """

    name: str
    handler: str
    queue_url: str
    queue_arn: str
    batch_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MotoCloud:
    """What was made: the stack's outputs, the functions' environment (that of all of them), their
    event sources.
    """

    stack: Stack
    environment: Mapping[str, str]
    mapped: tuple[Mapped, ...]


def moto_part(
    settings: Settings, after_restart: Callable[[], None] | None = None, host: str = LOOPBACK
) -> Part:
    """A moto server as a process of the run, at ``host``."""
    port = settings.ports.aws
    return Part(
        name="moto",
        command=(sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)),
        environment={**bare_environment(settings), **aws_environment(f"http://{host}:{port}")},
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
        after_restart=after_restart,
    )


def provision(
    endpoint_url: str | None, template: Template, given: Mapping[str, str], key: SecretKey
) -> MotoCloud:
    """Make everything on an empty moto. ``given`` are the template's parameters.

    Without ``endpoint_url`` on a moto in this very process.
    """
    made = _Maker(endpoint_url)
    values: dict[str, Any] = {
        **template.defaults(),
        **given,
        "AWS::StackName": STACK_NAME,
        "AWS::Region": REGION,
    }
    for name in template.named(_TABLE):
        values[name] = made.table(name, Known(values).resolve(_basic(template.properties(name))))
    # The dead-letter queues first: the others refer to them.
    queues = sorted(template.named(_QUEUE), key=lambda q: "RedrivePolicy" in template.properties(q))
    for name in queues:
        url, arn = made.queue(Known(values).resolve(template.properties(name)))
        values |= {name: url, f"{name}.Arn": arn, f"{name}.QueueName": url.rpartition("/")[2]}
    known = Known(values)
    made.key(known.resolve(template.content["Outputs"]["KeyParameterName"]["Value"]), key)
    return MotoCloud(
        stack=Stack(
            {f"{name}Url": values[name] for name in queues} | {"TableName": values["Table"]}
        ),
        environment=_environment(template, known),
        mapped=_mapped(template, known, {values[f"{q}.Arn"]: values[q] for q in queues}),
    )


def _basic(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: properties[name] for name in _TABLE_PROPERTIES if name in properties}


def _environment(template: Template, known: Known) -> dict[str, str]:
    given = {
        name: value
        for function in template.named(_FUNCTION)
        for name, value in template.environment(function).items()
        if name not in _NOT_HERE
    }
    return {name: str(value) for name, value in known.resolve(given).items()}


def _mapped(template: Template, known: Known, urls: Mapping[str, str]) -> tuple[Mapped, ...]:
    found = []
    for function in template.named(_FUNCTION):
        written = template.properties(function)
        if "Condition" in template.content["Resources"][function]:
            continue
        for name, event in written.get("Events", {}).items():
            if event["Type"] == "SQS":
                arn = known.resolve(event["Properties"]["Queue"])
                found.append(
                    Mapped(
                        name=name.lower(),
                        handler=f"{written['CodeUri'].replace('/', '.')}.app:handler",
                        queue_url=urls[arn],
                        queue_arn=arn,
                        batch_size=event["Properties"]["BatchSize"],
                    )
                )
    return tuple(found)


class _Maker:
    """Makes resources through the API that CloudFormation would call."""

    def __init__(self, endpoint_url: str | None) -> None:
        given, config = client_settings(endpoint_url), Config(proxies={})
        self._tables = boto3.client("dynamodb", **given, config=config)
        self._queues = boto3.client("sqs", **given, config=config)
        self._parameters = boto3.client("ssm", **given, config=config)

    def table(self, name: str, properties: dict[str, Any]) -> str:
        """Make a table; its name."""
        self._tables.create_table(TableName=f"{STACK_NAME}-{name}", **properties)
        return f"{STACK_NAME}-{name}"

    def queue(self, properties: dict[str, Any]) -> tuple[str, str]:
        """Make a queue; its URL and its ARN."""
        attributes: dict[Any, str] = {
            name: _attribute(value) for name, value in properties.items() if name != "QueueName"
        }
        url = self._queues.create_queue(QueueName=properties["QueueName"], Attributes=attributes)[
            "QueueUrl"
        ]
        found = self._queues.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
        return url, found["Attributes"]["QueueArn"]

    def key(self, name: str, key: SecretKey) -> None:
        """Put the secret key where the function reads it."""
        self._parameters.put_parameter(
            Name=name, Value=key.to_hex(), Type="SecureString", Overwrite=True
        )


def _attribute(value: Any) -> str:  # noqa: ANN401 - a template's values are any JSON
    """A queue's property as SQS spells attributes: all of them are text."""
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return json.dumps(value)
        case _:
            return str(value)
