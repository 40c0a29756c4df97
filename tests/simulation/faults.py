"""Every kind of fault, which of them may strike in this run, and how often each did.

A fault strikes only where it is asked about, by one seeded chance, and is counted and
written down when it does. Each seed enables a part of the kinds (swarm testing): a run in which
everything fails at once never gets anywhere, and some defects show only when nothing else fails.

F and H are the numbers of the project's list of faults and hostile inputs. Crashes have one kind
for each port call and side, such as ``crash after dynamodb.update_item``; they are enabled as one.
"""

import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

CRASH = "crash"

_KINDS = tomllib.loads(Path(__file__).with_name("faults.toml").read_text(encoding="utf-8"))

ASKED: dict[str, tuple[float, str]] = _KINDS["asked"]
PLANNED: dict[str, tuple[float, str]] = _KINDS["planned"]
OBSERVED: dict[str, str] = _KINDS["observed"]
HOSTILE: dict[str, str] = _KINDS["hostile"]
OF_THE_CLOCK: dict[str, str] = _KINDS["of_the_clock"]
OF_THE_RELAYS: dict[str, str] = _KINDS["of_the_relays"]
TRICKS: dict[str, str] = _KINDS["tricks"]
RARE: dict[str, float] = _KINDS["rare"]

KINDS = {
    **{kind: text for kind, (_, text) in {**ASKED, **PLANNED}.items()},
    **OBSERVED,
    **HOSTILE,
    **OF_THE_CLOCK,
    **OF_THE_RELAYS,
    **{f"cheat {kind}": text for kind, text in TRICKS.items()},
    CRASH: "a process dies before or after a port call",
}

CRASH_LIKELIHOOD = 0.004


def expected(side: str, reached: int) -> float:
    """How many crashes chance should bring at this side of a call that was reached so often while
    crashes were enabled.
    """
    return reached * RARE.get(side.partition(" ")[2], CRASH_LIKELIHOOD)


@dataclass
class Faults:
    """The faults of one run. ``write`` is told of each that strikes: its kind, and where.

    ``oftener`` multiplies how likely each kind is.
    """

    chance: Random
    write: Callable[[str, str], None]
    enabled: frozenset[str] = frozenset()
    is_healed: bool = False
    fired: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    oftener: float = 1.0

    def strikes(self, kind: str, where: str = "") -> bool:
        """Whether this fault strikes here and now; if so it is counted."""
        if not self.allows(kind):
            return False
        if self.chance.random() >= ASKED[kind][0] * self.oftener:
            return False
        self.note(kind, where)
        return True

    def crashes(self, point: str, where: str) -> bool:
        """Whether the process dies at this side of a port call, such as ``after sqs.send``."""
        likelihood = RARE.get(point.partition(" ")[2], CRASH_LIKELIHOOD)
        if not self.allows(CRASH):
            return False
        self.reached[point] += 1
        if self.chance.random() >= likelihood:
            return False
        self.note(f"{CRASH} {point}", where)
        return True

    def note(self, kind: str, where: str = "") -> None:
        self.fired[kind] += 1
        self.write(kind, where)

    def allows(self, kind: str) -> bool:
        return kind in self.enabled and not self.is_healed


def draw_enabled(chance: Random) -> frozenset[str]:
    """A swarm: nothing at all in one seed of twelve, else each kind by a coin of the seed's own."""
    if chance.random() < 1 / 12:
        return frozenset()
    share = chance.choice((0.1, 0.25, 0.5, 0.75))
    return frozenset(
        kind for kind in (*ASKED, *PLANNED, *HOSTILE, CRASH) if chance.random() < share
    )


def draw_tricks(chance: Random) -> frozenset[str]:
    """Of a seed with a cheat: what they try."""
    return frozenset(kind for kind in TRICKS if chance.random() < 0.5)
