"""Names that players give themselves: strangers' texts, each as one short line without tricks."""

import re
import unicodedata

MAX_NAME_CHARS = 32

_READ_CHARS = 8 * MAX_NAME_CHARS
"""Characters that are looked at: a longer text costs no more."""

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that show nothing, which Python calls printable."""

_PLAIN = str.maketrans('"\\', "'/")
"""Many readers of PGN, python-chess among them, do not undo the escapes of these two."""

_A_KEY = re.compile("n(?:pub|sec|profile)1|[0-9a-f]{16}")

_MAX_MARKS = 2
"""Marks on one letter: more of them cover the lines above and below."""


def clean_name(text: str) -> str:
    """The name in NFC, without characters that hide or reorder others, white space folded, of 32 at
    most; empty where nothing is left, and for what looks like a key.
    """
    name = clean_line(text[:_READ_CHARS], MAX_NAME_CHARS)
    return "" if _A_KEY.search(_letters_of(name)) else name


def clean_line(text: str, max_chars: int) -> str:
    """The text as one line of so many characters at most, cleaned as a name is."""
    spaced = "".join(" " if char.isspace() else char for char in text if _is_shown(char))
    folded = unicodedata.normalize("NFC", " ".join(_UNSEEN.sub("", spaced).split()))
    folded = folded.translate(_PLAIN)
    line, marks = "", 0
    for char in folded:
        marks = marks + 1 if unicodedata.category(char)[0] == "M" else 0
        line += char if marks <= _MAX_MARKS else ""
    return line[:max_chars].strip()


def are_alike(one: str, other: str) -> bool:
    """Whether two names are the same to a reader who does not look closely."""
    return _letters_of(one) == _letters_of(other)


def _is_shown(char: str) -> bool:
    return char.isspace() or char.isprintable()


def _letters_of(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(char for char in plain if char.isalnum())
