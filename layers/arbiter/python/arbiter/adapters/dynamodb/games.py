"""Games in DynamoDB.

Invariant: a move costs one strongly consistent read and one conditional write of one item. A
conflicting commit gets the stored item with its refusal (``ReturnValuesOnConditionCheckFailure``),
so it costs no second read.

botocore retries a call without an answer. If the first attempt was written, the second finds a new
version and is refused; the stored game then remembers the event, by which callers recognize it. A
lobby transaction has botocore's client token, which makes its retry harmless on AWS; nothing relies
on it, since a refused lobby is read again and remembers the request too.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.calls import failed_its_condition, get, get_all
from arbiter.adapters.items.attributes import Item, log_conflict, update_of
from arbiter.adapters.items.game_cache import GameCache
from arbiter.adapters.items.games import (
    PLAYERS,
    game_key,
    game_of_item,
    item_of_game,
    players_of_item,
)
from arbiter.application.ports import Committed, Conflict
from arbiter.core.game import Game, is_game_id

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient


class DynamoDbGames:
    """The games of one table."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        """``client`` returns the client, on first use."""
        self._client = client
        self._table = table
        self._cache = GameCache()

    def load(self, game_id: str) -> Game | None:
        """The game (strongly consistent), or None; an invalid id costs no read."""
        if not is_game_id(game_id):
            return None
        item = get(self._client(), self._table, game_key(game_id))
        return self._game(item) if item else None

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        """Each of these games, without those that DynamoDB left unprocessed. Raises ValueError for
        an invalid id.
        """
        keys = {game_id: game_key(game_id) for game_id in game_ids}
        found = get_all(self._client(), self._table, keys)
        return {game_id: self._game(item) if item else None for game_id, item in found.items()}

    def players_of(self, game_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
        """The players of each of these games, empty for an unknown one; without the games that
        DynamoDB left unprocessed. Raises ValueError for an invalid id, and botocore's errors.
        """
        keys = {game_id: game_key(game_id) for game_id in game_ids}
        found = get_all(self._client(), self._table, keys, ProjectionExpression=PLAYERS)
        return {
            game_id: players_of_item(item)[1] if item else frozenset()
            for game_id, item in found.items()
        }

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        """Write what changed, if the stored version is still ``before``'s. Raises ValueError unless
        the two are one version of one game apart, and botocore's errors.
        """
        if (after.id, after.item_version) != (before.id, before.item_version + 1):
            raise ValueError("a commit takes one game from one version to the next")
        item = item_of_game(after)
        update = update_of(self._table, before.item_version, self._cache.item_of(before), item)
        try:
            self._client().update_item(**update, ReturnValuesOnConditionCheckFailure="ALL_OLD")
        except ClientError as error:
            if not failed_its_condition(error):
                raise
            log_conflict("game", after.id)
            stored: Item | None = error.response.get("Item")  # type: ignore[assignment]
            return Conflict(game_of_item(stored) if stored else None)
        self._cache.keep(item, after)
        return Committed()

    def _game(self, item: Item) -> Game:
        return self._cache.take(item) or game_of_item(item)
