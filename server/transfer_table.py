"""The items of a DynamoDB table, to be exported and imported, and the queue of its timers.
Invariant: each write is conditional on the item that was compared.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from arbiter.adapters.dynamodb.calls import get
from arbiter.adapters.items.attributes import Item
from arbiter.adapters.timers import QueueTimers
from arbiter.application.play.timers import timer_of
from arbiter.application.ports import Clock, QueueRejected
from arbiter.core.game import Game
from server.export_file import TransferFailed, canonical
from server.transfer import Change

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_CALLS_AT_ONCE = 16
_ATTEMPTS = 10
"""A table that nothing was written to yet refuses some calls until it has grown."""


class CloudClients:
    """The clients of one region, with the shell's credentials."""

    def __init__(self, region: str | None, endpoint_url: str | None) -> None:
        config = Config(
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
            max_pool_connections=_CALLS_AT_ONCE,
        )
        self._session = botocore.session.get_session()
        self._named: dict[str, Any] = {
            "region_name": region,
            "endpoint_url": endpoint_url,
            "config": config,
        }

    def client(self, service: str) -> Any:  # noqa: ANN401 - botocore makes the class at run time
        with _in_words(service):
            return self._session.create_client(service, **self._named)


class TableItems:
    """The items of one table. ``timers`` is None where those of games are not set."""

    def __init__(
        self, client: "DynamoDBClient", table: str, timers: QueueTimers | None, clock: Clock
    ) -> None:
        self._client = client
        self._table = table
        self._timers = timers
        self._clock = clock

    def everything(self) -> Iterator[Item]:
        """All items by a scan, which reads each as it is at some moment of the scan."""
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table, ConsistentRead=True
        )
        with _in_words(self._table):
            for page in pages:
                yield from page["Items"]

    def stored(self, items: Sequence[Item]) -> Mapping[str, Item]:
        keys = [{"pk": item["pk"]} for item in items]
        with _in_words(self._table), ThreadPoolExecutor(_CALLS_AT_ONCE) as threads:
            found = [*threads.map(lambda key: get(self._client, self._table, key), keys)]
        return {item["pk"]["S"]: item for item in found if item}

    def write(self, changes: Sequence[Change], games: Sequence[Game]) -> None:
        with _in_words(self._table), ThreadPoolExecutor(_CALLS_AT_ONCE) as threads:
            for _ in threads.map(self._put, changes):
                pass
            if self._timers:
                timers = [*filter(None, map(timer_of, games))]
                self._timers.set(timers, self._clock.now_ms())

    def _put(self, change: Change) -> None:
        stored, item = change
        condition: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(pk)"}
        if stored is not None:
            # The relay outages have no version, but the time of the last report.
            name = "v" if "v" in stored else "at"
            condition = {
                "ConditionExpression": "#name = :stored",
                "ExpressionAttributeNames": {"#name": name},
                "ExpressionAttributeValues": {":stored": stored[name]},
            }
        try:
            self._client.put_item(TableName=self._table, Item=item, **condition)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            # The first attempt of a call that botocore repeated may have been written.
            found = get(self._client, self._table, {"pk": item["pk"]})
            if found is None or canonical(found) != item:
                raise TransferFailed(
                    f"{item['pk']['S']} changed meanwhile: stop what writes to {self._table}, and "
                    "run this again"
                ) from error


@contextlib.contextmanager
def _in_words(name: str) -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError, QueueRejected) as error:
        raise TransferFailed(f"{name}: {error}") from error
