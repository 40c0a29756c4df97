"""Games, the lobby, and the game of each browser in DynamoDB.

Invariant: a move costs one strongly consistent read and one conditional write of one item. A
conflicting commit gets the stored item with its refusal (``ReturnValuesOnConditionCheckFailure``),
so it costs no second read. The lobby changes several items at once, once a game, and pays double
for a transaction.

botocore retries a call without an answer. If the first attempt was written, the second finds a new
version and is refused; the stored game then remembers the event, by which callers recognize it. A
lobby transaction has botocore's client token, which makes its retry harmless on AWS; nothing relies
on it, since a refused lobby is read again and remembers the request too.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.calls import get, get_all, lost_a_race
from arbiter.adapters.items.attributes import Item, log_conflict, update_of
from arbiter.adapters.items.game_cache import GameCache
from arbiter.adapters.items.games import (
    PLAYERS,
    game_key,
    game_of_item,
    item_of_game,
    players_of_item,
)
from arbiter.adapters.items.lobby import (
    browser_key,
    challenge_key,
    challenge_of_item,
    game_id_of_browser,
    item_of_browser,
    item_of_challenge,
    item_of_player,
    item_of_pool,
    player_key,
    player_of_item,
    pool_key,
    pool_of_item,
)
from arbiter.application.ports import Clock, Committed, Conflict, LobbyChange
from arbiter.core.game import Game, is_game_id
from arbiter.core.pairing import Player, Pool
from arbiter.core.seeks import Challenge

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
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            log_conflict("game", after.id)
            stored: Item | None = error.response.get("Item")  # type: ignore[assignment]
            return Conflict(game_of_item(stored) if stored else None)
        self._cache.keep(item, after)
        return Committed()

    def _game(self, item: Item) -> Game:
        return self._cache.take(item) or game_of_item(item)


class DynamoDbLobby:
    """Players, pools and challenges, in the same table as the games."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str, clock: Clock) -> None:
        """``client`` as for the games; ``clock`` is for the expiry of players' items."""
        self._client = client
        self._table = table
        self._clock = clock

    def player(self, player_id: str) -> Player:
        """The player (strongly consistent); version 0 if unknown."""
        item = get(self._client(), self._table, player_key(player_id))
        return player_of_item(item) if item else Player(player_id)

    def load_players(self, player_ids: Collection[str]) -> Mapping[str, Player]:
        """Each of these players, without those that DynamoDB left unprocessed."""
        keys = {player_id: player_key(player_id) for player_id in player_ids}
        found = get_all(self._client(), self._table, keys)
        return {
            player_id: player_of_item(item) if item else Player(player_id)
            for player_id, item in found.items()
        }

    def pool(self, name: str) -> Pool:
        """The pool (strongly consistent); empty and of version 0 if unknown."""
        item = get(self._client(), self._table, pool_key(name))
        return pool_of_item(item) if item else Pool(name)

    def challenge(self, challenge_id: str) -> Challenge | None:
        """The challenge (strongly consistent), or None."""
        item = get(self._client(), self._table, challenge_key(challenge_id))
        return challenge_of_item(item) if item else None

    def commit(self, change: LobbyChange) -> bool:
        """The whole change in one transaction, or nothing.

        False if a version changed, the game exists, or another transaction holds one of the items.
        Raises botocore's errors, and ValueError for a player given twice.
        """
        # AWS refuses that with an error of its own; emulators differ.
        if len({was.id for was, _ in change.players}) < len(change.players):
            raise ValueError("a transaction may name an item once")
        writes = [*self._writes(change)]
        if not writes:
            return True
        try:
            self._client().transact_write_items(TransactItems=writes)
        except ClientError as error:
            if not lost_a_race(error):
                raise
            log_conflict("lobby")
            return False
        return True

    def _writes(self, change: LobbyChange) -> Iterable[Any]:
        for before, after in change.pools:
            stamped = replace(after, item_version=before.item_version + 1)
            yield self._write(before.item_version, item_of_pool(before), item_of_pool(stamped))
        now_ms = self._clock.now_ms()
        for was, becomes in change.players:
            becomes = replace(becomes, item_version=was.item_version + 1)  # noqa: PLW2901 - the same value, stamped
            # The old item's expiry is unknown: any other date makes a renewal a change.
            old, new = item_of_player(was, 0), item_of_player(becomes, now_ms)
            yield self._write(was.item_version, old, new)
        for existing, made in change.challenges:
            if made:
                yield self._put(item_of_challenge(made))
            elif existing:
                yield self._gone(challenge_key(existing.id))
        for game in change.new_games:
            yield self._put(item_of_game(game))
        if change.finished:
            before_it, ended = change.finished
            old, new = item_of_game(before_it), item_of_game(ended)
            yield self._write(before_it.item_version, old, new)

    def _put(self, item: Item) -> Item:
        condition = "attribute_not_exists(pk)"
        return {"Put": {"TableName": self._table, "Item": item, "ConditionExpression": condition}}

    def _gone(self, key: Item) -> Item:
        condition = "attribute_exists(pk)"
        return {"Delete": {"TableName": self._table, "Key": key, "ConditionExpression": condition}}

    def _write(self, version: int, before: Item, after: Item) -> Item:
        return {"Update": update_of(self._table, version, before, after)}


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
