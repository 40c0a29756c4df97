"""Events, records, frames, read by the checker's own eyes."""

from dataclasses import dataclass
from functools import lru_cache

import orjson

REQUEST, RESPONSE, STATE, MOVE, ERROR = range(20300, 20305)
NOTE = 64
RATING = 30300
LOOPBACK = 20399


@dataclass(frozen=True, slots=True)
class Event:
    """Five of its seven fields."""

    id: str
    pubkey: str
    kind: int
    tags: tuple[tuple[str, ...], ...]
    content: str

    def all(self, name: str) -> tuple[tuple[str, ...], ...]:
        return tuple(tag[1:] for tag in self.tags if tag[:1] == (name,))

    def value(self, name: str) -> str | None:
        """The first value of the first tag of this name; None if there is none."""
        for tag in self.tags:
            if tag and tag[0] == name:
                return tag[1] if len(tag) > 1 else None
        return None


@lru_cache(maxsize=20_000)
def read_event(text: str) -> Event | None:
    """The event in a JSON text, or None if it holds none."""
    try:
        value = orjson.loads(text)
    except ValueError:
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
        kind=kind,
        tags=tuple(map(tuple, tags)),
        content=str(text["content"]),
    )


@lru_cache(maxsize=20_000)
def read_frame(text: str) -> tuple[object, ...]:
    """A frame's parts; empty if it is no JSON array."""
    try:
        value = orjson.loads(text)
    except ValueError:
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
    """What a record of the queue carries: an event, and when it was received by the listener's
    stamp. What is not there is None.
    """

    event: Event | None = None
    stamped_ms: int | None = None


@lru_cache(maxsize=20_000)
def read_record(body: str) -> Record:
    try:
        value = orjson.loads(body)
    except ValueError:
        return Record()
    if not isinstance(value, dict):
        return Record()
    stamp = value.get("received_at_ms")
    return Record(event_of(value.get("event")), stamp if type(stamp) is int else None)
