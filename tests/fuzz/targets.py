"""Every door that is fuzzed: what comes, and what is done with it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fuzz import evenings, scraps, terminal
from tests.fuzz.choices import Choices
from tests.hostile.stage import DOORS


@dataclass(frozen=True, slots=True)
class Target:
    """``make`` makes a case of some choices. ``run`` does it and gives back the words it was
    answered with; whatever it raises is a finding.
    """

    make: Callable[[Choices], Any]
    run: Callable[[Any], str]

    def of(self, octets: bytes) -> Any:
        """The case that these bytes choose."""
        return self.make(Choices(octets))


TARGETS: dict[str, Target] = {
    **{
        f"{door}-{'bodies' if door == 'queue' else 'frames'}": Target(
            scraps.scraps_for(door), scraps.at(door)
        )
        for door in DOORS
    },
    "terminal": Target(evenings.evenings, terminal.spend),
}
