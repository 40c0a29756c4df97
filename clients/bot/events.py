"""Nostr events (NIP-01) of the bot: drafted, worked on (NIP-13), signed and checked."""

import hashlib
from dataclasses import dataclass, replace

from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    VerifiedEvent,
    event_id,
    serialized,
    verify,
)
from arbiter.nostr.keys import SecretKey

Tags = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before its signature."""

    pubkey: str
    created_at: int
    kind: int
    tags: Tags
    content: str

    @property
    def id(self) -> str:
        """The hash that names the event."""
        return event_id(self.pubkey, self.created_at, self.kind, self.tags, self.content)


@dataclass(frozen=True, slots=True)
class Event:
    """An event whose id and signature are right."""

    id: str
    pubkey: str
    created_at: int
    kind: int
    tags: Tags
    content: str

    def tag(self, name: str) -> tuple[str, ...] | None:
        """The values of the first tag of this name."""
        return next((tag[1:] for tag in self.tags if tag and tag[0] == name), None)

    def first(self, name: str) -> str | None:
        """The first value of the first tag of this name."""
        values = self.tag(name)
        return values[0] if values else None


def sign(draft: Draft, secret: bytes) -> VerifiedEvent:
    """The event by this key, which is the draft's author's."""
    template = EventTemplate(draft.kind, draft.tags, draft.content, draft.created_at)
    return SecretKey(secret).sign(template)


def read_event(event: NostrEvent) -> Event | None:
    """The event, or None if its id or signature is wrong."""
    signed = verify(event)
    if not isinstance(signed, VerifiedEvent):
        return None
    return Event(
        signed.id, signed.pubkey, signed.created_at, signed.kind, signed.tags, signed.content
    )


def public_key(secret: bytes) -> str:
    """The public half, in hex. Raises ValueError for what is no secret key."""
    return SecretKey(secret).pubkey


def with_work(draft: Draft, bits: int) -> Draft:
    """The draft with a `nonce` tag that commits to so many bits, and has them."""
    plain = tuple(tag for tag in draft.tags if tag[:1] != ("nonce",))
    place = "\x00"  # in no tag: JSON would escape it
    tried = _with_nonce(draft, plain, place, bits)
    text = serialized(tried.pubkey, tried.created_at, tried.kind, tried.tags, tried.content)
    before, after = text.split(b'"\\u0000"')
    head, tail = hashlib.sha256(before + b'"'), b'"' + after
    least = 1 << (256 - bits)
    nonce = 0
    while True:
        trial = head.copy()
        trial.update(b"%d" % nonce + tail)
        if int.from_bytes(trial.digest(), "big") < least:
            return _with_nonce(draft, plain, str(nonce), bits)
        nonce += 1


def _with_nonce(draft: Draft, tags: Tags, nonce: str, bits: int) -> Draft:
    return replace(draft, tags=(*tags, ("nonce", nonce, str(bits))))
