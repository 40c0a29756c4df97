"""NIP-44, version 2: what only one other key can read."""

import base64
import hashlib
import hmac

from coincurve import PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

SMALLEST_PADDING = 32
CHUNKS_FROM = 256


def conversation_key(secret: bytes, pubkey: str) -> bytes:
    """`hkdf_extract(IKM=shared_x, salt=utf8_encode('nip44-v2'))`.

    Raises:
        ValueError: if the public key is no point of the curve.
    """
    shared_x = PublicKey(b"\x02" + bytes.fromhex(pubkey)).multiply(secret).format()[1:33]
    return hmac.digest(b"nip44-v2", shared_x, "sha256")


def encrypt(text: str, conversation: bytes, nonce: bytes) -> str:
    """The payload of a text of 1 to 65,535 bytes."""
    keys = _expand(conversation, nonce, 76)
    cipher = Cipher(algorithms.ChaCha20(keys[:32], bytes(4) + keys[32:44]), mode=None).encryptor()
    sealed = cipher.update(_pad(text.encode()))
    mac = hmac.digest(keys[44:], nonce + sealed, "sha256")
    return base64.b64encode(b"\x02" + nonce + sealed + mac).decode()


def _expand(key: bytes, info: bytes, length: int) -> bytes:
    expanded = block = b""
    count = 1
    while len(expanded) < length:
        block = hmac.digest(key, block + info + bytes([count]), hashlib.sha256)
        expanded, count = expanded + block, count + 1
    return expanded[:length]


def _pad(plain: bytes) -> bytes:
    return len(plain).to_bytes(2, "big") + plain + bytes(padded_length(len(plain)) - len(plain))


def padded_length(length: int) -> int:
    """The NIP's `calc_padded_len`."""
    if length <= SMALLEST_PADDING:
        return SMALLEST_PADDING
    power: int = 1 << (length - 1).bit_length()
    chunk = SMALLEST_PADDING if power <= CHUNKS_FROM else power // 8
    return chunk * ((length - 1) // chunk + 1)
