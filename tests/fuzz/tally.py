"""What came of fuzzing so far: how many cases, what they took, how they were answered."""

import os
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

_MOST_SHOWN = 3_000
_MOST_ANSWERS = 60


@dataclass
class Tally:
    """What came of one target. ``seconds`` are CPU's; ``answers`` counts each word that came
    back; ``findings`` are told by the place where they were raised.
    """

    cases: int = 0
    seconds: float = 0.0
    answers: Counter[str] = field(default_factory=Counter)
    findings: dict[str, str] = field(default_factory=dict)

    def answered(self, run: Callable[[], str]) -> list[str]:
        """Count one case; its words. Whatever it raises goes on to the caller."""
        self.cases += 1
        began = time.process_time()
        try:
            words = run().split()
        finally:
            self.seconds += time.process_time() - began
        self.answers.update(words)
        return words


def place_of(failure: BaseException) -> str:
    """Where it was raised: findings of one place are one finding."""
    place = traceback.extract_tb(failure.__traceback__)[-1]
    return f"{type(failure).__name__} at {os.path.relpath(place.filename)}:{place.lineno}"


def told(name: str, case: object, octets: bytes, failure: BaseException) -> str:
    """A finding for people, with the command that makes it again."""
    # The choices that matter: zeros at the end are what is chosen anyhow.
    again = octets.rstrip(b"\0").hex()
    return (
        f"{name}: {place_of(failure)}\n  {failure}\n  input: {repr(case)[:_MOST_SHOWN]}\n"
        f"  again: make fuzz-bytes TARGET={name} CASE={again or '00'}"
    )


def table(tallies: dict[str, Tally]) -> str:
    """Where we are; the CPU hours are all of this process's."""
    rows = [
        f"{'target':14} {'cases':>9} {'CPU s':>8} {'a second':>9} {'answers':>8} {'findings':>9}"
    ]
    for name, tally in tallies.items():
        rate = tally.cases / tally.seconds if tally.seconds else 0.0
        counts = f"{len(tally.answers):8} {len(tally.findings):9}"
        rows.append(f"{name:14} {tally.cases:9} {tally.seconds:8.0f} {rate:9.0f} {counts}")
    cases, hours = sum(tally.cases for tally in tallies.values()), time.process_time() / 3600
    return "\n".join([*rows, f"{cases} cases, {hours:.3f} CPU hours"])


def heard(tallies: dict[str, Tally]) -> str:
    """How often each word came back, the commonest first; a line for each target."""
    lines = []
    for name, tally in tallies.items():
        counts = (f"{word} {n}" for word, n in tally.answers.most_common(_MOST_ANSWERS))
        lines.append(f"{name}: {', '.join(counts)}")
    return "\n".join(lines)
