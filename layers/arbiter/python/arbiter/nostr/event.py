r"""Events in three stages, each a type: template, event, verified event.

Invariant: only ``verify`` and ``SecretKey.sign`` create a ``VerifiedEvent``. The id is always
recomputed. Control characters are serialized as NIP-01 implementations do: ``\n`` and its six
siblings short, the others as ``\u00xx``.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TypeGuard

import orjson
from coincurve import PublicKeyXOnly

from arbiter.nostr.limits import (
    MAX_CREATED_AT,
    MAX_EVENT_BYTES,
    MAX_KIND,
    MAX_TAG_ITEMS,
    MAX_TAG_VALUE_BYTES,
    MAX_TAGS,
)
from arbiter.nostr.strict_json import ParseError, ParseErrorCode, read_json

__all__ = [
    "EventTemplate",
    "NostrEvent",
    "ParseError",
    "ParseErrorCode",
    "Tag",
    "VerifiedEvent",
    "all_tags",
    "event_from_json",
    "event_id",
    "event_to_json",
    "first_tag",
    "has_signed",
    "is_expired",
    "is_hex_32_bytes",
    "is_hex_64_bytes",
    "parse_event",
    "serialized",
    "tag_value",
    "verify",
]

Tag = tuple[str, ...]

_SECONDS = re.compile(r"[0-9]{1,12}")

# NIP-01: lower case. ``bytes.fromhex`` would accept spaces and upper case.
_HEX_32_BYTES = re.compile(r"[0-9a-f]{64}")
_HEX_64_BYTES = re.compile(r"[0-9a-f]{128}")

_FIELDS = ("id", "pubkey", "created_at", "kind", "tags", "content", "sig")
_seven = itemgetter(*_FIELDS)


@dataclass(frozen=True, slots=True)
class EventTemplate:
    """An unsigned event without an author. ``created_at`` in unix seconds."""

    kind: int
    tags: tuple[Tag, ...]
    content: str
    created_at: int


@dataclass(frozen=True, slots=True)
class NostrEvent:
    """A well-formed event. Neither its id nor its signature has been checked."""

    id: str
    pubkey: str
    created_at: int
    kind: int
    tags: tuple[Tag, ...]
    content: str
    sig: str


@dataclass(frozen=True, slots=True)
class VerifiedEvent:
    """An event whose id is the hash of its fields and whose signature is its author's."""

    id: str
    pubkey: str
    created_at: int
    kind: int
    tags: tuple[Tag, ...]
    content: str
    sig: str


def parse_event(raw: bytes | str) -> NostrEvent | ParseError:
    """The event in one JSON object, or why there is none. Never raises."""
    value = read_json(raw, MAX_EVENT_BYTES)
    return value if isinstance(value, ParseError) else event_from_json(value)


def event_from_json(  # noqa: C901 - one field after the other, one return a flaw
    value: object,
) -> NostrEvent | ParseError:
    """The event in a JSON value, without fields beyond the seven, or why there is none."""
    if not isinstance(value, Mapping):
        return ParseError(ParseErrorCode.NOT_AN_OBJECT, "an event is a JSON object")
    try:
        id_, pubkey, created_at, kind, raw_tags, content, sig = _seven(value)
    except KeyError:
        return ParseError(ParseErrorCode.MISSING_FIELD, "an event has " + ", ".join(_FIELDS))
    if not is_hex_32_bytes(id_):
        return ParseError(ParseErrorCode.BAD_ID, "id is 64 lower-case hexadecimal characters")
    if not is_hex_32_bytes(pubkey):
        return ParseError(
            ParseErrorCode.BAD_PUBKEY, "pubkey is 64 lower-case hexadecimal characters"
        )
    # ``type(...) is int``: to isinstance a bool is an int.
    if type(created_at) is not int or not 0 <= created_at <= MAX_CREATED_AT:
        return ParseError(
            ParseErrorCode.BAD_CREATED_AT, "created_at is a whole number of unix seconds"
        )
    if type(kind) is not int or not 0 <= kind <= MAX_KIND:
        return ParseError(ParseErrorCode.BAD_KIND, f"kind is a whole number up to {MAX_KIND}")
    tags = _tags_from_json(raw_tags)
    if isinstance(tags, ParseError):
        return tags
    if not isinstance(content, str):
        return ParseError(ParseErrorCode.BAD_CONTENT, "content is a string")
    if not is_hex_64_bytes(sig):
        return ParseError(ParseErrorCode.BAD_SIG, "sig is 128 lower-case hexadecimal characters")
    if len(serialized(pubkey, created_at, kind, tags, content)) > MAX_EVENT_BYTES:
        return ParseError(ParseErrorCode.TOO_LARGE, f"larger than {MAX_EVENT_BYTES} bytes")
    return NostrEvent(
        id=id_, pubkey=pubkey, created_at=created_at, kind=kind, tags=tags, content=content, sig=sig
    )


def event_to_json(event: NostrEvent | VerifiedEvent) -> dict[str, object]:
    return {
        "id": event.id,
        "pubkey": event.pubkey,
        "created_at": event.created_at,
        "kind": event.kind,
        "tags": [list(tag) for tag in event.tags],
        "content": event.content,
        "sig": event.sig,
    }


