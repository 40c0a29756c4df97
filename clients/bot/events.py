"""Nostr events (NIP-01): drafted, worked on (NIP-13), signed and checked."""

import hashlib
import json
import re
from dataclasses import dataclass, replace

from coincurve import PrivateKey, PublicKeyXOnly

MAX_KIND = 65_535
HEX_64 = re.compile(r"[0-9a-f]{64}", re.ASCII)
HEX_128 = re.compile(r"[0-9a-f]{128}", re.ASCII)
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BECH32_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)

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
        return hashlib.sha256(_serialized(self).encode()).hexdigest()


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


def _serialized(draft: Draft) -> str:
    fields = [0, draft.pubkey, draft.created_at, draft.kind, draft.tags, draft.content]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def sign(draft: Draft, secret: bytes) -> dict[str, object]:
    """The event as relays take it."""
    return {
        "id": draft.id,
        "pubkey": draft.pubkey,
        "created_at": draft.created_at,
        "kind": draft.kind,
        "tags": [list(tag) for tag in draft.tags],
        "content": draft.content,
        "sig": PrivateKey(secret).sign_schnorr(bytes.fromhex(draft.id)).hex(),
    }


def read_event(value: object) -> Event | None:
    """The event, or None if it is none or its id or signature is wrong."""
    if not isinstance(value, dict):
        return None
    pubkey, created_at, kind = value.get("pubkey"), value.get("created_at"), value.get("kind")
    content, tags, sig = value.get("content"), _tags(value.get("tags")), value.get("sig")
    if (
        not isinstance(pubkey, str)
        or not HEX_64.fullmatch(pubkey)
        or type(created_at) is not int
        or type(kind) is not int
        or not 0 <= kind <= MAX_KIND
        or not isinstance(content, str)
        or tags is None
        or not isinstance(sig, str)
        or not HEX_128.fullmatch(sig)
    ):
        return None
    draft = Draft(pubkey, created_at, kind, tags, content)
    try:
        named = draft.id
        signed = PublicKeyXOnly(bytes.fromhex(pubkey)).verify(
            bytes.fromhex(sig), bytes.fromhex(named)
        )
    except ValueError:  # half a surrogate pair, or no point of the curve
        return None
    if not signed or named != value.get("id"):
        return None
    return Event(named, pubkey, created_at, kind, tags, content)


def _tags(value: object) -> Tags | None:
    if not isinstance(value, list):
        return None
    rows: list[tuple[str, ...]] = []
    for row in value:
        if not isinstance(row, list) or not all(isinstance(cell, str) for cell in row):
            return None
        rows.append(tuple(row))
    return tuple(rows)


def public_key(secret: bytes) -> str:
    """The public half, in hex."""
    return PrivateKey(secret).public_key_xonly.format().hex()


def work_of(event_id: str) -> int:
    """NIP-13: "the number of leading zero bits in the NIP-01 id"."""
    return 256 - int(event_id, 16).bit_length()


def with_work(draft: Draft, bits: int) -> Draft:
    """The draft with a `nonce` tag that commits to so many bits, and has them."""
    plain = tuple(tag for tag in draft.tags if tag[:1] != ("nonce",))
    place = "\x00"  # in no tag: JSON would escape it
    before, after = _serialized(_with_nonce(draft, plain, place, bits)).split(json.dumps(place))
    head, tail = hashlib.sha256(f'{before}"'.encode()), f'"{after}'.encode()
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


def read_key(text: str) -> str | None:
    """A public key in hex, from hex or npub (NIP-19)."""
    text = text.strip().lower().removeprefix("nostr:")
    if HEX_64.fullmatch(text):
        return text
    head, separator, body = text.rpartition("1")
    if head != "npub" or not separator or any(letter not in BECH32 for letter in body):
        return None
    values = [BECH32.index(letter) for letter in body]
    if _bech32_checksum(head, values) != 1:
        return None
    number = 0
    for value in values[:-6]:
        number = number << 5 | value
    spare = 5 * (len(values) - 6) - 256
    return f"{number >> spare:064x}" if spare in range(5) else None


def npub(pubkey: str) -> str:
    """The public key as people pass it on (NIP-19)."""
    number = int(pubkey, 16) << 4
    values = [number >> 5 * place & 31 for place in reversed(range(52))]
    checksum = _bech32_checksum("npub", values + [0] * 6) ^ 1
    values += [checksum >> 5 * place & 31 for place in reversed(range(6))]
    return "npub1" + "".join(BECH32[value] for value in values)


def _bech32_checksum(head: str, values: list[int]) -> int:
    checksum = 1
    prefix = [ord(letter) >> 5 for letter in head] + [0] + [ord(letter) & 31 for letter in head]
    for value in prefix + values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(BECH32_GENERATORS):
            checksum ^= generator if top >> bit & 1 else 0
    return checksum
