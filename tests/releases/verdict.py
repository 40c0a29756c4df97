"""Who served what, and whether the arbiter kept its word meanwhile: the table and its last lines.

The law: a run passes when nothing that was told is missing from the kept games, or there twice, or
told in two ways; when both releases read the same in every item; and when both truly served.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.played import Played
from tests.releases.ministack_with_releases import NEW, OF, OLD
from tests.releases.played import Phase

HEADING = (
    "| phase | new of ten | invocations by old, new | moves over Nostr by old, new "
    "| moves over HTTP by old, new | frames to the gateway by old, new | moves told |"
    "\n|---|---|---|---|---|---|---|"
)


@dataclass(slots=True)
class Served:
    """What one release did in one phase."""

    invocations: int = 0
    played: set[str] = field(default_factory=set)
    http_moves: int = 0
    frames: int = 0
    failures: list[str] = field(default_factory=list)


def served_from(lines: Iterable[str]) -> dict[tuple[str, str], Served]:
    """What each release did in each phase, by phase and release."""
    found: dict[tuple[str, str], Served] = {}
    for line in lines:
        told = json.loads(line)
        one = found.setdefault((told["phase"], told["release"]), Served())
        one.invocations += 1
        one.played.update(told["played"])
        one.http_moves += told["made_move"]
        one.frames += "GatewayFunction" in told["function"]
        one.failures += told["failures"]
    return found


def row(phase: Phase, served: Mapping[tuple[str, str], Served], moves: int) -> str:
    """A phase as a line of the table."""
    old, new = (served.get((phase.name, release), Served()) for release in (OLD, NEW))
    pairs = (
        (old.invocations, new.invocations),
        (len(old.played), len(new.played)),
        (old.http_moves, new.http_moves),
        (old.frames, new.frames),
    )
    cells = (phase.name, phase.new_of_ten, *(f"{a}, {b}" for a, b in pairs), moves)
    return f"| {' | '.join(map(str, cells))} |"


def idle(phases: Sequence[Phase], served: Mapping[tuple[str, str], Served]) -> list[str]:
    """A sentence for each release that did not serve where it should have, or did elsewhere."""
    found = []
    for phase in phases:
        for release, share in ((OLD, OF - phase.new_of_ten), (NEW, phase.new_of_ten)):
            did = served.get((phase.name, release), Served())
            name = "old" if release == OLD else "new"
            if share and not (did.played and did.http_moves and did.frames):
                found.append(f"the {name} release did not serve each wire in “{phase.name}”")
            if not share and did.invocations:
                found.append(f"the {name} release served in “{phase.name}”")
    return found


def broken(played: Sequence[tuple[str, Played]]) -> list[str]:
    """A sentence for each game that was not kept as it was told."""
    found = []
    for name, one in played:
        by_ply = Counter(ply for ply, _ in one.told)
        two_ways = sum(count > 1 for count in by_ply.values())
        if one.lost or one.twice or two_ways:
            found.append(f"{name}: {one.lost} lost, {one.twice} twice, {two_ways} told in two ways")
    return found


def disagreements(by_old: Mapping[str, object], by_new: Mapping[str, object]) -> list[str]:
    """A sentence for each item that the two releases read differently, or find amiss."""
    found = []
    for key in sorted(by_old.keys() | by_new.keys()):
        old, new = by_old.get(key), by_new.get(key)
        if old != new:
            found.append(f"{key} is read as {old} by the old release, as {new} by the new")
        elif not isinstance(new, dict) or new.get("unreadable") or new["flaw"]:
            found.append(f"{key} is amiss: {new}")
    return found