def event_id(
    pubkey: str, created_at: int, kind: int, tags: Sequence[Sequence[str]], content: str
) -> str:
    """The sha256 in lower-case hex of NIP-01's array. Raises TypeError for a lone surrogate."""
    return hashlib.sha256(serialized(pubkey, created_at, kind, tags, content)).hexdigest()


@lru_cache(maxsize=4_096)
def _key(pubkey: str) -> PublicKeyXOnly:
    """The key, which takes a seventh of a verification to read. Raises ValueError."""
    return PublicKeyXOnly(bytes.fromhex(pubkey))


def has_signed(pubkey: str, sig: str, digest: bytes) -> bool | None:
    """Whether ``sig`` is the BIP-340 signature of these 32 bytes; None for no ``pubkey``."""
    try:
        author = _key(pubkey)
    except ValueError:
        return None
    return author.verify(bytes.fromhex(sig), digest)


def verify(event: NostrEvent) -> VerifiedEvent | ParseError:
    computed = event_id(event.pubkey, event.created_at, event.kind, event.tags, event.content)
    if computed != event.id:
        return ParseError(ParseErrorCode.WRONG_ID, "id is not the hash of the event")
    # Checked again although parsing did: coincurve reads 32 bytes, however few it is given.
    if not is_hex_32_bytes(event.pubkey):
        return ParseError(
            ParseErrorCode.BAD_PUBKEY, "pubkey is 64 lower-case hexadecimal characters"
        )
    if not is_hex_64_bytes(event.sig):
        return ParseError(ParseErrorCode.BAD_SIG, "sig is 128 lower-case hexadecimal characters")
    is_signed = has_signed(event.pubkey, event.sig, bytes.fromhex(computed))
    if is_signed is None:
        return ParseError(ParseErrorCode.BAD_PUBKEY, "pubkey is not a point on the curve")
    if not is_signed:
        return ParseError(ParseErrorCode.WRONG_SIG, "sig is not the author's signature of the id")
    return VerifiedEvent(
        id=event.id,
        pubkey=event.pubkey,
        created_at=event.created_at,
        kind=event.kind,
        tags=event.tags,
        content=event.content,
        sig=event.sig,
    )


def is_hex_32_bytes(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _HEX_32_BYTES.fullmatch(value) is not None


def is_hex_64_bytes(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _HEX_64_BYTES.fullmatch(value) is not None


def first_tag(event: EventTemplate | NostrEvent | VerifiedEvent, name: str) -> Tag | None:
    return next((tag for tag in event.tags if tag[0] == name), None)


def tag_value(event: EventTemplate | NostrEvent | VerifiedEvent, name: str) -> str:
    return "".join((first_tag(event, name) or ())[1:2])


def is_expired(event: NostrEvent | VerifiedEvent, at_ms: int) -> bool:
    """Whether the event expired before (unix ms; NIP-40); what is no number is ignored."""
    tag = first_tag(event, "expiration")
    if tag is None or len(tag) < 2 or not _SECONDS.fullmatch(tag[1]):  # noqa: PLR2004 - name and value
        return False
    return int(tag[1]) * 1000 < at_ms


def all_tags(event: EventTemplate | NostrEvent | VerifiedEvent, name: str) -> tuple[Tag, ...]:
    return tuple(tag for tag in event.tags if tag[0] == name)


def serialized(
    pubkey: str, created_at: int, kind: int, tags: Sequence[Sequence[str]], content: str
) -> bytes:
    """The bytes whose sha256 is the event's id (NIP-01)."""
    return orjson.dumps([0, pubkey, created_at, kind, tags, content])


def _tags_from_json(value: object) -> tuple[Tag, ...] | ParseError:
    if not isinstance(value, list | tuple):
        return ParseError(ParseErrorCode.BAD_TAGS, "tags is an array of arrays of strings")
    if len(value) > MAX_TAGS:
        return ParseError(ParseErrorCode.TOO_MANY_TAGS, f"more than {MAX_TAGS} tags")
    # NIP-01: "Each tag is an array of one or more strings".
    if not all(isinstance(tag, list | tuple) and tag for tag in value):
        return ParseError(ParseErrorCode.BAD_TAGS, "a tag is an array of one or more strings")
    items = [item for tag in value for item in tag]
    if not all(isinstance(item, str) for item in items):
        return ParseError(ParseErrorCode.BAD_TAGS, "a tag is an array of one or more strings")
    if max(map(len, value), default=0) > MAX_TAG_ITEMS:
        return ParseError(ParseErrorCode.TAG_TOO_LARGE, f"a tag of more than {MAX_TAG_ITEMS} items")
    if max(map(_octets, items), default=0) > MAX_TAG_VALUE_BYTES:
        return ParseError(
            ParseErrorCode.TAG_TOO_LARGE, f"a tag value over {MAX_TAG_VALUE_BYTES} bytes"
        )
    return tuple(map(tuple, value))


def _octets(text: str) -> int:
    return len(text.encode())
