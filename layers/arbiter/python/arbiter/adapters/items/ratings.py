"""Ratings, rated games and the games of a pair as items, in the same table as games. Pure.

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
from collections.abc import Mapping

from arbiter.adapters.items.attributes import Item, identity, octets_of, stamp, text_of
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.early_ends import NAME_BYTES
from arbiter.core.game import is_game_id
from arbiter.core.ratings import RATED_GAMES_OF_A_PAIR, RatedGame, Rating, Standing

_NAME = struct.Struct(f"{NAME_BYTES}s")

PAIR_KEPT_DAYS = 30
"""Twice as long as dead letters are kept: a late end counts for its own day."""


def rating_key(player_id: str, speed: Speed) -> Item:
    return {"pk": {"S": f"r#{speed}#{player_id}"}}


def rated_key(game_id: str) -> Item:
    if not is_game_id(game_id):
        raise ValueError("a game id is 32 lower-case hexadecimal digits")
    return {"pk": {"S": f"rated#{game_id}"}}


def item_of_standing(standing: Standing) -> Item:
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
    _, speed, player_id = item["pk"]["S"].split("#", 2)
    opponents = _names(item) if "op" in item else None
    return Standing(player_id, Speed(speed), _rating(item), int(item["v"]["N"]), opponents)


def pair_key(one: str, other: str, day: int) -> Item:
    """The key of the number of these players' rated games on this day since the epoch."""
    return {"pk": {"S": "#".join(("pair", str(day), *sorted((one, other))))}}


def item_of_pair(rated: RatedGame) -> Item:
    ends_at = (rated.day + 1 + PAIR_KEPT_DAYS) * DAY_MS // 1000
    return {
        **pair_key(rated.white[0].player, rated.black[0].player, rated.day),
        **stamp(rated.of_pair),
        "expires_at": {"N": str(ends_at)},
    }


def item_of_rated_game(rated: RatedGame) -> Item:
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


def _rating(attributes: Mapping[str, Item]) -> Rating:
    return Rating(
        value=float(attributes["rating"]["N"]),
        deviation=float(attributes["d"]["N"]),
        volatility=float(attributes["o"]["N"]),
        rated_at_ms=int(attributes["t"]["N"]),
    )
