"""Wishes to play, as the table has them: who waits, whose wish left with a write, and who asked.

The row of a player's place holds the requests of his that were answered; a pool, and each
challenge, those that wait. A player has one place, by his key; on Scuttlebutt one for each
invitation.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from tests.simulation.checker.items import Item, Side, Stored, requests_of

SCUTTLEBUTT = "ssb"
"""The dialect whose addresses are a feed, the key of an invitation, a role, and a colour."""

REFEREED = "refereed"
"""The role of two who play each other on Scuttlebutt, and asked nobody for an opponent."""

Written = Mapping[str, tuple[Item | None, Item | None]]
"""The items of one write by their keys, each before and after."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish that waited in a pool, or as a challenge of that id, as it is stored."""

    request: str
    player: str
    place: str
    asked_ms: int
    challenge: str | None = None


def place_of(side: Side) -> str:
    """By which id the lobby knows whoever sits there."""
    if side.dialect != SCUTTLEBUTT:
        return side.player
    return sha256(f"{side.player} {side.address.split(' ')[1]}".encode()).hexdigest()


def role_of(side: Side) -> str:
    """What he is to the game on Scuttlebutt; empty elsewhere."""
    return side.address.split(" ")[2] if side.dialect == SCUTTLEBUTT else ""


class Pairing(NamedTuple):
    """How a game was made: at which place the request came last, its cause, and whose wish waited
    for it.
    """

    place: str
    cause: str
    waited: Wish


def pairing_of(items: Written, game: Stored) -> Pairing | None:
    """How this new game was made by the write of these items; None for a rematch."""
    sides = {place_of(side) for side in (game.white, game.black)}
    came = [(place, answered(items, place)) for place in sides]
    last = [(place, causes[-1]) for place, causes in came if causes]
    if len(last) != 1:
        return None
    waited = (wish for wish in gone(items) if wish.place in sides - {last[0][0]})
    found = next(waited, None)
    return None if found is None else Pairing(*last[0], found)


def wish_of(value: Item, challenge: str | None = None) -> Wish:
    """The wish that stands there."""
    player = _id(value["p"])
    return Wish(
        request=bytes(value["r"]["B"]).hex(),
        player=player,
        place=_id(value["o"]) if "o" in value else player,
        asked_ms=int(value["t"]["N"]),
        challenge=challenge,
    )


def _id(value: Item) -> str:
    return bytes(value["B"]).hex() if "B" in value else str(value["S"])


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


def answered(items: Written, place: str) -> tuple[str, ...]:
    """The causes of the requests that this write says were answered at this place."""
    before, after = items.get(f"p#{place}", (None, None))
    known = requests_of(before) if before else ()
    return tuple(one for one in requests_of(after or {}) if one not in known)
