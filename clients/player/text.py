"""Text of strangers made safe for a screen: an escape sequence could move the cursor or type.

Invariant: text from the wire reaches a screen only through `clean` or `clean_lines`.
"""

import unicodedata

MAX_SHOWN_CHARS = 300
"""More would push the board off the screen."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, marks that reorder a line, surrogates, unassigned characters, and line breaks."""


def clean(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """One line without anything a terminal would act on, cut at ``limit`` characters."""
    seen = "".join(" " if letter in "\n\r\t" else letter for letter in text[: 4 * limit])
    seen = "".join(letter for letter in seen if unicodedata.category(letter) not in _UNSEEN)
    return seen if len(seen) <= limit else seen[: limit - 1] + "…"


def clean_lines(text: str) -> str:
    """Several clean lines, for a PGN."""
    return "\n".join(clean(line, 10_000) for line in text.splitlines())
