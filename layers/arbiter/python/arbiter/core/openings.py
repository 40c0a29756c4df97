"""The name of an opening by its moves, of up to ten plies. ``openings.tsv`` has, sorted, how many
plies a line shares with the one before, its others, ECO code and name: a.tsv to e.tsv of
https://github.com/lichess-org/chess-openings (CC0 1.0), commit 51b8862. The web client is built
with it.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

TABLE = files("arbiter.core") / "openings.tsv"

LONGEST_PLIES = 10
"""Plies of the longest lines."""


def opening_of(sans: Sequence[str]) -> tuple[str, str] | None:
    """ECO code and name of the longest known beginning of these SANs, or None."""
    known, bare = _names(), [san.rstrip("+#") for san in sans[:LONGEST_PLIES]]
    for plies in range(len(bare), 0, -1):
        if name := known.get(tuple(bare[:plies])):
            return name
    return None


@cache
def _names() -> dict[tuple[str, ...], tuple[str, str]]:
    names: dict[tuple[str, ...], tuple[str, str]] = {}
    plies: list[str] = []
    # Read with the first PGN, in some 10 ms, and not at a cold start.
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        played, _, named = line.partition("\t")
        shared, *others = played.split(" ")
        plies[int(shared) :] = [san.rstrip("+#") for san in others]
        eco, _, name = named.partition(" ")
        names[tuple(plies)] = eco, name
    return names
