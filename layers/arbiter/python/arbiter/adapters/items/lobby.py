"""Players, pools, challenges and browsers as items, in the same table as games. Pure.

====  ==========  =========================================================================
name  type        of a player
====  ==========  =========================================================================
pk    S           ``p#`` and the player's id
s v   N           the schema's and the player's version
g     B           the id of the player's last game; absent for none
f     B           the id of the game before that; absent for none
r     B           requests answered lately, 16 bytes each: event key, then unix milliseconds
rr    B           requests that were refused, 8 bytes each; absent for none
ee    B           games of the last hour that ended before both had moved, 17 bytes each: unix
                  milliseconds, the opponent's short name, and whether this player caused it;
                  absent for none
q     S           the pool that the player waits in; absent for none
ch    B           the ids of the player's open challenges, 16 bytes each; absent for none
ca    B           the ids of those that were open when the game began; absent for none
sk    M           the seek by which the game began, as in a pool; absent for none
sg    B           the ids of slow games that run beside, 16 bytes each; absent for none
eg    B           the ids of the latest games in tournaments, as ``sg``; absent for none
expires_at  N     unix seconds; absent while ``g`` is there
====  ==========  =========================================================================

====  ==========  =========================================================================
name  type        of a pool
====  ==========  =========================================================================
pk    S           ``q#`` and the pool's name
s v   N           the schema's and the pool's version
q     L of M      seeks: ``r`` request id, ``p`` player, ``d`` dialect, ``a`` address,
                  ``g`` where it came over our gateway, ``u`` the player's name, absent
                  for none; ``t`` asked at, unix milliseconds;
                  ``k`` the rating and ``j`` the terms, as JSON, where they are not the
                  default; ``o`` the slot, where it is not the player's only one; ``n``
                  players to avoid, 16 bytes each: a short name, then until when, unix
                  milliseconds; absent for none; ``h``, of any value, where the player has
                  played here before; ``m``, as pending commands of a game, a first move that
                  came before the game; ``w`` when it was renewed, unix milliseconds; ``b``,
                  of any value, where it had no tags; ``x`` when its author was first seen to
                  be gone, unix milliseconds
l     S           ``2``, and
c     N           since when the longest waiting does, unix milliseconds; both are absent while
                  no player waits
====  ==========  =========================================================================

====  ==========  =========================================================================
name  type        of a challenge
====  ==========  =========================================================================
pk    S           ``c#`` and the challenge's id
s v   N           the schema's version; always 1, since a challenge never changes
q     M           the seek, as in a pool
l     S           ``3``, and
c     N           when it was made, unix milliseconds; both are absent unless everybody may accept
expires_at  N     unix seconds
====  ==========  =========================================================================

====  ==========  =========================================================================
name  type        of a browser
====  ==========  =========================================================================
pk    S           ``b#`` and the SHA-256 of the browser id, in hex
s v   N           the schema's version and the item's, which is always 1
g     B           the id of the browser's game
====  ==========  =========================================================================

``l`` and ``c`` are the keys of the index ``live``, by which games are found too.

Finished games and pools never expire. A player's item expires ninety days after its last change,
but not while it names a game: it limits the player to one live game at a time, and a game without a
clock may last for years.
"""

import hashlib
import struct
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import orjson

from arbiter.adapters.items.attributes import (
    Item,
    dialect_of,
    identity,
    octets_of,
    pack_event_keys,
    stamp,
    text_of,
    unpack_event_keys,
)
from arbiter.adapters.items.games import pack_pending, unpack_pending
from arbiter.core.clocks import read_time
from arbiter.core.early_ends import NAME_BYTES, EarlyEnd
from arbiter.core.game import EVENT_KEY_BYTES, GAME_ID_BYTES, Seat, Variant
from arbiter.core.pairing import Player, Pool
from arbiter.core.seeks import CHALLENGE_ID_DIGITS, Challenge, Seek
from arbiter.core.terms import PLAIN, UNRATED, ColorPreference, Terms
from arbiter.nostr.strict_json import write_ascii

PLAYER_KEPT_SECONDS = 90 * 24 * 60 * 60

WAITING = "2"
OPEN_TO_ALL = "3"
"""Values of ``l``, beside that of a live game."""

_REQUEST = struct.Struct(f">{EVENT_KEY_BYTES}sQ")

