"""How often something may happen, counted in the short-lived table.

The law: one write, and no read before it. The windows are fixed: at the turn of one, twice the
limit may pass in a short time, which is the price of a counter that needs no history.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from arbiter.adapters.dynamodb.connection_items import short

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_SLACK_SECONDS = 60
"""Clocks differ, and a counter must not go before the last of them has left its window."""


class DynamoDbRateLimits:
    """The counters of one table: ``r#`` and the key, then the window's length and number; ``n`` is
    the count.
    """

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        """``client`` makes or returns the client when it is first needed."""
        self._client = client
        self._table = table

    def take(self, key: str, limit: int, window_seconds: int, now_ms: int, count: int = 1) -> bool:
        """Count so many more for this key in the present window; False when that is more than
        ``limit``. Raises botocore's errors for infrastructure.
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
