"""NIP-44 version 2 encryption; the caller brings the nonce, libraries the cryptography. Decryption
returns None for any payload not encrypted between these two keys.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable
from typing import NamedTuple

from coincurve import PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from arbiter.nostr.keys import SecretKey

KEY_BYTES = NONCE_BYTES = MAC_BYTES = 32
MAX_PLAIN_BYTES = 65_535
_VERSION = 2
_LENGTH_BYTES = 2
_SMALLEST_BYTES = 32
# "it can be in range from 132 to 87472 chars"
_PAYLOAD_CHARS = range(132, 87_472 + 1)
_INITIAL_COUNTER = bytes(4)


class MessageKeys(NamedTuple):
    """The keys of one message: 76 bytes of HKDF output in three parts."""

    cipher_key: bytes
    cipher_nonce: bytes
    mac_key: bytes


def conversation_key(secret: bytes, pubkey: str) -> bytes:
    """The key that two players share; ``pubkey`` is x-only hex. Raises ValueError."""
    # BIP-340: an x-only key is the point with the even y.
    shared = PublicKey(b"\x02" + bytes.fromhex(pubkey)).multiply(secret)
    # "Output shared_x must be unhashed"
    shared_x = shared.format(compressed=True)[1:]
    # HKDF-extract of RFC 5869 is this HMAC.
    return hmac.digest(b"nip44-v2", shared_x, hashlib.sha256)


def encrypt(text: str, key: bytes, nonce: bytes) -> str:
    """The payload, by 32 random bytes. Raises ValueError for no text or over 65,535 bytes."""
    keys = message_keys(key, nonce)
    ciphertext = _chacha20(keys, _padded(text.encode()))
    mac = hmac.digest(keys.mac_key, nonce + ciphertext, hashlib.sha256)
    return base64.b64encode(bytes([_VERSION]) + nonce + ciphertext + mac).decode("ascii")


def decrypt(payload: str, key: bytes) -> str | None:
    """The text in a payload; None if it was not encrypted with this key, or not by these rules."""
    # "# is an optional future-proof flag": another version, which is not base64 either.
    if len(payload) not in _PAYLOAD_CHARS:
        return None
    try:
        data = base64.b64decode(payload, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(data) < 1 + NONCE_BYTES + _LENGTH_BYTES + _SMALLEST_BYTES + MAC_BYTES:
        return None
    if data[0] != _VERSION:
        return None
    nonce, ciphertext, mac = (
        data[1 : 1 + NONCE_BYTES],
        data[1 + NONCE_BYTES : -MAC_BYTES],
        data[-32:],
    )
    keys = message_keys(key, nonce)
    expected = hmac.digest(keys.mac_key, nonce + ciphertext, hashlib.sha256)
    if not hmac.compare_digest(expected, mac):
        return None
    return _unpadded(_chacha20(keys, ciphertext))


def message_keys(key: bytes, nonce: bytes) -> MessageKeys:
    """The keys of one message; raises ValueError unless both arguments are 32 bytes."""
    if len(key) != KEY_BYTES or len(nonce) != NONCE_BYTES:
        raise ValueError("a conversation key and a nonce are 32 bytes each")
    okm = HKDFExpand(algorithm=SHA256(), length=76, info=nonce).derive(key)
    return MessageKeys(okm[:32], okm[32:44], okm[44:])


def padded_bytes(plain_bytes: int) -> int:
    """The padded length of a text, which hides its exact length."""
    if plain_bytes <= _SMALLEST_BYTES:
        return _SMALLEST_BYTES
    next_power = 1 << (plain_bytes - 1).bit_length()
    chunk = max(_SMALLEST_BYTES, next_power // 8)
    return chunk * ((plain_bytes - 1) // chunk + 1)


def _padded(plain: bytes) -> bytes:
    if not 1 <= len(plain) <= MAX_PLAIN_BYTES:
        raise ValueError(f"a text is 1 to {MAX_PLAIN_BYTES} bytes")
    padding = bytes(padded_bytes(len(plain)) - len(plain))
    return len(plain).to_bytes(_LENGTH_BYTES, "big") + plain + padding


def _unpadded(padded: bytes) -> str | None:
    length = int.from_bytes(padded[:_LENGTH_BYTES], "big")
    plain = padded[_LENGTH_BYTES : _LENGTH_BYTES + length]
    # "Verify that calculated padding … matches the actual padding"
    if not length or len(padded) != _LENGTH_BYTES + padded_bytes(length):
        return None
    try:
        return plain.decode()
    except UnicodeDecodeError:
        return None


def _chacha20(keys: MessageKeys, data: bytes) -> bytes:
    # "with starting counter set to 0": the library takes counter and nonce in one.
    cipher = algorithms.ChaCha20(keys.cipher_key, _INITIAL_COUNTER + keys.cipher_nonce)
    return Cipher(cipher, mode=None).encryptor().update(data)


_DOMAIN = b"arbiter/chat-nonce/1"


class KeyEncrypter:
    """Encrypts and decrypts with the key that ``key`` returns.

    Invariant: the same line again gives the same payload. The nonce, which must never serve two
    texts, is an HMAC, under the shared secret, of the answered event's key and the line.
    """

    def __init__(self, key: Callable[[], SecretKey]) -> None:
        """``key`` may raise ``KeyUnavailable``, and then so do all methods."""
        self._key = key

    def decrypt(self, author: str, payload: str) -> str | None:
        shared = self._shared(author)
        return None if shared is None else decrypt(payload, shared)

    def encrypt(self, to: str, text: str, event_key: str) -> str | None:
        shared, octets = self._shared(to), text.encode()
        if shared is None or not 0 < len(octets) <= MAX_PLAIN_BYTES:
            return None
        message = _DOMAIN + bytes.fromhex(event_key) + octets
        return encrypt(text, shared, hmac.digest(shared, message, hashlib.sha256))

    def _shared(self, pubkey: str) -> bytes | None:
        try:
            return conversation_key(bytes.fromhex(self._key().to_hex()), pubkey)
        except ValueError:
            return None
