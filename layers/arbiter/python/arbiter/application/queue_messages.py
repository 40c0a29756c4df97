"""What the records of the queues say: the values, their writers and their parsers.

A deployment finds records that the release before it wrote, so the keys and the spelling of a body
never change.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Literal

from arbiter.core.game import is_game_id
from arbiter.dialects.outgoing import SsbMessage
from arbiter.nostr.event import (
    NostrEvent,
    ParseError,
    VerifiedEvent,
    event_from_json,
    event_to_json,
    is_hex_32_bytes,
)

QueueName = Literal["moves", "seeks"]

LATEST_MS = 10**14
"""The year 5138, in unix milliseconds: no time or count in a record reaches it. It keeps a timer's
name within 64 characters, and a time within what the table can hold.
"""

MAX_VIA_CHARS = 128
"""API Gateway's connection ids have some fifteen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueEntry:
    """One record on its way into the queue of moves or of seeks.

    ``body`` is ASCII-only JSON, for SQS alters or refuses some of Unicode. SQS keeps the order
    inside a ``group_id`` and drops a ``dedup_id`` that it has seen in the last five minutes.
    ``message`` is what the body says, for a queue in the same process.
    """

    queue: QueueName
    body: str
    group_id: str
    dedup_id: str
    message: "PlayerEvent | TimerFired | None" = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PlayerEvent:
    """An event, when it was received (unix ms), and over which of our gateway's sockets, if any.
    Out of a queue it is yet to be verified.
    """

    event: NostrEvent | VerifiedEvent
    received_at_ms: int
    via: str | None = None


@dataclass(frozen=True, slots=True)
class Timer:
    """Look at this game at ``at_ms`` (unix), if it is still at this ply. With a ``player`` (64 hex)
    it waits behind that player's own events in the game.
    """

    game_id: str
    ply: int
    at_ms: int
    player: str | None = None

    @property
    def name(self) -> str:
        """The same for the same game, ply and time: at most 64 letters, digits and hyphens, which
        schedules and queues both take. After a takeback a ply comes a second time.
        """
        return f"{self.game_id}-{self.ply}-{self.at_ms}"


@dataclass(frozen=True, slots=True)
class TimerFired:
    """A timer that reached its game. ``received_at_ms`` (unix) is never before the timer's time."""

    game_id: str
    ply: int
    received_at_ms: int
    player: str | None = None


@dataclass(frozen=True, slots=True)
class Republish:
    """What to publish again if no relay accepted it: a game's state as of ``changed_at_ms``, or the
    requests of a waiting player. It names no event: what there is to say is derived from the state
    when its turn comes.
    """

    game_id: str | None = None
    changed_at_ms: int = 0
    player_id: str | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRequest:
    """A house player (64 hex) is asked for an answer: in a game of this state ``version``, or to a
    challenge. It holds no position and no terms: they are read when its turn comes.
    """

    player: str
    game_id: str | None = None
    version: int = 0
    challenge_id: str | None = None

    @property
    def group_id(self) -> str:
        """No move waits for challenges, of which a flood may come."""
        return self.player if self.game_id else f"{self.player}-challenges"

    @property
    def dedup_id(self) -> str:
        """The same for the same question."""
        return f"{self.player[:16]}-{self.game_id or self.challenge_id}-{self.version}"


@dataclass(frozen=True, slots=True)
class Malformed:
    """A body that says nothing we know; ``status`` is the word for the log."""

    status: str = "unreadable"


QueueMessage = PlayerEvent | TimerFired | Republish | Malformed

_REPUBLISH_KEYS = frozenset(one.name for one in fields(Republish))


def parse(body: str) -> QueueMessage:
    """What a record of the moves, the seeks or the republish queue says. Never raises."""
    # ``nudge`` is the stored key of a timer, and stays so.
    match _from_json(body):
        case {"event": event, "received_at_ms": at_ms, **more} if _is_count(at_ms):
            return _player_event(event, at_ms, more)
        case {"event": _}:
            return Malformed()
        case {"nudge": {"game_id": str(game_id), "ply": ply, **more}, "received_at_ms": at_ms} if (
            is_game_id(game_id) and _is_count(ply) and _is_count(at_ms)
        ):
            return TimerFired(game_id, ply, at_ms, _player_in(more))
        case {"republish": dict(asked)} if _is_republish(asked):
            return Republish(**asked)
        case _:
            return Malformed()


def parse_timer(body: str) -> Timer | None:
    """What a record of the clock queue says; None for anything else. Never raises."""
    match _from_json(body):
        case {"nudge": {"game_id": str(game_id), "ply": ply, "at_ms": at_ms, **more}} if (
            is_game_id(game_id) and _is_count(ply) and _is_count(at_ms)
        ):
            return Timer(game_id, ply, at_ms, _player_in(more))
        case _:
            return None


