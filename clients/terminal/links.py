"""The link to an open challenge that is for those alone who have it: the challenge's id and a
secret key, whose public half stands in the challenge.

The law: the secret is in the link and in no event. Whoever accepts shows a signature under that key
that names themself, so nobody else can use what they show.
"""

import hmac
import re
from hashlib import sha256

from arbiter.nostr.keys import SecretKey

_LINK = re.compile(r"([0-9a-f]{32})-([0-9a-f]{64})")


def draw_key(seed: bytes, now: float) -> SecretKey:
    """A key of its own for a link that is asked for now; ``seed`` is 32 bytes that nobody knows."""
    return SecretKey.generate(hmac.digest(seed, f"link:{now}".encode(), "sha256"))


def link_of(challenge: str, key: SecretKey) -> str:
    """What to pass on."""
    return f"{challenge}-{key.to_hex()}"


def read_link(text: str) -> tuple[str, SecretKey] | None:
    """The challenge's id and the key in a link; None for any other text."""
    found = _LINK.fullmatch(text.lower())
    if found is None:
        return None
    try:
        return found[1], SecretKey.from_hex(found[2])
    except ValueError:
        return None


def proof_of(challenge: str, key: SecretKey, me: str) -> str:
    """The signature (128 hex) with which ``me`` (64 hex) shows that they have the link."""
    return key.sign_bytes(sha256(f"accept:{challenge}:{me}".encode()).digest()).hex()
