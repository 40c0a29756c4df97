"""The public key that stands for a player who has none.

A game has a pubkey in each seat: in its note, in the index of a player's games, on a page. Somebody
who plays without a Nostr key gets one that is a point of the curve and whose secret nobody knows,
us included: a hash, taken as an x coordinate. To know its secret would be to solve the discrete
logarithm of a number that nobody chose.
"""

import hashlib

from coincurve import PublicKeyXOnly

_DOMAIN = b"arbiter/stand-in/1"


def placeholder_key(server: str, dialect: str, name: str) -> str:
    """The pubkey (64 lower-case hex digits) of whom ``dialect`` calls ``name``, at the arbiter of
    that pubkey (64 hex). The same for the same three, always.

    Of two arbiters each has its own, so that neither speaks of the other's players. Every second
    hash lies on the curve, so this takes two on average.
    """
    seed = hashlib.sha256(_DOMAIN)
    for part in (
        bytes.fromhex(server),
        dialect.encode("utf-8", "surrogatepass"),
        name.encode("utf-8", "surrogatepass"),
    ):
        # The length goes first, or ("ab", "c") would be ("a", "bc").
        seed.update(len(part).to_bytes(4, "big") + part)
    point = seed.digest()
    while not _is_on_curve(point):
        point = hashlib.sha256(point).digest()
    return point.hex()


def _is_on_curve(octets: bytes) -> bool:
    """Whether BIP-340's lift_x finds a point: it fails "if x is greater than p-1 or no such point
    exists".
    """
    try:
        PublicKeyXOnly(octets)
    except ValueError:
        return False
    return True
