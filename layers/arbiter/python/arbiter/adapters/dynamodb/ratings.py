"""Ratings and leaderboards in DynamoDB, in the same table as games.

Invariant: a game is rated once. Both ratings and the mark of the rated game are written in one
transaction, on the condition that neither rating changed since it was read and that there is no
mark. Leaderboards are one sparse index, read from its top
(docs/decisions/0011-ratings-and-leaderboards.md). It holds ratings that were established when last
changed; a reader removes those that have become provisional since.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.calls import get, get_all, lost_a_race
from arbiter.adapters.items.attributes import Item, log_conflict, stamp, update_of
from arbiter.adapters.items.ratings import (
    item_of_pair,
    item_of_rated_game,
    item_of_standing,
    pair_key,
    rated_game_of_item,
    rated_key,
    rating_key,
    standing_of_item,
)
from arbiter.core.clocks import Speed
from arbiter.core.ratings import RatedGame, Standing

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

LADDER_INDEX = "ladder"

MAX_PAGES = 3
"""A reader goes through at most this many pages in search of established ratings, since after a
year without games the whole index would be stale.
"""

MAX_RANKS = 100

_CHANGED_MEANWHILE = {"ConditionalCheckFailedException", "TransactionConflictException"}


class DynamoDbRatings:
    """The ratings of one table."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        """``client`` returns the client, on first use."""
        self._client = client
        self._table = table

    def standing(self, player_id: str, speed: Speed) -> Standing:
        """The player's rating at this speed (strongly consistent); a default one if unrated."""
        item = get(self._client(), self._table, rating_key(player_id, speed))
        return standing_of_item(item) if item else Standing(player_id, speed)

    def load_standings(self, player_ids: Collection[str], speed: Speed) -> Mapping[str, Standing]:
        """Each of these players' rating at this speed, without those that DynamoDB left
        unprocessed.
        """
        keys = {player_id: rating_key(player_id, speed) for player_id in player_ids}
        found = get_all(self._client(), self._table, keys)
        return {
            player_id: standing_of_item(item) if item else Standing(player_id, speed)
            for player_id, item in found.items()
        }

    def rated(self, game_id: str) -> RatedGame | None:
        """The changes of ratings by this game (strongly consistent), or None. Raises ValueError for
        an invalid id.
        """
        item = get(self._client(), self._table, rated_key(game_id))
        return rated_game_of_item(item) if item else None

    def games_of_pair(self, one: str, other: str, day: int) -> int:
        """The number of these players' rated games that ended on this day since the epoch (strongly
        consistent).
        """
        item = get(self._client(), self._table, pair_key(one, other, day))
        return int(item["v"]["N"]) if item else 0

    def commit(self, rated: RatedGame) -> bool:
        """Write both ratings, the number of the pair's games and the mark in one transaction, or
        nothing.

        False if a rating or the number changed, the game is rated already, or another transaction
        holds one of the items. Raises botocore's errors.
        """
        mark = {
            "TableName": self._table,
            "Item": item_of_rated_game(rated),
            "ConditionExpression": "attribute_not_exists(pk)",
        }
        moved = (rated.white, rated.black) if rated.counted else ()
        writes: list[Any] = [*(self._write(*change) for change in moved), {"Put": mark}]
        if rated.of_pair:
            pair = item_of_pair(rated)
            before = {**pair, **stamp(rated.of_pair - 1)}
            writes.append({"Update": update_of(self._table, rated.of_pair - 1, before, pair)})
        try:
            self._client().transact_write_items(TransactItems=writes)
        except ClientError as error:
            if not lost_a_race(error):
                raise
            log_conflict("rating", rated.game_id)
            return False
        return True

    def leaderboard(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        """The best established ratings at this speed, best first; a game rated a moment ago may be
        missing. Raises ValueError for a limit outside 1 to 100.
        """
        if not 1 <= limit <= MAX_RANKS:
            raise ValueError("a leaderboard has one to a hundred ranks")
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

    def _write(self, before: Standing, after: Standing) -> Item:
        # A reader may have removed the old item from the index. The value "" is no speed, so the
        # attribute is written or removed either way.
        old = {**item_of_standing(before), "ladder": {"S": ""}}
        return {"Update": update_of(self._table, before.games, old, item_of_standing(after))}

    def _remove_from_index(self, standing: Standing) -> None:
        """Remove a rating from the index, unless it changed meanwhile."""
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
