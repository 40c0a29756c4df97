r"""The life of an event: template, event, verified event. Each stage is a type.

The law: only `verify` and `SecretKey.sign` make a `VerifiedEvent`, and everything deeper takes
nothing else. The id is always computed again; that it came with the event is a claim
(https://github.com/nostr-protocol/nips/blob/master/01.md).

Control characters are allowed here and written as NIP-01 writers do in practice, ``\n``
and its six siblings short and the rest as ``\u00xx`` in lower case; a dialect may refuse them in
the kinds it reads.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coincurve import PublicKeyXOnly

from arbiter.nostr.errors import ParseError, ParseErrorCode
from arbiter.nostr.hexadecimal import is_hex_32_bytes, is_hex_64_bytes
from arbiter.nostr.limits import (
    MAX_CREATED_AT,
    MAX_EVENT_BYTES,
    MAX_KIND,
    MAX_TAG_ITEMS,
    MAX_TAG_VALUE_BYTES,
    MAX_TAGS,
)
from arbiter.nostr.strict_json import read_json, write_json

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
    "parse_event",
    "serialized",
    "verify",
]

Tag = tuple[str, ...]

_FIELDS = ("id", "pubkey", "created_at", "kind", "tags", "content", "sig")


@dataclass(frozen=True, slots=True)
class EventTemplate:
    """What is to be said, and nobody's yet. ``created_at`` in unix seconds."""

    kind: int
    tags: tuple[Tag, ...]
    content: str
    created_at: int


@dataclass(frozen=True, slots=True)
class NostrEvent:
    """The seven fields in the right shape. Neither the id nor the signature has been looked at."""

    id: str
    pubkey: str
    created_at: int
    kind: int
    tags: tuple[Tag, ...]
    content: str
    sig: str


@dataclass(frozen=True, slots=True)
class VerifiedEvent:
    """An event whose id is the hash of its body and whose signature is its author's."""

    id: str
    pubkey: str
    created_at: int
    kind: int
    tags: tuple[Tag, ...]
    content: str
    sig: str


def parse_event(raw: bytes | str) -> NostrEvent | ParseError:
    """The event in one JSON object, or why there is none. Never raises, whatever the bytes."""
    value = read_json(raw, MAX_EVENT_BYTES)
    return value if isinstance(value, ParseError) else event_from_json(value)


def event_from_json(  # noqa: C901 - one field after the other, one return a flaw
    value: object,
) -> NostrEvent | ParseError:
    """The event in an already parsed JSON value; unsigned fields beyond the seven are dropped."""
    if not isinstance(value, Mapping):
        return ParseError(ParseErrorCode.NOT_AN_OBJECT, "an event is a JSON object")
    if any(field not in value for field in _FIELDS):
        return ParseError(ParseErrorCode.MISSING_FIELD, "an event has " + ", ".join(_FIELDS))
    id_, pubkey, created_at, kind, raw_tags, content, sig = (value[field] for field in _FIELDS)
    if not is_hex_32_bytes(id_):
        return ParseError(ParseErrorCode.BAD_ID, "id is 64 lower-case hexadecimal characters")
    if not is_hex_32_bytes(pubkey):
        return ParseError(
            ParseErrorCode.BAD_PUBKEY, "pubkey is 64 lower-case hexadecimal characters"
        )
    # `type(...) is int`, for a bool is an int to isinstance and a float equals one.
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
    try:
        size = len(serialized(pubkey, created_at, kind, tags, content))
    except UnicodeEncodeError:
        return ParseError(ParseErrorCode.LONE_SURROGATE, "half of a surrogate pair stands alone")
    if size > MAX_EVENT_BYTES:
        return ParseError(ParseErrorCode.TOO_LARGE, f"larger than {MAX_EVENT_BYTES} bytes")
    return NostrEvent(
        id=id_, pubkey=pubkey, created_at=created_at, kind=kind, tags=tags, content=content, sig=sig
    )


def event_to_json(event: NostrEvent | VerifiedEvent) -> dict[str, object]:
    """The seven fields as JSON values, in NIP-01's order."""
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
    """The sha256 in lower-case hex of NIP-01's ``[0,pubkey,created_at,kind,tags,content]``.

    Raises UnicodeEncodeError for a lone surrogate, which has no UTF-8 and therefore no id.
    """
    return hashlib.sha256(serialized(pubkey, created_at, kind, tags, content)).hexdigest()


def has_signed(pubkey: str, sig: str, digest: bytes) -> bool | None:
    """Whether ``sig`` (128 hex) is a BIP-340 signature of these 32 bytes under ``pubkey`` (64 hex);
    None where that is no point on the curve.
    """
    try:
        author = PublicKeyXOnly(bytes.fromhex(pubkey))
    except ValueError:
        return None
    return author.verify(bytes.fromhex(sig), digest)


def verify(event: NostrEvent) -> VerifiedEvent | ParseError:
    """The author's own word, or why it is not; ``event`` is one that `event_from_json` made."""
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


def first_tag(event: EventTemplate | NostrEvent | VerifiedEvent, name: str) -> Tag | None:
    """The first tag called ``name``, whole, or None."""
    return next((tag for tag in event.tags if tag[0] == name), None)


def all_tags(event: EventTemplate | NostrEvent | VerifiedEvent, name: str) -> tuple[Tag, ...]:
    """Every tag called ``name``, whole, in the author's order."""
    return tuple(tag for tag in event.tags if tag[0] == name)


def serialized(
    pubkey: str, created_at: int, kind: int, tags: Sequence[Sequence[str]], content: str
) -> bytes:
    """The bytes whose sha256 is the event's id, as NIP-01 lays them out."""
    return write_json([0, pubkey, created_at, kind, tags, content]).encode("utf-8", "strict")


def _tags_from_json(value: object) -> tuple[Tag, ...] | ParseError:
    if not isinstance(value, list | tuple):
        return ParseError(ParseErrorCode.BAD_TAGS, "tags is an array of arrays of strings")
    if len(value) > MAX_TAGS:
        return ParseError(ParseErrorCode.TOO_MANY_TAGS, f"more than {MAX_TAGS} tags")
    # NIP-01: "Each tag is an array of one or more strings".
    if not all(_is_tag(tag) for tag in value):
        return ParseError(ParseErrorCode.BAD_TAGS, "a tag is an array of one or more strings")
    if any(len(tag) > MAX_TAG_ITEMS for tag in value):
        return ParseError(ParseErrorCode.TAG_TOO_LARGE, f"a tag of more than {MAX_TAG_ITEMS} items")
    items = [item for tag in value for item in tag]
    # A lone surrogate is let pass here, to be refused by its own name when the whole is encoded.
    if any(len(item.encode("utf-8", "surrogatepass")) > MAX_TAG_VALUE_BYTES for item in items):
        return ParseError(
            ParseErrorCode.TAG_TOO_LARGE, f"a tag value over {MAX_TAG_VALUE_BYTES} bytes"
        )
    return tuple(tuple(tag) for tag in value)


def _is_tag(value: object) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(isinstance(item, str) for item in value)
    )
