"""Wishes to play, as the table has them: who waits, whose wish left with a write, and who asked.

A player's own row holds the requests of his that were answered; a pool, and each challenge, those
that wait.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.simulation.checker.items import Item, requests_of

Written = Mapping[str, tuple[Item | None, Item | None]]
"""The items of one write by their keys, each before and after."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish that waited in a pool, or as a challenge of that id, as it is stored."""

    request: str
    player: str
    asked_ms: int
    challenge: str | None = None


def wish_of(value: Item, challenge: str | None = None) -> Wish:
    """The wish that stands there."""
    return Wish(
        request=bytes(value["r"]["B"]).hex(),
        player=bytes(value["p"]["B"]).hex() if "B" in value["p"] else value["p"]["S"],
        asked_ms=int(value["t"]["N"]),
        challenge=challenge,
    )


def waiting_in(pool: Item | None) -> tuple[Wish, ...]:
    """The wishes of a pool, in their order."""
    return tuple(wish_of(value["M"]) for value in pool["q"]["L"]) if pool else ()


def gone(items: Written) -> Iterator[Wish]:
    """The wishes that this write took out of challenges and pools; challenges first."""
    for key, (before, after) in items.items():
        if key.startswith("c#") and before is not None and after is None:
            yield wish_of(before["q"]["M"], key.removeprefix("c#"))
    for key, (before, after) in items.items():
        if key.startswith("q#"):
            kept = {wish.request for wish in waiting_in(after)}
            yield from (wish for wish in waiting_in(before) if wish.request not in kept)


def answered(items: Written, player: str) -> tuple[str, ...]:
    """The causes of this player's requests that this write says were answered."""
    before, after = items.get(f"p#{player}", (None, None))
    known = requests_of(before) if before else ()
    return tuple(one for one in requests_of(after or {}) if one not in known)
