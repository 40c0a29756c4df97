"""Ratings and leaderboards in DynamoDB, in the same table as games.

Invariant: a game is rated once. Both ratings and the mark of the rated game are written in one
transaction, on the condition that neither rating changed since it was read and that there is no
mark. Leaderboards are one sparse index, read from its top
(docs/decisions/0011-ratings-and-leaderboards.md). It holds ratings that were established when last
changed; a reader removes those that have become provisional since.

======  ====  ============================================================================
name    type  of a player's rating at one speed
======  ====  ============================================================================
pk      S     ``r#``, the speed, ``#`` and the player's id
s v     N     the schema's version; the number of rated games, which is the version too
rating  N     its value, in points
d       N     its deviation, in points
o       N     its volatility
t       N     the time of the deviation, unix milliseconds
ladder  S     the speed; absent while the rating is provisional, or was when last read
op      B     the short names of the first opponents, eight bytes each; absent where an earlier
              release rated first
======  ====  ============================================================================

The index ``ladder`` holds the items that have both of its keys, ``ladder`` and ``rating``. DynamoDB
refuses an item whose attribute of that name is of another type, so no other kind of item may use
the names; which is why these two are words.

=====  ====  =============================================================================
name   type  of a game that was rated
=====  ====  =============================================================================
pk     S     ``rated#`` and the game's id
s v    N     the schema's version, and 1: it never changes
sp     S     the speed
wh bl  M     of White and of Black: ``p`` player, ``g`` games rated before, ``o`` the old
             rating and ``n`` the new: maps of ``rating``, ``d``, ``o`` and ``t`` as above
=====  ====  =============================================================================

``pn``, ``pd`` (N): the number of the pair's game on that day since the epoch; absent in items of
earlier releases. Beyond the limit, ``n`` is the same as ``o``.

=====  ====  =============================================================================
name   type  of the rated games of two players on one day
=====  ====  =============================================================================
pk     S     ``pair#``, the day since the epoch, and both ids in order, separated by ``#``
s v    N     the schema's version; the number of rated games
expires_at N unix seconds
=====  ====  =============================================================================

Earlier releases called ``sp``, ``wh`` and ``bl`` ``c``, ``w`` and ``b``, now the keys of indexes;
their items are still read.

Ratings and rated games never expire: a game that comes back from the dead letters after months must
still be known as rated.
"""

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.items import (
    Item,
    get,
    identity,
    log_conflict,
    lost_a_race,
    octets_of,
    stamp,
    text_of,
    update_of,
)
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.early_ends import NAME_BYTES
from arbiter.core.game import is_game_id
from arbiter.core.ratings import RATED_GAMES_OF_A_PAIR, RatedGame, Rating, Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from types_boto3_dynamodb.client import DynamoDBClient

LADDER_INDEX = "ladder"

_NAME = struct.Struct(f"{NAME_BYTES}s")

PAIR_KEPT_DAYS = 30
"""Twice as long as dead letters are kept: a late end counts for its own day."""


def rating_key(player_id: str, speed: Speed) -> Item:
    """The key of a player's rating at this speed."""
    return {"pk": {"S": f"r#{speed}#{player_id}"}}


def rated_key(game_id: str) -> Item:
    """The key of a rated game. Raises ValueError for an invalid id."""
    if not is_game_id(game_id):
        raise ValueError("a game id is 32 lower-case hexadecimal digits")
    return {"pk": {"S": f"rated#{game_id}"}}


def item_of_standing(standing: Standing) -> Item:
    """A rating's item, as of the rating's last change."""
    item = {
        **rating_key(standing.player, standing.speed),
        **stamp(standing.games),
        **_rating_attributes(standing.rating),
    }
    if standing.opponents is not None:
        item["op"] = {"B": b"".join(standing.opponents)}
    if not standing.rating.is_provisional(standing.rating.rated_at_ms):
        item["ladder"] = {"S": standing.speed.value}
    return item


