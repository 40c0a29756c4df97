"""NIP-13: proof of work."""

from arbiter.nostr.event import VerifiedEvent, first_tag

_MAX_BITS = 256


def difficulty(event_id: str) -> int:
    return _MAX_BITS - int(event_id, 16).bit_length()


def committed_work(event: VerifiedEvent) -> int:
    """The target difficulty that the event commits to and reaches, in bits, without luck; or 0."""
    nonce = first_tag(event, "nonce")
    if nonce is None or len(nonce) < 3 or not (nonce[2].isascii() and nonce[2].isdigit()):  # noqa: PLR2004 - ["nonce", n, target]
        return 0
    target = int(nonce[2][:4])
    return target if difficulty(event.id) >= target else 0
