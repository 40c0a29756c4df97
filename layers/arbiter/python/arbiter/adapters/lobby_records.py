"""Players and pools as items, in the same table and under the same law as games. Pure.

====  ==========  =========================================================================
name  type        of a player
====  ==========  =========================================================================
pk    S           ``p#`` and the player's id
s v   N           the schema's and the player's version
g     B           the id of the game he was last paired into; absent for none
r     B           requests answered lately, 16 bytes each: the cause, then unix milliseconds
expires_at  N     unix seconds; absent while ``g`` is there
====  ==========  =========================================================================

====  ==========  =========================================================================
name  type        of a pool
====  ==========  =========================================================================
pk    S           ``q#`` and the pool's name
s v   N           the schema's and the pool's version
q     L of M      who waits: ``r`` request id, ``p`` player, ``d`` dialect, ``a`` address,
                  ``t`` asked at, unix milliseconds
====  ==========  =========================================================================

Finished games and pools never expire: the games are the players' own, and the pools are a handful.
A player's item expires ninety days after its last change, but not while it names a game: it is what
holds him to one game at a time, and a game without a clock may last for years.
"""

import struct

from arbiter.adapters.records import Item, identity, octets_of, stamp, text_of
from arbiter.core.model import CAUSE_BYTES, Seat
from arbiter.core.pairing import Player, Pool, Seek

PLAYER_KEPT_SECONDS = 90 * 24 * 60 * 60

_REQUEST = struct.Struct(f">{CAUSE_BYTES}sQ")


def player_key(player_id: str) -> Item:
    """The key of a player's item."""
    return {"pk": {"S": f"p#{player_id}"}}


def pool_key(name: str) -> Item:
    """The key of a pool's item."""
    return {"pk": {"S": f"q#{name}"}}


def item_of_player(player: Player, now_ms: int) -> Item:
    """A player's item, as written now (unix ms)."""
    item = {**player_key(player.id), **stamp(player.version)}
    if player.game_id is None:
        item["expires_at"] = {"N": str(now_ms // 1000 + PLAYER_KEPT_SECONDS)}
    else:
        item["g"] = {"B": bytes.fromhex(player.game_id)}
    if player.requests:
        item["r"] = {"B": b"".join(_REQUEST.pack(*request) for request in player.requests)}
    return item


def player_of_item(item: Item) -> Player:
    """The player that an item holds."""
    game_id = octets_of(item, "g")
    return Player(
        id=item["pk"]["S"].removeprefix("p#"),
        game_id=game_id.hex() if game_id else None,
        requests=tuple(_REQUEST.iter_unpack(octets_of(item, "r"))),
        version=int(item["v"]["N"]),
    )


def item_of_pool(pool: Pool) -> Item:
    """A pool's item."""
    return {
        **pool_key(pool.name),
        **stamp(pool.version),
        "q": {"L": [{"M": _seek_attributes(seek)} for seek in pool.waiting]},
    }


def pool_of_item(item: Item) -> Pool:
    """The pool that an item holds."""
    return Pool(
        name=item["pk"]["S"].removeprefix("q#"),
        waiting=tuple(_seek(value["M"]) for value in item["q"]["L"]),
        version=int(item["v"]["N"]),
    )


def _seek_attributes(seek: Seek) -> Item:
    attributes = {
        "r": identity(seek.request_id),
        "p": identity(seek.seat.player),
        "d": {"S": seek.seat.dialect},
        "t": {"N": str(seek.asked_at_ms)},
    }
    if seek.seat.address:
        attributes["a"] = identity(seek.seat.address)
    return attributes


def _seek(attributes: Item) -> Seek:
    address = text_of(attributes["a"]) if "a" in attributes else ""
    return Seek(
        request_id=text_of(attributes["r"]),
        seat=Seat(text_of(attributes["p"]), attributes["d"]["S"], address),
        asked_at_ms=int(attributes["t"]["N"]),
    )