def standing_of_item(item: Item) -> Standing:
    """The rating in an item of the table or of the index."""
    _, speed, player_id = item["pk"]["S"].split("#", 2)
    opponents = _names(item) if "op" in item else None
    return Standing(player_id, Speed(speed), _rating(item), int(item["v"]["N"]), opponents)


def pair_key(one: str, other: str, day: int) -> Item:
    """The key of the number of these players' rated games on this day since the epoch."""
    return {"pk": {"S": "#".join(("pair", str(day), *sorted((one, other))))}}


def item_of_pair(rated: RatedGame) -> Item:
    """The number of these players' rated games on that day, this one included."""
    ends_at = (rated.day + 1 + PAIR_KEPT_DAYS) * DAY_MS // 1000
    return {
        **pair_key(rated.white[0].player, rated.black[0].player, rated.day),
        **stamp(rated.of_pair),
        "expires_at": {"N": str(ends_at)},
    }


def item_of_rated_game(rated: RatedGame) -> Item:
    """What a game did to the ratings, as an item."""
    pair = {"pn": {"N": str(rated.of_pair)}, "pd": {"N": str(rated.day)}} if rated.of_pair else {}
    return {
        **pair,
        **rated_key(rated.game_id),
        **stamp(1),
        "sp": {"S": rated.speed.value},
        "wh": {"M": _change_attributes(*rated.white)},
        "bl": {"M": _change_attributes(*rated.black)},
    }


def rated_game_of_item(item: Item) -> RatedGame:
    """The inverse of ``item_of_rated_game``; reads items of earlier releases too."""
    names = ("sp", "wh", "bl") if "sp" in item else ("c", "w", "b")
    speed_name, white, black = (item[name] for name in names)
    speed = Speed(speed_name["S"])
    of_pair, day = (int(item[name]["N"]) if name in item else 0 for name in ("pn", "pd"))
    more = int(of_pair <= RATED_GAMES_OF_A_PAIR)
    return RatedGame(
        game_id=item["pk"]["S"].removeprefix("rated#"),
        white=_change(white["M"], speed, more),
        black=_change(black["M"], speed, more),
        of_pair=of_pair,
        day=day,
    )


def _change_attributes(before: Standing, after: Standing) -> Item:
    return {
        "p": identity(before.player),
        "g": {"N": str(before.games)},
        "o": {"M": _rating_attributes(before.rating)},
        "n": {"M": _rating_attributes(after.rating)},
    }


def _change(attributes: Item, speed: Speed, more: int) -> tuple[Standing, Standing]:
    player, games = text_of(attributes["p"]), int(attributes["g"]["N"])
    return (
        Standing(player, speed, _rating(attributes["o"]["M"]), games),
        Standing(player, speed, _rating(attributes["n"]["M"]), games + more),
    )


def _names(item: Item) -> tuple[bytes, ...]:
    return tuple(name for (name,) in _NAME.iter_unpack(octets_of(item, "op")))


def _rating_attributes(rating: Rating) -> Item:
    # DynamoDB keeps 38 digits, and a float's repr has 17 at most: the round trip is exact.
    return {
        "rating": {"N": repr(rating.value)},
        "d": {"N": repr(rating.deviation)},
        "o": {"N": repr(rating.volatility)},
        "t": {"N": str(rating.rated_at_ms)},
    }


def _rating(attributes: "Mapping[str, Item]") -> Rating:
    return Rating(
        value=float(attributes["rating"]["N"]),
        deviation=float(attributes["d"]["N"]),
        volatility=float(attributes["o"]["N"]),
        rated_at_ms=int(attributes["t"]["N"]),
    )


MOST_PAGES = 3
"""A reader goes through at most this many pages in search of established ratings, since after a
year without games the whole index would be stale.
"""

MOST_RANKS = 100

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

    def rated(self, game_id: str) -> RatedGame | None:
        """What this game did to the ratings (strongly consistent), or None. Raises ValueError for
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
