"""Games by player, live games, and who waits, from the table's indexes, which hold keys only.

Invariant: pages follow one order, start time and then game id, both descending. The indexes sort by
time alone, so a page reads to the end of games of one millisecond, sorts and cuts. A page token
becomes a condition on the range key: a forged one only starts elsewhere.
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from arbiter.adapters.dynamodb.calls import read_all
from arbiter.adapters.items.attributes import Item, identity
from arbiter.adapters.items.games import LIVE, game_key, game_of_item
from arbiter.adapters.items.lobby import OPEN_TO_ALL, WAITING, challenge_of_item, pool_of_item
from arbiter.application.queries import GameCursor
from arbiter.core.game import Game
from arbiter.core.pairing import Pool
from arbiter.core.seeks import Challenge

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

MAX_GAMES = 100
"""The limit of BatchGetItem."""


class DynamoDbArchive:
    """The games of one table, by its indexes."""

    def __init__(
        self,
        client: "Callable[[], DynamoDBClient]",
        table: str,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._table = table
        self._pause = pause

    def games_of(
        self, player_id: str, limit: int, after: GameCursor | None = None
    ) -> Sequence[Game]:
        """The player's newest games after that cursor. Raises ValueError as the port."""
        player = identity(player_id)
        if "B" not in player:
            raise ValueError("a player is 64 lower-case hexadecimal digits")
        found = {
            *self._cursors("white", "w", player, limit, after),
            *self._cursors("black", "b", player, limit, after),
        }
        return self._games(sorted(found, reverse=True)[:limit])

    def live(self, limit: int, after: GameCursor | None = None) -> Sequence[Game]:
        return self._games(self._cursors("live", "l", {"S": LIVE}, limit, after))

    def pools(self, limit: int) -> Sequence[Pool]:
        return [pool_of_item(item) for item in self._newest(WAITING, limit)]

    def open_challenges(self, limit: int) -> Sequence[Challenge]:
        return [challenge_of_item(item) for item in self._newest(OPEN_TO_ALL, limit)]

    def _newest(self, state: str, limit: int) -> list[Item]:
        if not 1 <= limit <= MAX_GAMES:
            raise ValueError("a list has one to a hundred entries")
        found = self._client().query(
            TableName=self._table,
            IndexName="live",
            KeyConditionExpression="l = :it",
            ExpressionAttributeValues={":it": {"S": state}},
            ScanIndexForward=False,
            Limit=limit,
        )
        keys = [item["pk"]["S"] for item in found["Items"]]
        items = {item["pk"]["S"]: item for item in self._items([{"pk": {"S": it}} for it in keys])}
        return [items[key] for key in keys if key in items]

    def _cursors(
        self, index: str, name: str, value: Item, limit: int, after: GameCursor | None
    ) -> list[GameCursor]:
        if not 1 <= limit <= MAX_GAMES:
            raise ValueError("a page has one to a hundred games")
        condition, values = f"{name} = :it", {":it": value}
        if after:
            condition += " AND c <= :began"
            values[":began"] = {"N": str(after.created_at_ms)}
        found: list[GameCursor] = []
        start: dict[str, Any] = {}
        while True:
            page = self._client().query(
                TableName=self._table,
                IndexName=index,
                KeyConditionExpression=condition,
                ExpressionAttributeValues=values,
                ScanIndexForward=False,
                Limit=limit + 1,
                **start,
            )
            cursors = map(_cursor_of_key, page["Items"])
            found += (cursor for cursor in cursors if after is None or cursor < after)
            # The run of games of one millisecond at the end of the page is complete.
            is_whole = len(found) > limit and found[-1].is_older_than(found[limit - 1])
            if is_whole or "LastEvaluatedKey" not in page:
                return sorted(found, reverse=True)[:limit]
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def _games(self, cursors: Sequence[GameCursor]) -> Sequence[Game]:
        """The games at these cursors, in their order; missing ones are left out."""
        found = self._items([game_key(cursor.game_id) for cursor in cursors])
        games = {game.id: game for game in map(game_of_item, found)}
        return [games[cursor.game_id] for cursor in cursors if cursor.game_id in games]

    def _items(self, keys: Sequence[Item]) -> list[Item]:
        return [*read_all(self._client(), self._table, keys, self._pause, consistent=False)]


def _cursor_of_key(item: Item) -> GameCursor:
    return GameCursor(int(item["c"]["N"]), item["pk"]["S"].removeprefix("g#"))
