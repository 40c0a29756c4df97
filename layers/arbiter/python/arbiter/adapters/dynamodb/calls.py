"""A read by botocore's client, and what its failures mean."""

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.items import Item

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_RACES_LOST = {"None", "ConditionalCheckFailed", "TransactionConflict"}
"""Cancellation reasons that only mean that another writer was first."""


def get(client: "DynamoDBClient", table: str, key: Item) -> Item | None:
    """The item of this key (strongly consistent), or None."""
    return client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def lost_a_race(error: ClientError) -> bool:
    """Whether a transaction failed only because another writer was first."""
    if error.response["Error"]["Code"] != "TransactionCanceledException":
        return False
    reasons = error.response.get("CancellationReasons", [])
    return {reason.get("Code", "None") for reason in reasons} <= _RACES_LOST
