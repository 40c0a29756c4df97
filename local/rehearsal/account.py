"""Everything in the account, by kind, not only the stack's: what is there before the first
deployment is what may be left after the last.
"""

from collections.abc import Mapping
from typing import Any

import boto3
from botocore.config import Config

from local.environment import client_settings

Inventory = Mapping[str, frozenset[str]]

_LISTED = (
    ("cloudwatch", "describe_alarms", "AlarmName"),
    ("cloudwatch", "list_dashboards", "DashboardName"),
    ("apigatewayv2", "get_apis", "ApiId"),
    ("s3", "list_buckets", "Name"),
    ("lambda", "list_event_source_mappings", "UUID"),
    ("lambda", "list_functions", "FunctionName"),
    ("lambda", "list_layers", "LayerName"),
    ("logs", "describe_log_groups", "logGroupName"),
    ("logs", "describe_metric_filters", "filterName"),
    ("ssm", "describe_parameters", "Name"),
    ("sqs", "list_queues", ""),
    ("iam", "list_roles", "RoleName"),
    ("events", "list_rules", "Name"),
    ("scheduler", "list_schedule_groups", "Name"),
    ("scheduler", "list_schedules", "Name"),
    ("sns", "list_subscriptions", "SubscriptionArn"),
    ("sns", "list_topics", "TopicArn"),
    ("dynamodb", "list_tables", ""),
)
"""The service, what lists its resources, and the field that names one; "" where a name is all."""


class Account:
    """The emulated account, asked for what is in it."""

    def __init__(self, endpoint_url: str) -> None:
        self._endpoint_url = endpoint_url

    def client(self, service: str) -> Any:  # noqa: ANN401 - one client of many
        config = Config(proxies={}, read_timeout=60, retries={"total_max_attempts": 2})
        given = client_settings(self._endpoint_url)
        return boto3.client(service, **given, config=config)  # type: ignore[call-overload]

    def inventory(self) -> Inventory:
        """The account's resources, by kind. Keys that wait for their deletion count as deleted."""
        listed = {f"{it[0]} {it[1]}": self._named(*it) for it in _LISTED}
        return {**listed, "keys": self._keys(), "stacks": self._stacks()}

    def _named(self, service: str, operation: str, name: str) -> frozenset[str]:
        asked = self.client(service)
        answers = (
            asked.get_paginator(operation).paginate()
            if asked.can_paginate(operation)
            else [getattr(asked, operation)()]
        )
        return frozenset(
            item[name] if name else item
            for answer in answers
            for items in answer.values()
            if isinstance(items, list)
            for item in items
        )

    def _keys(self) -> frozenset[str]:
        kms = self.client("kms")
        keys = (
            kms.describe_key(KeyId=key_id)["KeyMetadata"]
            for key_id in self._named("kms", "list_keys", "KeyId")
        )
        return frozenset(
            key["Arn"]
            for key in keys
            if key["KeyManager"] == "CUSTOMER" and key["KeyState"] != "PendingDeletion"
        )

    def _stacks(self) -> frozenset[str]:
        stacks = self.client("cloudformation").describe_stacks()["Stacks"]
        return frozenset(it["StackName"] for it in stacks if it["StackStatus"] != "DELETE_COMPLETE")


def beyond(now: Inventory, before: Inventory) -> dict[str, tuple[str, ...]]:
    """Resources that were not there before, by kind; kinds of which nothing is new are absent."""
    new = {kind: tuple(sorted(names - before[kind])) for kind, names in now.items()}
    return {kind: names for kind, names in new.items() if names}
