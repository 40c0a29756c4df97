"""Everything in the account, by kind, and the deletion of what outlives a stack.

Invariant: the account is listed, not the stack's resources. What a new account contains is listed
before the first deployment, and is what may be left after the last.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import boto3
from botocore.config import Config

from local.environment import client_settings

Inventory = Mapping[str, frozenset[str]]


def client(service: str, endpoint_url: str) -> Any:  # noqa: ANN401 - one client of many
    """A client of the emulated cloud, with the account's own credentials."""
    config = Config(proxies={}, read_timeout=60, retries={"total_max_attempts": 2})
    given = client_settings(endpoint_url)
    return boto3.client(service, **given, config=config)  # type: ignore[call-overload]


class Account:
    """The emulated account, asked for what is in it."""

    def __init__(self, endpoint_url: str) -> None:
        """``endpoint_url`` is where the emulator answers."""
        self._endpoint_url = endpoint_url

    def client(self, service: str) -> Any:  # noqa: ANN401 - one client of many
        """A client of one service."""
        return client(service, self._endpoint_url)

    def inventory(self) -> Inventory:
        """What is there, by kind. Keys that wait for their deletion count as deleted."""
        queries: dict[str, Callable[[], Iterable[str]]] = {
            "alarms": lambda: self._named("cloudwatch", "describe_alarms", "AlarmName"),
            "APIs": lambda: self._named("apigatewayv2", "get_apis", "ApiId"),
            "buckets": lambda: self._named("s3", "list_buckets", "Name"),
            "dashboards": lambda: self._named("cloudwatch", "list_dashboards", "DashboardName"),
            "event source mappings": lambda: self._named(
                "lambda", "list_event_source_mappings", "UUID"
            ),
            "functions": lambda: self._named("lambda", "list_functions", "FunctionName"),
            "keys": self._keys,
            "layers": lambda: self._named("lambda", "list_layers", "LayerName"),
            "log groups": lambda: self._named("logs", "describe_log_groups", "logGroupName"),
            "metric filters": lambda: self._named("logs", "describe_metric_filters", "filterName"),
            "parameters": lambda: self._named("ssm", "describe_parameters", "Name"),
            "queues": lambda: self.client("sqs").list_queues().get("QueueUrls", []),
            "roles": lambda: self._named("iam", "list_roles", "RoleName"),
            "rules": lambda: self._named("events", "list_rules", "Name"),
            "schedule groups": lambda: self._named("scheduler", "list_schedule_groups", "Name"),
            "schedules": lambda: self._named("scheduler", "list_schedules", "Name"),
            "stacks": self._stacks,
            "subscriptions": lambda: self._named("sns", "list_subscriptions", "SubscriptionArn"),
            "tables": lambda: self.client("dynamodb").list_tables()["TableNames"],
            "topics": lambda: self._named("sns", "list_topics", "TopicArn"),
        }
        return {kind: frozenset(names()) for kind, names in queries.items()}

    def _named(self, service: str, operation: str, name: str) -> list[str]:
        asked = self.client(service)
        answers = (
            asked.get_paginator(operation).paginate()
            if asked.can_paginate(operation)
            else [getattr(asked, operation)()]
        )
        return [
            item[name]
            for answer in answers
            for items in answer.values()
            if isinstance(items, list)
            for item in items
        ]

    def _keys(self) -> list[str]:
        kms = self.client("kms")
        found = []
        for key_id in self._named("kms", "list_keys", "KeyId"):
            key = kms.describe_key(KeyId=key_id)["KeyMetadata"]
            if key["KeyManager"] == "CUSTOMER" and key["KeyState"] != "PendingDeletion":
                found.append(key["Arn"])
        return found

    def _stacks(self) -> list[str]:
        stacks = self.client("cloudformation").describe_stacks()["Stacks"]
        return [it["StackName"] for it in stacks if it["StackStatus"] != "DELETE_COMPLETE"]


def beyond(now: Inventory, before: Inventory) -> dict[str, tuple[str, ...]]:
    """What is there now and was not before, by kind; kinds of which nothing is new are absent."""
    new = {
        kind: tuple(sorted(names - before.get(kind, frozenset()))) for kind, names in now.items()
    }
    return {kind: names for kind, names in new.items() if names}
