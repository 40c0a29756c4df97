"""The game of each browser, one small item in the table of games.

Invariant: a browser id is a password, so only its hash is stored. The item is written in one
transaction with its game and never changes.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.calls import get, lost_a_race
from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.adapters.dynamodb.items import Item
from arbiter.adapters.dynamodb.lobby_items import browser_key, game_id_of_browser, item_of_browser
from arbiter.core.game import Game

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

# Under a megabyte, and more than one process serves in its hours of life.
_BROWSERS_REMEMBERED = 4_096


class DynamoDbBrowsers:
    """The browsers of one table."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        """``client`` returns the client, on first use."""
        self._client = client
        self._table = table
        self._known: OrderedDict[str, str] = OrderedDict()

    def game_of(self, browser_id: str) -> str | None:
        """The id of this browser's game (strongly consistent), or None. Cached, since it never
        changes.
        """
        key = browser_key(browser_id)
        game_id = self._known.get(key["pk"]["S"])
        if game_id is None:
            item = get(self._client(), self._table, key)
            if item is None:
                return None
            game_id = game_id_of_browser(item)
        self._remember(key["pk"]["S"], game_id)
        return game_id

    def start(self, browser_id: str, game: Game) -> bool:
        """Write game and browser in one transaction; False if the browser id is taken. Raises
        botocore's errors.

        A retry of botocore that finds its own first write is recognized by the game's random id.
        """
        browser = item_of_browser(browser_id, game.id)
        writes = [self._put(browser), self._put(item_of_game(game))]
        try:
            self._client().transact_write_items(TransactItems=writes)  # type: ignore[arg-type]
        except ClientError as error:
            if not lost_a_race(error):
                raise
            return self.game_of(browser_id) == game.id
        return True

    def _remember(self, hashed: str, game_id: str) -> None:
        self._known[hashed] = game_id
        self._known.move_to_end(hashed)
        if len(self._known) > _BROWSERS_REMEMBERED:
            self._known.popitem(last=False)

    def _put(self, item: Item) -> Item:
        condition = "attribute_not_exists(pk)"
        return {"Put": {"TableName": self._table, "Item": item, "ConditionExpression": condition}}
