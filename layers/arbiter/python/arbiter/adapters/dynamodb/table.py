"""The table of items in DynamoDB. A transaction costs double, and there is one a game, or two."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.calls import failed_its_condition, get, get_all, lost_a_race
from arbiter.adapters.items.attributes import Item, update_of
from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.items.ratings import rating_key, standing_of_item
from arbiter.adapters.items.table import Update, Writes
from arbiter.core.clocks import Speed
from arbiter.core.game import Game
from arbiter.core.ratings import Standing

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

LADDER_INDEX = "ladder"

MAX_PAGES = 3
"""After a year without games the whole index is stale: a reader goes through so many pages."""

_CHANGED_MEANWHILE = {"ConditionalCheckFailedException", "TransactionConflictException"}


class DynamoDbTable:
    """One table. All methods raise botocore's errors."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        self._client = client
        self._table = table

    def find(self, key: Item) -> Item | None:
        return get(self._client(), self._table, key)

    def find_all(self, keys: Mapping[str, Item], only: str = "") -> Mapping[str, Item | None]:
        asked = {"ProjectionExpression": only} if only else {}
        return get_all(self._client(), self._table, keys, **asked)

    def update(self, update: Update, timed: Game | None) -> tuple[bool, Item | None]:
        del timed
        asked = update_of(self._table, *update)
        try:
            self._client().update_item(**asked, ReturnValuesOnConditionCheckFailure="ALL_OLD")
        except ClientError as error:
            if not failed_its_condition(error):
                raise
            # botocore's stubs lack the item.
            return False, error.response.get("Item")  # type: ignore[return-value]
        return True, None

    def write(self, writes: Writes) -> bool:
        at, free = {"TableName": self._table}, {"ConditionExpression": "attribute_not_exists(pk)"}
        there = {"ConditionExpression": "attribute_exists(pk)"}
        made = (*writes.made, *map(item_of_game, writes.games))
        asked: list[Any] = [
            *({"Update": update_of(self._table, *update)} for update in writes.updates),
            *({"Put": {**at, "Item": item, **free}} for item in made),
            *({"Delete": {**at, "Key": key, **there}} for key in writes.gone),
        ]
        try:
            self._client().transact_write_items(TransactItems=asked)
        except ClientError as error:
            if not lost_a_race(error):
                raise
            return False
        return True

    def begin_with(self, prefix: str) -> Iterator[Item]:
        onwards: dict[str, Any] = {}
        while True:
            page = self._client().scan(
                TableName=self._table,
                FilterExpression="begins_with(pk, :prefix)",
                ExpressionAttributeValues={":prefix": {"S": prefix}},
                ConsistentRead=True,
                **onwards,
            )
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            onwards = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def best(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        found: list[Standing] = []
        onwards: dict[str, Any] = {}
        for _ in range(MAX_PAGES):
            page = self._client().query(
                TableName=self._table,
                IndexName=LADDER_INDEX,
                KeyConditionExpression="ladder = :speed",
                ExpressionAttributeValues={":speed": {"S": speed.value}},
                ScanIndexForward=False,
                Limit=limit,
                **onwards,
            )
            for standing in map(standing_of_item, page["Items"]):
                if standing.rating.is_provisional(now_ms):
                    self._remove_from_index(standing)
                else:
                    found.append(standing)
            if len(found) >= limit or "LastEvaluatedKey" not in page:
                break
            onwards = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        return tuple(found[:limit])

    def _remove_from_index(self, standing: Standing) -> None:
        try:
            self._client().update_item(
                TableName=self._table,
                Key=rating_key(standing.player, standing.speed),
                UpdateExpression="REMOVE ladder",
                ConditionExpression="v = :version",
                ExpressionAttributeValues={":version": {"N": str(standing.games)}},
            )
        except ClientError as error:
            if error.response["Error"]["Code"] not in _CHANGED_MEANWHILE:
                raise
