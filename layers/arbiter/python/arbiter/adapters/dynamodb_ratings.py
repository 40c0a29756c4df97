"""Ratings in DynamoDB.

The law: a game is rated once. Both ratings and the mark that the game was rated are written in one
transaction, on the condition that neither rating changed since it was read and that there is no
such mark.

The leaderboards are one sparse index, read from its top
(docs/decisions/0011-ratings-and-leaderboards.md). It holds who was established when he last played;
who has become provisional by waiting since is struck from it by whoever finds him there, so nobody
is passed over twice.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from arbiter.adapters.items import Item, stamp
from arbiter.adapters.rating_records import (
    LADDER_INDEX,
    item_of_pair,
    item_of_rated_game,
    item_of_standing,
    pair_key,
    rated_game_of_item,
    rated_key,
    rating_key,
    standing_of_item,
)
from arbiter.adapters.table import get, lost_a_race, tell_of_conflict, update_of
from arbiter.core.clocks import Speed
from arbiter.core.ratings import RatedGame, Standing

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

MOST_PAGES = 3
"""How many times the length of a leaderboard is read at most, in search of those who still belong
on it. After a year in which nobody played the whole index would be to strike, which is not one
reader's task.
"""

MOST_RANKS = 100

_NOT_OURS_TO_STRIKE = {"ConditionalCheckFailedException", "TransactionConflictException"}


class DynamoDbRatings:
    """The ratings of one table."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        """``client`` makes or returns the client when it is first needed."""
        self._client = client
        self._table = table

    def standing(self, player_id: str, speed: Speed) -> Standing:
        """This player's rating at this speed (strongly consistent); a stranger has played none."""
        item = get(self._client(), self._table, rating_key(player_id, speed))
        return standing_of_item(item) if item else Standing(player_id, speed)

    def rated(self, game_id: str) -> RatedGame | None:
        """What this game did to the ratings (strongly consistent), or None if it did nothing yet.

        ValueError for what is no game id.
        """
        item = get(self._client(), self._table, rated_key(game_id))
        return rated_game_of_item(item) if item else None

    def games_of_pair(self, one: str, other: str, day: int) -> int:
        """How many games of these two were rated that ended on this day since the epoch (strongly
        consistent).
        """
        item = get(self._client(), self._table, pair_key(one, other, day))
        return int(item["v"]["N"]) if item else 0

    def commit(self, rated: RatedGame) -> bool:
        """Write both ratings, the number of the pair's games and the mark in one transaction, or
        nothing.

        False when a rating or the number changed, the game is rated, or another transaction is at
        one of the items; botocore's errors for infrastructure.
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
            tell_of_conflict("rating", rated.game_id)
            return False
        return True

    def leaderboard(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        """The best at this speed who are not provisional by now, best first; a game that was just
        rated may be missing. ValueError for more than a hundred ranks, or none.
        """
        if not 1 <= limit <= MOST_RANKS:
            raise ValueError("a leaderboard has one to a hundred ranks")
        found: list[Standing] = []
        onwards: dict[str, Any] = {}
        for _ in range(MOST_PAGES):
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
                    self._strike(standing)
                else:
                    found.append(standing)
            if len(found) >= limit or "LastEvaluatedKey" not in page:
                break
            onwards = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        return tuple(found[:limit])

    def _write(self, before: Standing, after: Standing) -> Item:
        # Whether the old item is in the index is not known here, for a reader may have struck it.
        # No speed is called so: the attribute is set anew, or removed, either way.
        old = {**item_of_standing(before), "ladder": {"S": ""}}
        return {"Update": update_of(self._table, before.games, old, item_of_standing(after))}

    def _strike(self, standing: Standing) -> None:
        """Take a rating from the index, unless it changed meanwhile."""
        try:
            self._client().update_item(
                TableName=self._table,
                Key=rating_key(standing.player, standing.speed),
                UpdateExpression="REMOVE ladder",
                ConditionExpression="v = :standing",
                ExpressionAttributeValues={":standing": {"N": str(standing.games)}},
            )
        except ClientError as error:
            if error.response["Error"]["Code"] not in _NOT_OURS_TO_STRIKE:
                raise
