"""Games and the lobby in DynamoDB.

The law: a move costs one strongly consistent read and one conditional write of one item. A commit
that comes too late gets the item that stands there with its refusal, so losing a race costs no
second read (``ReturnValuesOnConditionCheckFailure``). The lobby changes several items at once, once
a game, and pays the double price of a transaction for it.

botocore retries what got no answer. If the first try did arrive, the second finds its own version
there and is refused; the standing game then remembers the event, which is how a caller tells. A
lobby transaction carries the token that botocore draws for it, which makes that retry harmless on
AWS; nothing here relies on it, because a refused lobby is read again, and remembers the request
too.

What the items mean that were written here last.

The law: **this is a memo and no state.** The table is read all the same, with strong consistency,
and a game is believed only when its item is, attribute for attribute, the one that was packed from
it. So whoever forgets it all is as right, and slower: the board that came with the last move need
not be replayed, which in a game of two hundred plies is most of the work.

A game is given away once, because its board is played on: two threads must not have the same.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.game_items import (
    PLAYERS,
    game_key,
    game_of_item,
    item_of_game,
    players_of_item,
)
from arbiter.adapters.dynamodb.items import Item, get, lost_a_race, tell_of_conflict, update_of
from arbiter.adapters.dynamodb.lobby_items import (
    challenge_key,
    challenge_of_item,
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
        """``client`` makes or returns the client when it is first needed."""
        self._client = client
        self._table = table
        self._seen = GameCache()

    def load(self, game_id: str) -> Game | None:
        """The game as last committed (strongly consistent), or None; no read for what cannot be an
        id.
        """
        if not is_game_id(game_id):
            return None
        item = get(self._client(), self._table, game_key(game_id))
        return self._seen.take(item) or game_of_item(item) if item else None

    def players_of(self, game_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
        """The players of each of these games, nobody where there is none; without the games that
        DynamoDB was too busy for. ValueError for what is no game id; botocore's errors for
        infrastructure.
        """
        keys = [game_key(game_id) for game_id in game_ids]
        asked: Any = {"Keys": keys, "ProjectionExpression": PLAYERS, "ConsistentRead": True}
        answer = self._client().batch_get_item(RequestItems={self._table: asked})
        found = dict(map(players_of_item, answer["Responses"].get(self._table, [])))
        unprocessed: Any = answer.get("UnprocessedKeys", {})
        left = unprocessed.get(self._table, {}).get("Keys", [])
        return {
            game_id: found.get(game_id, frozenset())
            for game_id, key in zip(game_ids, keys, strict=True)
            if key not in left
        }

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        """Write what changed, if the version that stands there is still ``before``'s.

        ValueError when the two are not one version of one game apart; botocore's errors for
        infrastructure.
        """
        if (after.id, after.item_version) != (before.id, before.item_version + 1):
            raise ValueError("a commit takes one game from one version to the next")
        item = item_of_game(after)
        update = update_of(self._table, before.item_version, item_of_game(before), item)
        try:
            self._client().update_item(**update, ReturnValuesOnConditionCheckFailure="ALL_OLD")
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            tell_of_conflict("game", after.id)
            standing: Item | None = error.response.get("Item")  # type: ignore[assignment]
            return Conflict(game_of_item(standing) if standing else None)
        self._seen.keep(item, after)
        return Committed()


class DynamoDbLobby:
    """The players and the pools, in the same table as the games that they start."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str, clock: Clock) -> None:
        """``client`` as for the games; ``clock`` tells until when a player's item is kept."""
        self._client = client
        self._table = table
        self._clock = clock

    def player(self, player_id: str) -> Player:
        """What is remembered of this player (strongly consistent); a stranger is of version 0."""
        item = get(self._client(), self._table, player_key(player_id))
        return player_of_item(item) if item else Player(player_id)

    def pool(self, name: str) -> Pool:
        """The pool of this name (strongly consistent); an empty one of version 0 if nobody ever
        waited.
        """
        item = get(self._client(), self._table, pool_key(name))
        return pool_of_item(item) if item else Pool(name)

    def challenge(self, challenge_id: str) -> Challenge | None:
        """The challenge of this id (strongly consistent), or None."""
        item = get(self._client(), self._table, challenge_key(challenge_id))
        return challenge_of_item(item) if item else None

    def commit(self, change: LobbyChange) -> bool:
        """The whole change in one transaction, or none of it.

        False when a version moved, the game exists, or another transaction is at one of the items;
        botocore's errors for infrastructure; ValueError for a player who is named twice.
        """
        # AWS refuses that with an error of its own, the emulators each in their way or not at all.
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
            tell_of_conflict("lobby")
            return False
        return True

    def _writes(self, change: LobbyChange) -> Iterable[Any]:
        for before, after in change.pools:
            stamped = replace(after, item_version=before.item_version + 1)
            yield self._write(before.item_version, item_of_pool(before), item_of_pool(stamped))
        now_ms = self._clock.now_ms()
        for was, becomes in change.players:
            becomes = replace(becomes, item_version=was.item_version + 1)  # noqa: PLW2901 - the same value, stamped
            # When the old item would have expired is not known here: any date but the new one
            # makes a renewal a change.
            old, new = item_of_player(was, 0), item_of_player(becomes, now_ms)
            yield self._write(was.item_version, old, new)
        for standing, made in change.challenges:
            if made:
                yield self._put(item_of_challenge(made))
            elif standing:
                yield self._gone(challenge_key(standing.id))
        if change.game:
            yield self._put(item_of_game(change.game))
        if change.finished:
            game, ended = change.finished
            yield self._write(game.item_version, item_of_game(game), item_of_game(ended))

    def _put(self, item: Item) -> Item:
        condition = "attribute_not_exists(pk)"
        return {"Put": {"TableName": self._table, "Item": item, "ConditionExpression": condition}}

    def _gone(self, key: Item) -> Item:
        condition = "attribute_exists(pk)"
        return {"Delete": {"TableName": self._table, "Key": key, "ConditionExpression": condition}}

    def _write(self, version: int, before: Item, after: Item) -> Item:
        return {"Update": update_of(self._table, version, before, after)}


MOST_GAMES = 200

MOST_PLIES = 40_000
"""Of all these games together. A ply is some 600 bytes, with the board that was before it: these
are 24 MB, and two hundred games of 5,000 plies would be more than a function has.
"""


class GameCache:
    """The games that were last written, by their items. Threads may share it."""

    def __init__(self, most: int = MOST_GAMES, most_plies: int = MOST_PLIES) -> None:
        """``most`` games are kept, the latest, and no more than have so many plies together."""
        self._most = most
        self._most_plies = most_plies
        self._plies = 0
        self._known: dict[str, tuple[Item, Game]] = {}
        self._lock = Lock()

    def keep(self, item: Item, game: Game) -> None:
        """Remember that this item was packed from this game."""
        with self._lock:
            self._let_go(item["pk"]["S"])
            self._known[item["pk"]["S"]] = (item, game)
            self._plies += game.ply
            while len(self._known) > self._most or self._plies > self._most_plies:
                self._let_go(next(iter(self._known)))

    def take(self, item: Item) -> Game | None:
        """The game that this very item was packed from, which is then forgotten; None if it is not
        known, or is another by now.
        """
        with self._lock:
            known = self._let_go(item["pk"]["S"])
        return known[1] if known and known[0] == item else None

    def _let_go(self, key: str) -> tuple[Item, Game] | None:
        known = self._known.pop(key, None)
        if known:
            self._plies -= known[1].ply
        return known
