"""The server's ``SecretKey``, and placeholder keys for players without one.

Invariant: the secret leaves only through ``to_hex`` and ``to_nsec``: it cannot be printed, pickled
or copied, and no error shows it.
"""

import hashlib
import hmac
import re
from typing import NoReturn, cast

from coincurve import PrivateKey, PublicKeyXOnly

from arbiter.nostr import nip19
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_id, is_hex_32_bytes

_KEY_BYTES = 32
_CURVE_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


# White space, byte order marks (what no UTF-8 is becomes U+FFFD), and the zeros of UTF-16.
_AROUND_A_KEY = re.compile("^[\ufffd\ufeff]+|[\\s\0]")


class SecretKey:
    """A BIP-340 key; made with ``from_hex``, ``from_nsec``, ``from_text`` or ``generate``."""

    __slots__ = ("_key", "_pubkey")

    def __init__(self, secret: bytes) -> None:
        """``secret`` is 32 bytes. Raises ValueError, which does not show them."""
        if len(secret) != _KEY_BYTES or not 0 < int.from_bytes(secret, "big") < _CURVE_ORDER:
            raise ValueError("a secret key is 32 bytes, between 1 and the order of the curve")
        self._key = PrivateKey(secret)
        self._pubkey = self._key.public_key_xonly.format().hex()

    @classmethod
    def from_hex(cls, text: str) -> "SecretKey":
        if not is_hex_32_bytes(text):
            raise ValueError("a secret key is 64 lower-case hexadecimal characters")
        return cls(bytes.fromhex(text))

    @classmethod
    def from_nsec(cls, text: str) -> "SecretKey":
        decoded = nip19.decode_nsec(text)
        if decoded is None:
            raise ValueError("not an nsec of NIP-19")
        return cls.from_hex(decoded)

    @classmethod
    def from_text(cls, text: str) -> "SecretKey":
        """The key that a person gives: an nsec or 64 hex digits. Raises ValueError."""
        plain = _AROUND_A_KEY.sub("", text).lower()
        return cls.from_nsec(plain) if plain.startswith("nsec1") else cls.from_hex(plain)

    @classmethod
    def generate(cls, entropy: bytes) -> "SecretKey":
        return cls(entropy)

    @property
    def pubkey(self) -> str:
        return self._pubkey

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        tags = tuple(tuple(tag) for tag in template.tags)
        id_ = event_id(self._pubkey, template.created_at, template.kind, tags, template.content)
        return VerifiedEvent(
            id=id_,
            pubkey=self._pubkey,
            created_at=template.created_at,
            kind=template.kind,
            tags=tags,
            content=template.content,
            sig=self.sign_bytes(bytes.fromhex(id_)).hex(),
        )

    def sign_bytes(self, digest: bytes) -> bytes:
        """The signature of 32 bytes (else ValueError), without chance: coincurve's None."""
        return self._key.sign_schnorr(digest, cast("bytes", None))

    def derive(self, purpose: bytes) -> bytes:
        """32 secret bytes for another purpose, by HKDF-SHA256 (RFC 5869) with a salt of zeros."""
        extracted = hmac.digest(bytes(32), self._key.secret, "sha256")
        return hmac.digest(extracted, purpose + b"\x01", "sha256")

    def to_hex(self) -> str:
        return self._key.secret.hex()

    def to_nsec(self) -> str:
        return nip19.encode_nsec(self.to_hex())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SecretKey):
            return NotImplemented
        return self._pubkey == other._pubkey

    def __hash__(self) -> int:
        return hash(self._pubkey)

    def __repr__(self) -> str:
        return f"<SecretKey of {self._pubkey}>"

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __getstate__(self) -> NoReturn:
        # Called by pickle, copy and deepcopy.
        raise TypeError("a secret key is neither copied nor pickled")


_DOMAIN = b"arbiter/stand-in/1"


def placeholder_key(server: str, dialect: str, name: str) -> str:
    """The pubkey (64 hex) that represents player ``name`` of ``dialect`` at the arbiter ``server``:
    a hash taken as an x coordinate, so its secret key is unknown to everyone, hashed again until on
    the curve.
    """
    seed = hashlib.sha256(_DOMAIN)
    for part in (
        bytes.fromhex(server),
        dialect.encode("utf-8", "surrogatepass"),
        name.encode("utf-8", "surrogatepass"),
    ):
        # Length-prefixed, or ("ab", "c") would collide with ("a", "bc").
        seed.update(len(part).to_bytes(4, "big") + part)
    point = seed.digest()
    while not _is_on_curve(point):
        point = hashlib.sha256(point).digest()
    return point.hex()


def _is_on_curve(octets: bytes) -> bool:
    """Whether BIP-340's lift_x succeeds: x is below p and a point exists."""
    try:
        PublicKeyXOnly(octets)
    except ValueError:
        return False
    return True
