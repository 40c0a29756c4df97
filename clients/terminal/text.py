"""Text as wide as a terminal, in its letters, and keys made short."""

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

import chess

from arbiter.nostr.nip19 import encode_npub

_ALIKE = 0.75
"""Similarity (difflib) that a mistyped word must have to another."""

_ASCII = {"…": "...", "·": "-", "“": '"', "”": '"', "\u2013": "-", "\u2014": "-", "\u2019": "'"}
"""Punctuation in ASCII."""


def cells(text: str) -> int:
    """The columns that the text takes in a terminal: an ideograph takes two, an accent none."""
    return sum(map(_cell, text))


def fit(text: str, room: int, ellipsis: str = "…") -> str:
    """The text, cut and marked with the ellipsis where it takes more than ``room`` columns."""
    if cells(text) <= room:
        return text
    if room < len(ellipsis):
        return ""
    kept, left = "", room - len(ellipsis)
    for letter in text:
        left -= _cell(letter)
        if left < 0:
            break
        kept += letter
    return kept + ellipsis


def closest(word: str, words: Iterable[str]) -> str | None:
    """The word most similar to a mistyped one; None if none is similar."""
    found = get_close_matches(word.lower(), words, n=1, cutoff=_ALIKE)
    return found[0] if found else None


def to_ascii(text: str) -> str:
    """The text in bytes below 0x80: accents are dropped, and what has no letter becomes ``?``."""
    return "".join(letter if letter.isascii() else _ascii(letter) for letter in text)


def _ascii(letter: str) -> str:
    if letter in _ASCII:
        return _ASCII[letter]
    plain = unicodedata.normalize("NFKD", letter)
    found = "".join(part for part in plain if part.isascii())
    return found or ("" if unicodedata.combining(letter) else "?")


def _cell(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def color_name(color: chess.Color) -> str:
    """``white`` or ``black``."""
    return chess.COLOR_NAMES[color]


def short_key(pubkey: str) -> str:
    """A public key in hex as the ends of its npub."""
    npub = encode_npub(pubkey)
    return f"{npub[:10]}…{npub[-4:]}"


def clock_text(seconds: float) -> str:
    """``0:07``, ``12:30`` or ``1:02:03``."""
    minutes, left = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