_EARLY_END = struct.Struct(f">Q{NAME_BYTES}s?")

_AVOIDED = struct.Struct(f">{NAME_BYTES}sQ")

_CHALLENGE = struct.Struct(f">{CHALLENGE_ID_DIGITS // 2}s")

_GAME = struct.Struct(f">{GAME_ID_BYTES}s")
_KEY = struct.Struct("32s")


def player_key(player_id: str) -> Item:
    return {"pk": {"S": f"p#{player_id}"}}


def pool_key(name: str) -> Item:
    return {"pk": {"S": f"q#{name}"}}


def item_of_player(player: Player, now_ms: int) -> Item:
    item = {**player_key(player.id), **stamp(player.item_version)}
    if player.game_id is None and not player.blocked:
        item["expires_at"] = {"N": str(now_ms // 1000 + PLAYER_KEPT_SECONDS)}
    if player.game_id is not None:
        item["g"] = {"B": bytes.fromhex(player.game_id)}
    if player.former_game_id:
        item["f"] = {"B": bytes.fromhex(player.former_game_id)}
    if player.waits_in:
        item["q"] = {"S": player.waits_in}
    lists = {
        "ch": player.challenges,
        "ca": player.set_aside,
        "sg": player.slow_games,
        "eg": player.event_games,
        "bl": player.blocked,
    }
    item |= {name: {"B": bytes.fromhex("".join(ids))} for name, ids in lists.items() if ids}
    if player.sought:
        item["sk"] = {"M": _seek_attributes(player.sought)}
    if player.requests:
        item["r"] = {"B": b"".join(_REQUEST.pack(*request) for request in player.requests)}
    if player.refused:
        item["rr"] = {"B": pack_event_keys(player.refused)}
    if player.early_ends:
        packed = (_EARLY_END.pack(end.at_ms, end.opponent, end.is_own) for end in player.early_ends)
        item["ee"] = {"B": b"".join(packed)}
    return item


def player_of_item(item: Item) -> Player:
    game_id = octets_of(item, "g")
    return Player(
        id=item["pk"]["S"].removeprefix("p#"),
        game_id=game_id.hex() if game_id else None,
        waits_in=item["q"]["S"] if "q" in item else None,
        challenges=tuple(one.hex() for (one,) in _CHALLENGE.iter_unpack(octets_of(item, "ch"))),
        set_aside=tuple(one.hex() for (one,) in _CHALLENGE.iter_unpack(octets_of(item, "ca"))),
        sought=_seek(item["sk"]["M"]) if "sk" in item else None,
        former_game_id=octets_of(item, "f").hex() or None,
        requests=tuple(_REQUEST.iter_unpack(octets_of(item, "r"))),
        refused=unpack_event_keys(octets_of(item, "rr")),
        early_ends=tuple(
            EarlyEnd(*parts) for parts in _EARLY_END.iter_unpack(octets_of(item, "ee"))
        ),
        slow_games=tuple(one.hex() for (one,) in _GAME.iter_unpack(octets_of(item, "sg"))),
        event_games=tuple(one.hex() for (one,) in _GAME.iter_unpack(octets_of(item, "eg"))),
        blocked=tuple(one.hex() for (one,) in _KEY.iter_unpack(octets_of(item, "bl"))),
        item_version=int(item["v"]["N"]),
    )


def item_of_pool(pool: Pool) -> Item:
    return {
        **pool_key(pool.name),
        **stamp(pool.item_version),
        "q": {"L": [{"M": _seek_attributes(seek)} for seek in pool.waiting]},
        **(_listed(WAITING, pool.waiting[0]) if pool.waiting else {}),
    }


def pool_of_item(item: Item) -> Pool:
    return Pool(
        name=item["pk"]["S"].removeprefix("q#"),
        waiting=tuple(_seek(value["M"]) for value in item["q"]["L"]),
        item_version=int(item["v"]["N"]),
    )


def challenge_key(challenge_id: str) -> Item:
    return {"pk": {"S": f"c#{challenge_id}"}}


def item_of_challenge(challenge: Challenge) -> Item:
    return {
        **challenge_key(challenge.id),
        **stamp(1),
        "q": {"M": _seek_attributes(challenge.seek)},
        **(_listed(OPEN_TO_ALL, challenge.seek) if challenge.is_for_all else {}),
        "expires_at": {"N": str(challenge.expires_at_ms() // 1000 + 1)},
    }


def challenge_of_item(item: Item) -> Challenge:
    return Challenge(_seek(item["q"]["M"]))


def _listed(state: str, seek: Seek) -> Item:
    return {"l": {"S": state}, "c": {"N": str(seek.asked_at_ms)}}


def _seek_attributes(seek: Seek) -> Item:
    attributes = {
        "r": identity(seek.request_id),
        "p": identity(seek.seat.player),
        "d": {"S": seek.seat.dialect},
        "t": {"N": str(seek.asked_at_ms)},
    }
    if seek.seat.address:
        attributes["a"] = identity(seek.seat.address)
    if seek.seat.name:
        attributes["u"] = {"S": seek.seat.name}
    if seek.slot_id:
        attributes["o"] = identity(seek.slot_id)
    if seek.avoids:
        attributes["n"] = {"B": b"".join(_AVOIDED.pack(*one) for one in seek.avoids)}
    times = {"w": seek.renewed_at_ms, "x": seek.gone_at_ms}
    attributes |= {name: {"N": str(at_ms)} for name, at_ms in times.items() if at_ms}
    facts = {"g": seek.seat.at_gateway, "h": seek.has_played, "b": seek.is_plain}
    attributes |= {name: {"BOOL": True} for name, is_so in facts.items() if is_so}
    if seek.first_move:
        attributes["m"] = {"S": pack_pending((seek.first_move,), seek.seat)}
    if seek.rating != UNRATED:
        attributes["k"] = {"N": str(seek.rating)}
    if seek.terms != PLAIN:
        attributes["j"] = {"S": write_ascii(_plain(seek.terms))}
    return attributes


def _seek(attributes: Item) -> Seek:
    address = text_of(attributes["a"]) if "a" in attributes else ""
    name = attributes["u"]["S"] if "u" in attributes else ""
    player, dialect = text_of(attributes["p"]), dialect_of(attributes["d"])
    seat = Seat(player, dialect, address, "g" in attributes, name)
    kept = unpack_pending(attributes["m"]["S"], seat, seat) if "m" in attributes else ()
    return Seek(
        request_id=text_of(attributes["r"]),
        seat=seat,
        asked_at_ms=int(attributes["t"]["N"]),
        terms=_terms(orjson.loads(attributes["j"]["S"])) if "j" in attributes else PLAIN,
        rating=int(attributes["k"]["N"]) if "k" in attributes else UNRATED,
        slot_id=text_of(attributes["o"]) if "o" in attributes else "",
        avoids=tuple(_AVOIDED.iter_unpack(octets_of(attributes, "n"))),
        has_played="h" in attributes,
        first_move=kept[0] if kept else None,
        renewed_at_ms=int(attributes["w"]["N"]) if "w" in attributes else 0,
        is_plain="b" in attributes,
        gone_at_ms=int(attributes["x"]["N"]) if "x" in attributes else 0,
    )


def _plain(terms: Terms) -> dict[str, Any]:
    named = {f.name: getattr(terms, f.name) for f in fields(terms)}
    unusual = {name: value for name, value in named.items() if value != getattr(PLAIN, name)}
    return unusual | ({"time": str(terms.time)} if terms.time else {})


def _terms(plain: dict[str, Any]) -> Terms:
    known = {f.name for f in fields(Terms)}
    unusual = {name: value for name, value in plain.items() if name in known}
    readers: dict[str, Callable[[Any], Any]] = {
        "time": read_time,
        "variant": Variant,
        "color": ColorPreference,
        "rating_range": tuple,
    }
    return replace(PLAIN, **{k: readers[k](v) if k in readers else v for k, v in unusual.items()})


def browser_key(browser_id: str) -> Item:
    # A browser id from a stranger may hold lone surrogates.
    octets = browser_id.encode("utf-8", "surrogatepass")
    return {"pk": {"S": f"b#{hashlib.sha256(octets).hexdigest()}"}}


def item_of_browser(browser_id: str, game_id: str) -> Item:
    return {**browser_key(browser_id), **stamp(1), "g": {"B": bytes.fromhex(game_id)}}


def game_id_of_browser(item: Item) -> str:
    return octets_of(item, "g").hex()
