"""NIP-13: work that an event shows."""

from arbiter.nostr.event import VerifiedEvent, first_tag

_MAX_BITS = 256


def difficulty(event_id: str) -> int:
    """How many leading bits of an id (64 hex) are zero."""
    return _MAX_BITS - int(event_id, 16).bit_length()


def committed_work(event: VerifiedEvent) -> int:
    """The work that an event was made for and shows, in bits; 0 without a commitment.

    "…the target difficulty… SHOULD be committed to": work beyond the target is luck, and a lucky
    cheap event is not worth more than it was made for.
    """
    nonce = first_tag(event, "nonce")
    if nonce is None or len(nonce) < 3 or not (nonce[2].isascii() and nonce[2].isdigit()):  # noqa: PLR2004 - ["nonce", n, target]
        return 0
    target = int(nonce[2][:4])
    return target if difficulty(event.id) >= target else 0
