"""Calls of botocore's client, whole: all pages, all that was left, and what failures mean."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from arbiter.adapters.items.attributes import Item

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_RACES_LOST = {"None", "ConditionalCheckFailed", "TransactionConflict"}
"""Cancellation reasons that only mean that another writer was first."""

WRITES_PER_CALL = 25
READS_PER_CALL = 100
"""DynamoDB's own limits."""

ATTEMPTS = 5
_FIRST_PAUSE_SECONDS = 0.05
"""Doubled each time: 0.75 seconds in all for a throttled table."""

Write = dict[str, Any]


class TableOverloaded(Exception):
    """The table left something unprocessed in every attempt."""


def get(client: "DynamoDBClient", table: str, key: Item) -> Item | None:
    return client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def get_all(
    client: "DynamoDBClient", table: str, keys: Mapping[str, Item], **asked: str
) -> dict[str, Item | None]:
    """The item of each key (at most 100; strongly consistent), or None; without those unread."""
    if not keys:
        return {}
    wanted: Any = {"Keys": [*keys.values()], "ConsistentRead": True, **asked}
    answer = client.batch_get_item(RequestItems={table: wanted})
    found = {item["pk"]["S"]: item for item in answer["Responses"].get(table, [])}
    unprocessed: Any = answer.get("UnprocessedKeys", {})
    left = unprocessed.get(table, {}).get("Keys", [])
    return {name: found.get(key["pk"]["S"]) for name, key in keys.items() if key not in left}


def lost_a_race(error: ClientError) -> bool:
    """Whether a transaction failed only because another writer was first."""
    if error.response["Error"]["Code"] != "TransactionCanceledException":
        return False
    reasons = error.response.get("CancellationReasons", [])
    return {reason.get("Code", "None") for reason in reasons} <= _RACES_LOST


def failed_its_condition(error: ClientError) -> bool:
    return error.response["Error"]["Code"] == "ConditionalCheckFailedException"


def put(item: Item) -> Write:
    return {"PutRequest": {"Item": item}}


def delete(key: Item) -> Write:
    return {"DeleteRequest": {"Key": key}}


def partition(client: "DynamoDBClient", table: str, pk: str) -> Iterator[Item]:
    question: Any = {
        "TableName": table,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": pk}},
        "ConsistentRead": True,
    }
    while True:
        page = client.query(**question)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        question["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def read_all(
    client: "DynamoDBClient",
    table: str,
    keys: Sequence[Item],
    pause: Callable[[float], None],
    *,
    consistent: bool = True,
) -> Iterator[Item]:
    """The items of these keys, in any order. Raises TableOverloaded."""
    for start in range(0, len(keys), READS_PER_CALL):
        asked = keys[start : start + READS_PER_CALL]
        waiting: Any = {"Keys": asked, "ConsistentRead": consistent}
        for attempt in range(ATTEMPTS):
            _rest(attempt, pause)
            answer = client.batch_get_item(RequestItems={table: waiting})
            yield from answer["Responses"].get(table, [])
            waiting = answer.get("UnprocessedKeys", {}).get(table)
            if not waiting:
                break
        else:
            raise TableOverloaded


def write_all(
    client: "DynamoDBClient", table: str, writes: Iterable[Write], pause: Callable[[float], None]
) -> None:
    """Make all of these writes, in any order. Raises TableOverloaded."""
    asked = [*writes]
    for start in range(0, len(asked), WRITES_PER_CALL):
        waiting: Any = asked[start : start + WRITES_PER_CALL]
        for attempt in range(ATTEMPTS):
            _rest(attempt, pause)
            answer = client.batch_write_item(RequestItems={table: waiting})
            waiting = answer.get("UnprocessedItems", {}).get(table)
            if not waiting:
                break
        else:
            raise TableOverloaded


def _rest(attempt: int, pause: Callable[[float], None]) -> None:
    if attempt:
        pause(_FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))
