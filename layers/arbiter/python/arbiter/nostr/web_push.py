"""Web Push messages: encrypted for a browser (RFC 8291, RFC 8188) and signed by the arbiter's own
key on P-256 (VAPID, RFC 8292). The caller brings time and chance, a library the cryptography.
"""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.strict_json import read_json, write_json

MAX_SUBSCRIPTION_BYTES = 1_500
MAX_ENDPOINT_CHARS = 600
_RECORD_BYTES = 4_096
"""RFC 8291: a push service need not take more than one record of this size."""
MAX_PLAIN_BYTES = 2_000
_POINT_BYTES, _AUTH_BYTES, _SALT_BYTES = 65, 16, 16
_VALID_SECONDS = 12 * 60 * 60
"""RFC 8292: "exp" is "not more than 24 hours from the time of the request"."""
_CURVE_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551

Entropy = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A browser's subscription: where its pushes go, its point on P-256, and a shared secret."""

    endpoint: str
    point: bytes
    auth: bytes


def read_subscription(text: str) -> Subscription | None:
    """The subscription in a browser's JSON; None for anything else."""
    match read_json(text, MAX_SUBSCRIPTION_BYTES):
        case {"endpoint": str(endpoint), "keys": {"p256dh": str(point), "auth": str(auth)}}:
            found = Subscription(endpoint, _octets(point), _octets(auth))
        case _:
            return None
    is_whole = len(found.point) == _POINT_BYTES and len(found.auth) == _AUTH_BYTES
    is_secure = endpoint.startswith("https://") and endpoint.isascii() and endpoint.isprintable()
    return found if is_whole and is_secure and len(endpoint) <= MAX_ENDPOINT_CHARS else None


def signing_key(secret: SecretKey) -> ec.EllipticCurvePrivateKey:
    """The key that signs pushes, which follows from the arbiter's: there is no other to keep."""
    drawn = int.from_bytes(secret.derive(b"arbiter/vapid/1"), "big")
    return ec.derive_private_key(drawn % (_CURVE_ORDER - 1) + 1, ec.SECP256R1())


def public_text(key: ec.EllipticCurvePrivateKey) -> str:
    return _text(_point(key))


def authorization(key: ec.EllipticCurvePrivateKey, origin: str, contact: str, at: int) -> str:
    """The header by which a push service at this origin knows us; ``contact`` is a URL or ""."""
    claims = {"aud": origin, "exp": at + _VALID_SECONDS, **({"sub": contact} if contact else {})}
    parts = ({"typ": "JWT", "alg": "ES256"}, claims)
    signed = ".".join(_text(write_json(part).encode()) for part in parts)
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return f"vapid t={signed}.{_text(signature)},k={public_text(key)}"


def encrypted(text: str, to: Subscription, entropy: Entropy) -> bytes | None:
    """The body of a push; None for a point that is not on the curve, or too long a text."""
    once = ec.derive_private_key(
        int.from_bytes(entropy(32), "big") % (_CURVE_ORDER - 1) + 1, ec.SECP256R1()
    )
    salt, plain = entropy(_SALT_BYTES), text.encode()
    if len(plain) > MAX_PLAIN_BYTES:
        return None
    try:
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), to.point)
    except ValueError:
        return None
    shared, own = once.exchange(ec.ECDH(), point), _point(once)
    secret = _derived(to.auth, shared, b"WebPush: info\0" + to.point + own, 32)
    cipher = AESGCM(_derived(salt, secret, b"Content-Encoding: aes128gcm\0", 16))
    nonce = _derived(salt, secret, b"Content-Encoding: nonce\0", 12)
    head = salt + _RECORD_BYTES.to_bytes(4, "big") + bytes([len(own)]) + own
    # RFC 8188: the last record's delimiter is 2.
    return head + cipher.encrypt(nonce, plain + b"\x02", None)


def _derived(salt: bytes, secret: bytes, info: bytes, size: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=size, salt=salt, info=info).derive(secret)


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _text(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def _octets(text: str) -> bytes:
    """The bytes of base64url, with or without its end; none for other text."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