def parse_house(body: str) -> HouseRequest | None:
    """What a record of the house queue says; None for anything else. Never raises."""
    match _from_json(body):
        case {"house": {"player": player, "game_id": str(game_id), "version": version}} if (
            is_hex_32_bytes(player) and is_game_id(game_id) and _is_count(version)
        ):
            return HouseRequest(player=str(player), game_id=game_id, version=version)
        # A challenge's id is half of an event's, as a game's is.
        case {"house": {"player": player, "challenge_id": str(challenge_id)}} if is_hex_32_bytes(
            player
        ) and is_game_id(challenge_id):
            return HouseRequest(player=str(player), challenge_id=challenge_id)
        case _:
            return None


def queue_entry(
    event: VerifiedEvent,
    queue: QueueName,
    group_id: str,
    received_at_ms: int,
    via: str | None = None,
    frame_number: int = 0,
) -> QueueEntry:
    """The event as this group of the queue carries it. ``received_at_ms`` (unix) is what clocks go
    by; ``via`` is the socket of our gateway that it came over, where the answer goes back over
    that. ``frame_number`` tells two frames apart that came over it in the same millisecond.

    The dedup id is the event's, for two bodies of one event differ in signature or time of receipt.
    An event answered over its socket is queued each time it is sent, because NIP-01 wants an OK for
    every EVENT.
    """
    frame = f"{via}:{received_at_ms}:{frame_number}"
    return QueueEntry(
        queue=queue,
        body=event_body(event, received_at_ms, via),
        group_id=group_id,
        dedup_id=event.id if via is None else hashlib.sha256(frame.encode()).hexdigest(),
        message=PlayerEvent(event, received_at_ms, via),
    )


def event_body(event: VerifiedEvent, received_at_ms: int, via: str | None = None) -> str:
    """The body that `parse` reads as a ``PlayerEvent``."""
    said: dict[str, object] = {"event": event_to_json(event), "received_at_ms": received_at_ms}
    return _compact(said if via is None else {**said, "via": via})


def timer_fired_body(timer: Timer, received_at_ms: int) -> str:
    """The body that `parse` reads as this timer's ``TimerFired``."""
    named = {"game_id": timer.game_id, "ply": timer.ply, **_player_of(timer)}
    return _compact({"nudge": named, "received_at_ms": received_at_ms})


def timer_body(timer: Timer) -> str:
    """The body that `parse_timer` reads, in the clock queue and in schedules."""
    named = {"game_id": timer.game_id, "ply": timer.ply, "at_ms": timer.at_ms}
    return _compact({"nudge": {**named, **_player_of(timer)}})


def house_body(request: HouseRequest) -> str:
    """The body that `parse_house` reads."""
    if request.game_id is None:
        return _compact({"house": {"player": request.player, "challenge_id": request.challenge_id}})
    named = {"player": request.player, "game_id": request.game_id, "version": request.version}
    return _compact({"house": named})


def republish_body(again: Republish) -> str:
    """The body that `parse` reads as this."""
    return json.dumps({"republish": asdict(again)})


def message_body(message: SsbMessage) -> str:
    """The body of a record of the outbox, for the bridge to read; without ``recps`` if public."""
    body = {"id": message.id, "root": message.root, "content": dict(message.content)}
    return _compact({**body, "recps": [*message.recps]} if message.recps else body)


def _player_event(value: object, at_ms: int, more: Mapping[object, object]) -> QueueMessage:
    via = more.get("via")
    if "via" in more and not (isinstance(via, str) and 0 < len(via) <= MAX_VIA_CHARS):
        return Malformed()
    event = event_from_json(value)
    if isinstance(event, ParseError):
        return Malformed(f"malformed-{event.code}")
    return PlayerEvent(event, at_ms, via if isinstance(via, str) else None)


def _is_republish(asked: Mapping[str, object]) -> bool:
    game_id, player_id = asked.get("game_id"), asked.get("player_id")
    return (
        asked.keys() <= _REPUBLISH_KEYS
        and (game_id is None or (isinstance(game_id, str) and is_game_id(game_id)))
        and (player_id is None or isinstance(player_id, str))
        and _is_count(asked.get("changed_at_ms", 0))
        and _is_count(asked.get("attempt", 0))
    )


def _player_of(timer: Timer) -> dict[str, str]:
    return {} if timer.player is None else {"player": timer.player}


def _player_in(named: Mapping[object, object]) -> str | None:
    """The player that a timer names, if that could be one."""
    player = named.get("player")
    return player if is_hex_32_bytes(player) else None


def _is_count(value: object) -> bool:
    """Whether this is a whole number in range. JSON's true is an int to `isinstance`."""
    return type(value) is int and 0 <= value < LATEST_MS


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _from_json(body: str) -> object:
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value
