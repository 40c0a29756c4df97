"""The records of the queues: the values, their writers and their parsers. A deployment finds what
the release before it wrote, so keys and spelling of a body never change.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import cast

import orjson

from arbiter.application import records
from arbiter.application.tournaments.messages import is_count as _is_count
from arbiter.application.tournaments.messages import read_message
from arbiter.core.clocks import Speed
from arbiter.core.game import is_game_id
from arbiter.core.notices import KINDS, Kind, Occasion
from arbiter.dialects.outgoing import SsbMessage
from arbiter.nostr.event import (
    ParseError,
    VerifiedEvent,
    event_from_json,
    event_to_json,
    is_hex_32_bytes,
)
from arbiter.nostr.strict_json import write_ascii

MAX_VIA_CHARS = 128
"""API Gateway's connection ids have some fifteen."""

_WORDS = frozenset({records.TOURNAMENT, records.LINES})
_REPUBLISH_KEYS = frozenset(one.name for one in fields(records.Republish))


def parse(body: str) -> records.QueueMessage:
    """Parse a record of any queue but those of the clock and the house. Never raises."""
    match _from_json(body):
        case {"event": event, "received_at_ms": at_ms, **more} if _is_count(at_ms):
            return _player_event(event, at_ms, more)
        case {"event": _}:
            return records.Malformed()
        case {"timer": {"game_id": str(game_id), "ply": ply, **more}, "received_at_ms": at_ms} if (
            is_game_id(game_id) and _is_count(ply) and _is_count(at_ms)
        ):
            if more.get("player") == records.TOURNAMENT:
                return records.TournamentDue(game_id, at_ms)
            if (player := _player_in(more) or "").startswith(records.NOTICE):
                return records.NoticeAsked(player.removeprefix(records.NOTICE))
            return records.TimerFired(game_id, ply, at_ms, _player_in(more))
        case {"republish": dict(asked)} if _is_republish(asked):
            return records.Republish(**asked)
        case {"policy": dict(asked)}:
            return _of_policy(asked)
        case said:
            return read_message(said) or records.Malformed()


def parse_timer(body: str) -> records.Timer | None:
    """Parse a record of the clock queue; None for anything else. Never raises."""
    match _from_json(body):
        case {"timer": {"game_id": str(game_id), "ply": ply, "at_ms": at_ms, **more}} if (
            is_game_id(game_id) and _is_count(ply) and _is_count(at_ms)
        ):
            return records.Timer(game_id, ply, at_ms, _player_in(more))
        case _:
            return None


def parse_house(body: str) -> records.HouseRequest | None:
    """Parse a record of the house queue; None for anything else. Never raises."""
    match _from_json(body):
        case {"house": {"player": player, "game_id": str(game_id), "version": version}} if (
            is_hex_32_bytes(player) and is_game_id(game_id) and _is_count(version)
        ):
            return records.HouseRequest(player=str(player), game_id=game_id, version=version)
        # A challenge's id is half of an event's, as a game's is.
        case {"house": {"player": player, "challenge_id": str(challenge_id)}} if is_hex_32_bytes(
            player
        ) and is_game_id(challenge_id):
            return records.HouseRequest(player=str(player), challenge_id=challenge_id)
        case _:
            return None


def parse_notice(body: str) -> records.Notice | None:
    """Parse what the notice function is asked; None for anything else. Never raises."""
    match _from_json(body):
        case {"notice": {"player": player, "occasion": None}} if is_hex_32_bytes(player):
            return records.NoticeAsked(str(player))
        case {"notice": {"player": player, "occasion": dict(said)}} if is_hex_32_bytes(player):
            occasion = _occasion(said)
            return records.NoticeAsked(str(player), occasion) if occasion else None
        case {"message": said}:
            event = event_from_json(said)
            return None if isinstance(event, ParseError) else records.MessageReceived(event)
        case _:
            return None


def _occasion(said: Mapping[object, object]) -> Occasion | None:
    match said:
        case {
            "kind": kind,
            "id": str(id_),
            "version": int(version),
            "by_ms": int() | None as by_ms,
        } if kind in KINDS and is_game_id(id_):
            return Occasion(cast("Kind", kind), id_, version, by_ms)
        case _:
            return None


def notice_body(notice: records.Notice) -> str:
    if isinstance(notice, records.MessageReceived):
        return write_ascii({"message": event_to_json(notice.event)})
    occasion = notice.occasion
    return write_ascii(
        {"notice": {"player": notice.player, "occasion": occasion and asdict(occasion)}}
    )


