"""A log of Scuttlebutt in a file, read and verified. Pure.

`ssb-server log` prints JSON values with empty lines between, other programs one a line; both are
read.

Invariant: a file is no peer, which would have verified the log. So a message counts only if its key
is its hash and its author signed it.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from bridge.peer_log import INVITES, Message

_SIGNATURE = ".sig.ed25519"


@dataclass(frozen=True, slots=True)
class Refused:
    """A value that is no message, and why; ``key`` is what it calls itself."""

    key: str
    why: str


class NoLog(Exception):
    """The file is no sequence of JSON values; the text says where it ceases to be one."""


def text_of(content: bytes) -> str:
    """The text of a file in any encoding of JSON, such as the UTF-16 that PowerShell writes. Raises
    ``NoLog``.
    """
    try:
        return content.decode(json.detect_encoding(content))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise NoLog(f"line {line} is no text in {error.encoding}") from None


def values(text: str) -> Iterator[Any]:
    """The JSON values of a file, one after the other. Raises ``NoLog``."""
    decoder, at = json.JSONDecoder(), 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            line = text.count("\n", 0, at) + 1
            raise NoLog(f"line {line} begins no JSON value") from None
        yield value


def message_of(value: object, at: int) -> Message | Refused | None:
    """The chess message in a value, as number ``at`` of its file; None if it is about something
    else.
    """
    key = value.get("key") if isinstance(value, dict) else None
    signed = value.get("value") if isinstance(value, dict) else None
    if not isinstance(key, str) or not isinstance(signed, dict):
        return Refused(str(key)[:60], "it has no key or no value")
    content = signed.get("content")
    # A private message was decrypted by the program that printed it, and is not what was signed.
    kind = content.get("type") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(kind, str) or "chess_" not in kind:
        return None
    if why := _flaw(key, signed):
        return Refused(key[:60], why)
    is_invite = kind in INVITES
    if not is_invite and not isinstance(content.get("root"), str):
        return Refused(key[:60], "it names no game")
    return Message(
        key=key,
        author=signed["author"],
        sequence=signed["sequence"],
        timestamp=signed["timestamp"],
        private=False,
        content=content,
        at=at,
    )


def _flaw(key: str, signed: Mapping[str, Any]) -> str | None:
    """Return the reason why this is not the message that its author signed."""
    numbers = signed.get("sequence"), signed.get("timestamp")
    if type(numbers[0]) is not int or type(numbers[1]) not in {int, float}:
        return "its number or its date is none"
    # "the JSON … is formatted with two-space indentation", and hashed one byte a UTF-16 unit.
    try:
        whole = _as_signed(signed)
        hashed = hashlib.sha256(whole.encode("utf-16-le", "surrogatepass")[::2]).digest()
        unsigned = {name: it for name, it in signed.items() if name != "signature"}
        octets = _as_signed(unsigned).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return "it cannot be written as it was signed"
    if key != f"%{base64.b64encode(hashed).decode()}.sha256":
        return "its key is not its hash"
    author, signature = str(signed.get("author")), str(signed.get("signature"))
    try:
        public = base64.b64decode(author.removeprefix("@").removesuffix(".ed25519"), validate=True)
        made = base64.b64decode(signature.removesuffix(_SIGNATURE), validate=True)
        Ed25519PublicKey.from_public_bytes(public).verify(made, octets)
    except (ValueError, InvalidSignature):
        return "its author did not sign it"
    return None


def _as_signed(value: Mapping[str, Any]) -> str:
    """As JavaScript's ``JSON.stringify(value, null, 2)`` writes it."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
