"""A stranger's words made safe for a terminal, and keys made short enough for a line.

The law: nothing that came off the wire reaches a screen except through `clean` or `clean_lines`. A
terminal obeys what it is shown: an escape sequence in an error text could move the cursor, set the
window's title or answer on the player's behalf.
"""

import unicodedata

from arbiter.nostr.nip19 import encode_npub

MAX_SHOWN_CHARS = 300
"""An error is a line or two; more than that only pushes the board off the screen."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, directions that reorder a line, halves of pairs, unassigned, and breaks of line."""


def clean(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """One line without anything a terminal would act on, cut at ``limit`` characters."""
    seen = "".join(" " if letter in "\n\r\t" else letter for letter in text[: 4 * limit])
    seen = "".join(letter for letter in seen if unicodedata.category(letter) not in _UNSEEN)
    return seen if len(seen) <= limit else seen[: limit - 1] + "…"


def clean_lines(text: str) -> str:
    """Several lines, each of them clean: for a PGN, whose line breaks are its own."""
    return "\n".join(clean(line, 10_000) for line in text.splitlines())


def short_key(pubkey: str) -> str:
    """A public key in hex as the ends of its npub, which is what two people compare."""
    npub = encode_npub(pubkey)
    return f"{npub[:10]}…{npub[-4:]}"


def clock_text(seconds: float) -> str:
    """``0:07``, ``12:30`` or ``1:02:03``."""
    minutes, left = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
