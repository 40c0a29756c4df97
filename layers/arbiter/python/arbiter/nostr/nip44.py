"""NIP-44 version 2: words for one key alone.

The law: sealing takes its randomness from the caller, and opening answers None for whatever was
not sealed between these two keys, forged or merely malformed alike. Only the arithmetic that the
NIP itself defines is done here; ECDH, HKDF, ChaCha20 and HMAC are the libraries'.
"""

import base64
import binascii
import hashlib
import hmac
from typing import NamedTuple

from coincurve import PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

KEY_BYTES = NONCE_BYTES = MAC_BYTES = 32
MAX_PLAIN_BYTES = 65_535
_VERSION = 2
_LENGTH_BYTES = 2
_SMALLEST_BYTES = 32
# "it can be in range from 132 to 87472 chars"
_PAYLOAD_CHARS = range(132, 87_472 + 1)
_INITIAL_COUNTER = bytes(4)


class MessageKeys(NamedTuple):
    """What one message is sealed with; the three parts of 76 bytes of HKDF output."""

    cipher_key: bytes
    cipher_nonce: bytes
    mac_key: bytes


def conversation_key(secret: bytes, pubkey: str) -> bytes:
    """The key two players share: the same whichever of them asks. ``pubkey`` is x-only hex.

    ValueError if either is no key.
    """
    # BIP-340: an x-only key stands for the point with the even y.
    shared = PublicKey(b"\x02" + bytes.fromhex(pubkey)).multiply(secret)
    # "Output shared_x must be unhashed"
    shared_x = shared.format(compressed=True)[1:]
    # HKDF-extract of RFC 5869 is this HMAC and nothing more.
    return hmac.digest(b"nip44-v2", shared_x, hashlib.sha256)


def encrypt(text: str, key: bytes, nonce: bytes) -> str:
    """The payload of an event; ``nonce`` is 32 bytes of fresh randomness, never used before.

    ValueError for an empty text or one of more than 65,535 bytes.
    """
    keys = message_keys(key, nonce)
    sealed = _chacha20(keys, _padded(text.encode()))
    mac = hmac.digest(keys.mac_key, nonce + sealed, hashlib.sha256)
    return base64.b64encode(bytes([_VERSION]) + nonce + sealed + mac).decode("ascii")


def decrypt(payload: str, key: bytes) -> str | None:
    """The text in a payload; None if it was not sealed with this key, or not by these rules."""
    # "# is an optional future-proof flag": another version, and no base64 in any case.
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
    nonce, sealed, mac = data[1 : 1 + NONCE_BYTES], data[1 + NONCE_BYTES : -MAC_BYTES], data[-32:]
    keys = message_keys(key, nonce)
    expected = hmac.digest(keys.mac_key, nonce + sealed, hashlib.sha256)
    if not hmac.compare_digest(expected, mac):
        return None
    return _unpadded(_chacha20(keys, sealed))


def message_keys(key: bytes, nonce: bytes) -> MessageKeys:
    """The keys of one message; ValueError unless both are 32 bytes."""
    if len(key) != KEY_BYTES or len(nonce) != NONCE_BYTES:
        raise ValueError("a conversation key and a nonce are 32 bytes each")
    okm = HKDFExpand(algorithm=SHA256(), length=76, info=nonce).derive(key)
    return MessageKeys(okm[:32], okm[32:44], okm[44:])


def padded_bytes(plain_bytes: int) -> int:
    """How long a text of so many bytes becomes, so that its length says little."""
    if plain_bytes <= _SMALLEST_BYTES:
        return _SMALLEST_BYTES
    next_power = 1 << (plain_bytes - 1).bit_length()
    chunk = max(_SMALLEST_BYTES, next_power // 8)
    return chunk * ((plain_bytes - 1) // chunk + 1)


def _padded(plain: bytes) -> bytes:
    if not 1 <= len(plain) <= MAX_PLAIN_BYTES:
        raise ValueError(f"a text is 1 to {MAX_PLAIN_BYTES} bytes")
    filling = bytes(padded_bytes(len(plain)) - len(plain))
    return len(plain).to_bytes(_LENGTH_BYTES, "big") + plain + filling


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
