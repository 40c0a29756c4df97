"""Events, records, frames, read by the checker's own eyes."""

import hashlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache

from coincurve import PublicKeyXOnly

_HEX_32 = re.compile("[0-9a-f]{64}")
_HEX_64 = re.compile("[0-9a-f]{128}")

REQUEST, RESPONSE, STATE, MOVE, ERROR = range(20300, 20305)
CONNECT, SOCKET_MOVE, SOCKET_OFFER, SOCKET_RESIGN = range(5000, 5004)
NOTE = 64
RATING = 30300
LOOPBACK = 20399
SOCKET_KINDS = frozenset({CONNECT, SOCKET_MOVE, SOCKET_OFFER, SOCKET_RESIGN})
PLAYERS_KINDS = SOCKET_KINDS | {REQUEST, MOVE}


@dataclass(frozen=True, slots=True)
class Event:
    """Seven fields, and whether id and signature are what they claim."""

    id: str
    pubkey: str
    created_at: int
    kind: int
    tags: tuple[tuple[str, ...], ...]
    content: str
    is_genuine: bool

    def all(self, name: str) -> tuple[tuple[str, ...], ...]:
        return tuple(tag[1:] for tag in self.tags if tag[:1] == (name,))

    def first(self, name: str) -> tuple[str, ...]:
        """The values of the first tag of this name; empty if there is none."""
        return next(iter(self.all(name)), ())

    def value(self, name: str) -> str | None:
        return next(iter(self.first(name)), None)


@lru_cache(maxsize=20_000)
def read_event(text: str) -> Event | None:
    """The event in a JSON text, or None if it holds none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return event_of(value)


def event_of(value: object) -> Event | None:
    """The event in a parsed JSON value, or None if it is none in shape."""
    if not isinstance(value, dict):
        return None
    text = {name: value.get(name) for name in ("id", "pubkey", "content", "sig")}
    at, kind, tags = value.get("created_at"), value.get("kind"), value.get("tags")
    if not all(isinstance(one, str) for one in text.values()):
        return None
    if type(at) is not int or type(kind) is not int or not isinstance(tags, list):
        return None
    if not all(isinstance(t, list) and all(isinstance(v, str) for v in t) for t in tags):
        return None
    return Event(
        id=str(text["id"]),
        pubkey=str(text["pubkey"]),
        created_at=at,
        kind=kind,
        tags=tuple(map(tuple, tags)),
        content=str(text["content"]),
        is_genuine=_is_genuine(value),
    )


def _is_genuine(value: dict[str, object]) -> bool:
    """Whether the id is the body's hash, and the signature its author's (NIP-01)."""
    id_, pubkey, sig = str(value["id"]), str(value["pubkey"]), str(value["sig"])
    if not (_HEX_32.fullmatch(id_) and _HEX_32.fullmatch(pubkey) and _HEX_64.fullmatch(sig)):
        return False
    body = [0, pubkey, *(value[name] for name in ("created_at", "kind", "tags", "content"))]
    try:
        octets = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return False
    if hashlib.sha256(octets).hexdigest() != id_:
        return False
    try:
        return PublicKeyXOnly(bytes.fromhex(pubkey)).verify(bytes.fromhex(sig), bytes.fromhex(id_))
    except ValueError:
        return False  # not the x coordinate of any point


@lru_cache(maxsize=20_000)
def read_frame(text: str) -> tuple[object, ...]:
    """A frame's parts; empty if it is no JSON array."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(value) if isinstance(value, list) else ()


def event_in_frame(text: str) -> Event | None:
    """The event that an ``EVENT`` frame carries."""
    match read_frame(text):
        case ("EVENT", event) | ("EVENT", _, event):
            return event_of(event)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Record:
    """What a record of the queue carries: an event, when it was received by the listener's stamp,
    and the socket that it came over; or the id of the game that it nudges, and the player behind
    whose words it waits. What is not there is None. ``is_too_many``: its author is to be told that
    the event is dropped.
    """

    event: Event | None = None
    stamped_ms: int | None = None
    via: str | None = None
    nudges: str | None = None
    player: str | None = None
    is_too_many: bool = False


TOO_MANY = "too-many"
"""So begin a listener's words for what is beyond a rate."""


@lru_cache(maxsize=20_000)
def read_record(body: str) -> Record:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return Record()
    if not isinstance(value, dict):
        return Record()
    stamp, via, nudge = value.get("received_at_ms"), value.get("via"), value.get("nudge")
    return Record(
        event=event_of(value.get("event")),
        stamped_ms=stamp if type(stamp) is int else None,
        via=via if isinstance(via, str) else None,
        nudges=str(nudge["game_id"]) if isinstance(nudge, dict) and "game_id" in nudge else None,
        player=str(nudge["player"]) if isinstance(nudge, dict) and "player" in nudge else None,
        is_too_many=value.get("too_many") is True,
    )
