"""Events, records, frames and Scuttlebutt's logs, read by the checker's own eyes."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from coincurve import PublicKeyXOnly

from tests.simulation.history import ARBITER, Authored, History, of_kind

_HEX_32 = re.compile("[0-9a-f]{64}")
_HEX_64 = re.compile("[0-9a-f]{128}")

REQUEST, RESPONSE, STATE, MOVE, ERROR, PLAYERS_CHAT, SPECTATORS_CHAT = range(20300, 20307)
CONNECT, SOCKET_MOVE, SOCKET_OFFER, SOCKET_RESIGN = range(5000, 5004)
NOTE = 64
RATING = 30300
CANARY = 20399
SOCKET_KINDS = frozenset({CONNECT, SOCKET_MOVE, SOCKET_OFFER, SOCKET_RESIGN})
LETTER = 20310
"""What the bridge to Scuttlebutt puts into the queues: a message of a player's log."""
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
    whose words it waits. What is not there is None.
    """

    event: Event | None = None
    stamped_ms: int | None = None
    via: str | None = None
    nudges: str | None = None
    player: str | None = None


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
    )


DIALECT = "ssb"
KEY_CHARS = 45
LINE_CHARS = 140
NO_REFUSAL = frozenset({"disputed", "result"})
"""Reasons of verdicts by which nothing is refused."""


@dataclass(frozen=True, slots=True)
class Uttered:
    """What the arbiter wrote into its log: ``at`` is the place among happenings."""

    at: int
    key: str
    content: Mapping[str, Any]
    recps: tuple[str, ...]

    @property
    def id(self) -> str:
        return str(self.content.get("utterance"))


@dataclass(frozen=True, slots=True)
class Line:
    """What a player said beside a game, as it is carried to another wire: ``author`` is the
    stand-in of their feed.
    """

    at: int
    author: str
    text: str
    is_private: bool


class Logs:
    """All logs of a history."""

    def __init__(self, history: History) -> None:
        self._server = history.servers[-1]
        self._written = [
            (at, one) for at, one in enumerate(history.happenings) if isinstance(one, Authored)
        ]
        self.contents = {one.key: json.loads(one.content) for _, one in self._written}
        self.authors = {one.key: one.author for one in of_kind(history.happenings, Authored)}

    @cached_property
    def events(self) -> tuple[tuple[int, Event], ...]:
        return tuple((at, self._event(one)) for at, one in self._written if one.who != ARBITER)

    @cached_property
    def uttered(self) -> tuple[Uttered, ...]:
        return tuple(
            Uttered(at, one.key, self.contents[one.key], one.recps)
            for at, one in self._written
            if one.who == ARBITER
        )

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        return tuple(
            Line(
                at,
                stand_in(self._server, one.author),
                " ".join(str(self.contents[one.key].get("msg")).split())[:LINE_CHARS],
                is_private=bool(one.recps),
            )
            for at, one in self._written
            if one.who != ARBITER
            and str(self.contents[one.key].get("type")).removeprefix("ssb_") == "chess_chat"
        )

    @cached_property
    def verdicts(self) -> tuple[tuple[int, str, str], ...]:
        """Every refusal in the arbiter's log: when, of which message (its id), and why."""
        return tuple(self._verdicts())

    def _verdicts(self) -> Iterator[tuple[int, str, str]]:
        for one in self.uttered:
            verdict = one.content.get("verdict")
            if verdict is not None and verdict["reason"] not in NO_REFUSAL:
                yield one.at, id_of(verdict["about"]), verdict["reason"]

    def _event(self, one: Authored) -> Event:
        content = self.contents[one.key]
        word, root = self._word(one.key, content)
        tags = [("root", root)]
        if word == "invite":
            tags.append(("color", str(content.get("myColor"))))
        return Event(
            id=id_of(one.key),
            pubkey=stand_in(self._server, one.author),
            created_at=one.at_ms // 1000,
            kind=LETTER,
            tags=tuple(tags),
            content=word,
            is_genuine=True,
        )

    def _word(self, key: str, content: Mapping[str, Any]) -> tuple[str, str]:
        kind, root = str(content.get("type")).removeprefix("ssb_"), str(content.get("root"))
        match kind:
            case "chess_invite":
                return ("rematch", root) if "root" in content else ("invite", key)
            case "chess_invite_accept":
                # Of our own invitation: then it is about the game before.
                before = self.contents.get(root, {}).get("root")
                return ("rematch", str(before)) if before else ("accept", root)
            case "chess_move":
                return move_of(content), root
            case "chess_game_end" if content.get("status") == "resigned":
                return "resign", root
            case "chess_game_end" if content.get("orig") is not None:
                return move_of(content), root
            case "chess_game_end" if content.get("status") == "draw":
                return "draw", root
            case "chess_chat" if str(content.get("msg")).strip().lower() == "/draw":
                return "draw", root
            case _:
                return "", root


def move_of(content: Mapping[str, Any]) -> str:
    said = [content.get("orig"), content.get("dest"), content.get("promotion", "")]
    return "".join(map(str, said))


def id_of(key: str) -> str:
    return base64.b64decode(key[1:KEY_CHARS]).hex()


def root_of(address: str) -> str:
    return [*address.split(" "), ""][1]


@lru_cache(maxsize=1000)
def stand_in(server: str, feed: str) -> str:
    """The public key in the seat of a feed: a hash, and hashed again until it is on the curve."""
    told = hashlib.sha256(b"arbiter/stand-in/1")
    for part in (bytes.fromhex(server), DIALECT.encode(), feed.encode()):
        told.update(len(part).to_bytes(4, "big") + part)
    point = told.digest()
    while True:
        try:
            PublicKeyXOnly(point)
        except ValueError:
            point = hashlib.sha256(point).digest()
        else:
            return point.hex()
