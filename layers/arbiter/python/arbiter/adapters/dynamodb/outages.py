"""Relay outages, in one item of the table.

Invariant: a heartbeat is one write, to this item only. After a silence the write is refused, and
the refusal carries the item from which the outage is computed; of two listeners at once, one is
refused again and has nothing to add.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.calls import get
from arbiter.adapters.dynamodb.items import Item
from arbiter.adapters.dynamodb.outage_items import KEY, item_of_uptime, uptime_of_item
from arbiter.core.clocks import FOR_GOOD_MS, QUIET_MS, SILENCE_MS, RelayUptime

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_REFUSED = "ConditionalCheckFailedException"
_NAMES = {"#at": "at", "#u": "u"}


def _latest_ms(now_ms: int, busy_until_ms: int) -> int:
    """Since when a note, if it is no busier than this one, was followed by no silence for sure."""
    return min(now_ms - SILENCE_MS, max(busy_until_ms, now_ms - SILENCE_MS - QUIET_MS))


class DynamoDbOutages:
    """The outages of one table."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        """``client`` returns the client, on first use."""
        self._client = client
        self._table = table

    def uptime(self) -> RelayUptime | None:
        """The uptime (strongly consistent); None before the first heartbeat."""
        item = get(self._client(), self._table, KEY)
        return uptime_of_item(item) if item else None

    def note(self, now_ms: int, busy_until_ms: int = FOR_GOOD_MS) -> None:
        """A relay is connected now. Raises botocore's errors."""
        try:
            self._client().update_item(
                TableName=self._table,
                Key=KEY,
                UpdateExpression="SET #at = :now, #u = :busy",
                # Listeners' clocks differ: one that is behind must not set the time back, or one
                # that is ahead would find a silence each time.
                ConditionExpression="#at >= :limit AND #at <= :now AND #u <= :busy",
                ExpressionAttributeNames=_NAMES,
                ExpressionAttributeValues={
                    ":now": {"N": str(now_ms)},
                    ":busy": {"N": str(busy_until_ms)},
                    ":limit": {"N": str(_latest_ms(now_ms, busy_until_ms))},
                },
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != _REFUSED:
                raise
            # botocore's stubs lack the item.
            stored: Item | None = error.response.get("Item")  # type: ignore[assignment]
            self._note_after(uptime_of_item(stored) if stored else None, now_ms, busy_until_ms)

    def _note_after(self, before: RelayUptime | None, now_ms: int, busy_until_ms: int) -> None:
        """After a silence, or while another listener is busy for longer."""
        after = RelayUptime(now_ms, busy_until_ms=busy_until_ms)
        if before:
            after = before.noted(now_ms, busy_until_ms)
        if before == after:
            return
        item = item_of_uptime(after)
        values: Item = {":at": item["at"], ":o": item.get("o", {"L": []})}
        values[":busy"] = {"N": str(after.busy_until_ms)}
        condition = "attribute_not_exists(#at)"
        if before:
            condition, values[":before"] = "#at = :before", {"N": str(before.noted_at_ms)}
        try:
            self._client().update_item(
                TableName=self._table,
                Key=KEY,
                UpdateExpression="SET #at = :at, #o = :o, #u = :busy",
                ConditionExpression=condition,
                ExpressionAttributeNames={**_NAMES, "#o": "o"},
                ExpressionAttributeValues=values,
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != _REFUSED:
                raise
