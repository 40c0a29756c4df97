"""The name of an opening by its moves."""

from collections.abc import Sequence
from functools import cache

LONGEST_PLIES = 10
"""Plies of the longest lines."""


def opening_of(sans: Sequence[str]) -> tuple[str, str] | None:
    """The ECO code and the name of the longest known beginning of these moves in SAN, from the
    usual position; None without one.
    """
    known, bare = _names(), [san.rstrip("+#") for san in sans[:LONGEST_PLIES]]
    for plies in range(len(bare), 0, -1):
        if name := known.get(tuple(bare[:plies])):
            return name
    return None


@cache
def _names() -> dict[tuple[str, ...], tuple[str, str]]:
    # Read with the first PGN, in some 10 ms, and not at a cold start.
    from arbiter.core.opening_lines import OPENING_LINES  # noqa: PLC0415

    names: dict[tuple[str, ...], tuple[str, str]] = {}
    plies: list[str] = []
    for line in OPENING_LINES.splitlines():
        played, _, named = line.partition("\t")
        shared, *others = played.split(" ")
        plies[int(shared) :] = [san.rstrip("+#") for san in others]
        eco, _, name = named.partition(" ")
        names[tuple(plies)] = eco, name
    return names
