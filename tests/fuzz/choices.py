"""Bytes read as choices: what a case is made of, however the bytes were chosen.

Hypothesis draws them at random and makes them small when something is found. Where they end every
further choice is the first one, so a few bytes make a simple case, and the same bytes always make
the same.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

_HIGHEST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


class Choices:
    """The bytes, read from their beginning."""

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self._at = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 to ``bound - 1``."""
        size = max(1, ((bound - 1).bit_length() + 7) // 8)
        taken = self._octets[self._at : self._at + size]
        self._at += size
        return int.from_bytes(taken.ljust(size, b"\0"), "big") % bound

    def pick(self, things: Sequence[T]) -> T:
        """One of these; what is in it more often is picked more often."""
        return things[self.below(len(things))]

    def chance(self, one_in: int) -> bool:
        """True once in so many times."""
        return self.below(one_in) == one_in - 1

    def several(self, most: int, make: Callable[[], T], least: int = 0) -> list[T]:
        """Make from ``least`` to ``most`` of them."""
        return [make() for _ in range(least + self.below(most - least + 1))]

    def octets(self, most: int) -> bytes:
        """Some bytes as they are."""
        return bytes(self.below(256) for _ in range(self.below(most + 1)))

    def letter(self) -> str:
        """Any character that has a UTF-8."""
        code = self.below(_HIGHEST + 1)
        return "\ufffd" if code in _SURROGATES else chr(code)
