"""Events that a player signs, drafted and worked on (NIP-13), and the effects that send them."""

import hashlib
from dataclasses import dataclass, replace

from arbiter.nostr.event import EventTemplate, Tag, event_id, serialized


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before its signature."""

    pubkey: str
    created_at: int
    kind: int
    tags: tuple[Tag, ...]
    content: str

    @property
    def id(self) -> str:
        """The hash that names the event."""
        return event_id(self.pubkey, self.created_at, self.kind, self.tags, self.content)

    @property
    def template(self) -> EventTemplate:
        """The values that its author signs."""
        return EventTemplate(self.kind, self.tags, self.content, self.created_at)


@dataclass(frozen=True, slots=True)
class Send:
    """Sign this and publish it to every relay."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class SendLine:
    """Send a line of chat, encrypted for ``to`` or in public; a key that has no Nostr reads it
    elsewhere.
    """

    game: str
    text: str
    to: str | None
    public: bool = False


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


def _with_nonce(draft: Draft, tags: tuple[Tag, ...], nonce: str, bits: int) -> Draft:
    return replace(draft, tags=(*tags, ("nonce", nonce, str(bits))))
