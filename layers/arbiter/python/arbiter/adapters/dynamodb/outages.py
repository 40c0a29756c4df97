"""Relay outages, in one item of the table. A heartbeat is one write of it; after a silence it is
refused, with the item from which the outage is computed; of two listeners one is refused again.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.calls import failed_its_condition, get
from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.outages import KEY, item_of_uptime, uptime_of_item
from arbiter.core.outages import FOR_GOOD_MS, IDLE_REPORT_MS, OUTAGE_AFTER_MS, RelayUptime

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_NAMES = {"#at": "at", "#u": "u"}


def _latest_ms(now_ms: int, active_until_ms: int) -> int:
    """The earliest time of the report before at which this one surely ends no outage."""
    return min(
        now_ms - OUTAGE_AFTER_MS, max(active_until_ms, now_ms - OUTAGE_AFTER_MS - IDLE_REPORT_MS)
    )


class DynamoDbOutages:
    """The outages of one table."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        self._client = client
        self._table = table

    def uptime(self) -> RelayUptime | None:
        item = get(self._client(), self._table, KEY)
        return uptime_of_item(item) if item else None

    def report_connected(self, now_ms: int, active_until_ms: int = FOR_GOOD_MS) -> None:
        """A relay is connected now. Raises botocore's errors."""
        try:
            self._client().update_item(
                TableName=self._table,
                Key=KEY,
                UpdateExpression="SET #at = :now, #u = :active",
                # Listeners' clocks differ: one that is behind must not set the time back, or one
                # that is ahead would find a silence each time.
                ConditionExpression="#at >= :limit AND #at <= :now AND #u <= :active",
                ExpressionAttributeNames=_NAMES,
                ExpressionAttributeValues={
                    ":now": {"N": str(now_ms)},
                    ":active": {"N": str(active_until_ms)},
                    ":limit": {"N": str(_latest_ms(now_ms, active_until_ms))},
                },
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            if not failed_its_condition(error):
                raise
            # botocore's stubs lack the item.
            stored: Item | None = error.response.get("Item")  # type: ignore[assignment]
            self._report_after(uptime_of_item(stored) if stored else None, now_ms, active_until_ms)

    def _report_after(self, before: RelayUptime | None, now_ms: int, active_until_ms: int) -> None:
        """After a silence, or while another listener is active for longer."""
        after = RelayUptime(now_ms, active_until_ms=active_until_ms)
        if before:
            after = before.after_report(now_ms, active_until_ms)
        if before == after:
            return
        item = item_of_uptime(after)
        values: Item = {":at": item["at"], ":o": item.get("o", {"L": []})}
        values[":active"] = {"N": str(after.active_until_ms)}
        condition = "attribute_not_exists(#at)"
        if before:
            condition, values[":before"] = "#at = :before", {"N": str(before.reported_at_ms)}
        try:
            self._client().update_item(
                TableName=self._table,
                Key=KEY,
                UpdateExpression="SET #at = :at, #o = :o, #u = :active",
                ConditionExpression=condition,
                ExpressionAttributeNames={**_NAMES, "#o": "o"},
                ExpressionAttributeValues=values,
            )
        except ClientError as error:
            if not failed_its_condition(error):
                raise
