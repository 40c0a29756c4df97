"""Every entry point that is fuzzed: what comes, and what is done with it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fuzz import frames, terminal, terminal_sessions
from tests.fuzz.choices import Choices
from tests.hostile.scenario import ENTRY_POINTS


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
        f"{entry_point}-{'bodies' if entry_point == 'queue' else 'frames'}": Target(
            frames.frames_for(entry_point), frames.at(entry_point)
        )
        for entry_point in ENTRY_POINTS
    },
    "terminal": Target(terminal_sessions.terminal_sessions, terminal.spend),
}
