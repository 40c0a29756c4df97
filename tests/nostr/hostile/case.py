"""A hostile envelope, and the sound move that most of them are made from."""

import hashlib
import json
from dataclasses import dataclass

from arbiter.nostr.event import EventTemplate, ParseErrorCode, event_to_json
from arbiter.nostr.keys import SecretKey

PLAYER = SecretKey.generate(hashlib.sha256(b"the player").digest())
SERVER = SecretKey.generate(hashlib.sha256(b"the server").digest())
STRANGER = SecretKey.generate(hashlib.sha256(b"a stranger").digest())

CREATED_AT = 1_790_000_000
GAME = "00112233445566778899aabbccddeeff"

Body = dict[str, object]
Table = dict[str, dict[str, bytes]]
"""Of each flaw, the envelopes that have it by their names; of none under the empty text."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """One envelope: an event by itself, or a whole frame as a relay would send it."""

    name: str
    raw: bytes
    flaw: ParseErrorCode | None
    is_frame: bool


def a_move(content: str = "e2e4", *more_tags: tuple[str, ...]) -> Body:
    """A player's sound move, as a JSON object."""
    tags = (("d", GAME), ("p", SERVER.pubkey), *more_tags)
    return event_to_json(PLAYER.sign(EventTemplate(20303, tags, content, CREATED_AT)))


def text_of(body: object) -> str:
    """Compact JSON with non-ASCII characters as they are."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def bytes_of(body: object) -> bytes:
    return text_of(body).encode()


def edited(**fields: object) -> bytes:
    """A sound move with fields written over, its id and signature left as they were."""
    return bytes_of({**a_move(), **fields})


def written(before: str, after: str) -> bytes:
    """A sound move with its text edited where JSON values would not show the trick."""
    text = text_of(a_move())
    assert text.count(before) == 1, before
    return text.replace(before, after).encode("utf-8", "surrogatepass")
