"""Rate limits, counted in the short-lived table.

One write, without a read before it. Windows are fixed, so up to twice the limit can pass across the
boundary of two.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from arbiter.adapters.dynamodb.connection_items import short

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_SLACK_SECONDS = 60
"""Machines' clocks differ: a counter must outlast its window on all of them."""


class DynamoDbRateLimits:
    """The counters of one table. Key: ``r#`` and the key, then the window's length and number;
    ``n`` is the count.
    """

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        """``client`` returns the client, on first use."""
        self._client = client
        self._table = table

    def take(self, key: str, limit: int, window_seconds: int, now_ms: int, count: int = 1) -> bool:
        """Add ``count`` for this key in the present window; False if that exceeds ``limit``. Raises
        botocore's errors.
        """
        number = now_ms // (window_seconds * 1000)
        expires_at = (number + 1) * window_seconds + _SLACK_SECONDS
        answer = self._client().update_item(
            TableName=self._table,
            Key={"pk": {"S": f"r#{short(key)}"}, "sk": {"S": f"{window_seconds}#{number}"}},
            UpdateExpression="ADD n :count SET expires_at = :expires_at",
            ExpressionAttributeValues={
                ":count": {"N": str(count)},
                ":expires_at": {"N": str(expires_at)},
            },
            ReturnValues="UPDATED_NEW",
        )
        return int(answer["Attributes"]["n"]["N"]) <= limit