def queue_entry(
    event: VerifiedEvent,
    queue: records.QueueName,
    group_id: str,
    received_at_ms: int,
    via: str | None = None,
    frame_number: int = 0,
    *,
    at_gateway: bool = False,
) -> records.QueueEntry:
    """The event in this group of the queue, received then (unix ms), ``via`` the socket that waits
    for its answer; ``frame_number`` tells frames of one millisecond apart.

    The dedup id is the event's; that of one answered over its socket is each frame's, because
    NIP-01 wants an OK for every EVENT.
    """
    frame = f"{via}:{received_at_ms}:{frame_number}"
    return records.QueueEntry(
        queue=queue,
        body=event_body(event, received_at_ms, via, at_gateway=at_gateway),
        group_id=group_id,
        dedup_id=event.id if via is None else hashlib.sha256(frame.encode()).hexdigest(),
        message=records.PlayerEvent(event, received_at_ms, via, at_gateway=at_gateway),
    )


def too_many(entry: records.QueueEntry) -> records.QueueEntry:
    """A player's event beyond a rate, with the same dedup id: what comes first counts."""
    if not isinstance(entry.message, records.PlayerEvent):
        return entry
    body = write_ascii({**orjson.loads(entry.body), "too_many": True})
    return replace(entry, body=body, message=replace(entry.message, is_too_many=True))


def event_body(
    event: VerifiedEvent, received_at_ms: int, via: str | None = None, *, at_gateway: bool = False
) -> str:
    said: dict[str, object] = {"event": event_to_json(event), "received_at_ms": received_at_ms}
    if at_gateway:
        said["at_gateway"] = True
    return write_ascii(said if via is None else {**said, "via": via})


def timer_fired_body(timer: records.Timer, received_at_ms: int) -> str:
    named = {"game_id": timer.game_id, "ply": timer.ply, **_player_of(timer)}
    return write_ascii({"timer": named, "received_at_ms": received_at_ms})


def timer_body(timer: records.Timer) -> str:
    named = {"game_id": timer.game_id, "ply": timer.ply, "at_ms": timer.at_ms}
    return write_ascii({"timer": {**named, **_player_of(timer)}})


def house_body(request: records.HouseRequest) -> str:
    if request.game_id is None:
        return write_ascii(
            {"house": {"player": request.player, "challenge_id": request.challenge_id}}
        )
    named = {"player": request.player, "game_id": request.game_id, "version": request.version}
    return write_ascii({"house": named})


def republish_body(again: records.Republish) -> str:
    named = asdict(again)
    if again.tournament_id is None:
        # A former release reads no order with a word that it does not know.
        del named["tournament_id"]
    return json.dumps({"republish": named})


def end_games_body(player: str) -> str:
    return write_ascii({"policy": {"end_games": player}})


def tell_rating_body(told: records.RatingToTell) -> str:
    named = {"tell_rating": told.player, "speed": told.speed, "game_id": told.game_id}
    return write_ascii({"policy": named})


def message_body(message: SsbMessage) -> str:
    """The body of a record of the outbox, for the bridge to read; without ``recps`` if public."""
    body = {"id": message.id, "root": message.root, "content": dict(message.content)}
    return write_ascii({**body, "recps": [*message.recps]} if message.recps else body)


def _player_event(value: object, at_ms: int, more: Mapping[object, object]) -> records.QueueMessage:
    via = more.get("via")
    if "via" in more and not (isinstance(via, str) and 0 < len(via) <= MAX_VIA_CHARS):
        return records.Malformed()
    event = event_from_json(value)
    if isinstance(event, ParseError):
        return records.Malformed(f"malformed-{event.code}")
    is_too_many = more.get("too_many") is True
    at_gateway = more.get("at_gateway") is True
    return records.PlayerEvent(
        event, at_ms, via if isinstance(via, str) else None, is_too_many, at_gateway
    )


def _of_policy(asked: Mapping[str, object]) -> records.QueueMessage:
    match asked:
        case {"end_games": player} if is_hex_32_bytes(player):
            return records.GamesToEnd(str(player))
        case {"tell_rating": player, "speed": str(speed), "game_id": str(game_id)} if (
            is_hex_32_bytes(player) and speed in set(Speed) and (not game_id or is_game_id(game_id))
        ):
            return records.RatingToTell(str(player), Speed(speed), game_id)
        case _:
            return records.Malformed()


def _is_republish(asked: Mapping[str, object]) -> bool:
    game_id, player_id = asked.get("game_id"), asked.get("player_id")
    ids = (game_id, asked.get("tournament_id"))
    return (
        asked.keys() <= _REPUBLISH_KEYS
        and all(one is None or (isinstance(one, str) and is_game_id(one)) for one in ids)
        and (player_id is None or isinstance(player_id, str))
        and _is_count(asked.get("changed_at_ms", 0))
        and _is_count(asked.get("attempt", 0))
    )


def _player_of(timer: records.Timer) -> dict[str, str]:
    return {} if timer.player is None else {"player": timer.player}


def _player_in(named: Mapping[object, object]) -> str | None:
    player = named.get("player")
    if not isinstance(player, str):
        return None
    key = player.removeprefix(records.NOTICE)
    return player if is_hex_32_bytes(key) or player in _WORDS else None


def _from_json(body: str) -> object:
    try:
        value: object = orjson.loads(body)
    except ValueError:
        return None
    return value
