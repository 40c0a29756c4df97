"""The results of fuzzing so far: the number of cases, and the answers to them."""

import os
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

_MAX_SHOWN = 3_000
_MAX_ANSWERS = 60


@dataclass
class Results:
    """The results for one target. ``findings`` are kept by the place where they were raised."""

    cases: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    findings: dict[str, str] = field(default_factory=dict)

    def answered(self, run: Callable[[], str]) -> list[str]:
        """Count one case and return its words. What it raises goes on to the caller."""
        self.cases += 1
        words = run().split()
        self.answers.update(words)
        return words


def place_of(failure: BaseException) -> str:
    """The place where it was raised: findings of one place are one finding."""
    place = traceback.extract_tb(failure.__traceback__)[-1]
    return f"{type(failure).__name__} at {os.path.relpath(place.filename)}:{place.lineno}"


def told(name: str, case: object, octets: bytes, failure: BaseException) -> str:
    """A finding for people, with the command that makes it again."""
    # The choices that matter: zeros at the end are what is chosen anyhow.
    again = octets.rstrip(b"\0").hex()
    return (
        f"{name}: {place_of(failure)}\n  {failure}\n  input: {repr(case)[:_MAX_SHOWN]}\n"
        f"  again: python -m tests.fuzz.run --target {name} --case {again or '00'}"
    )


def table(results_by_target: dict[str, Results]) -> str:
    """A line for each target: its cases and findings, and how often each answer came."""
    lines = []
    for name, results in results_by_target.items():
        counts = (f"{word} {n}" for word, n in results.answers.most_common(_MAX_ANSWERS))
        found = f"{results.cases} cases, {len(results.findings)} findings"
        lines.append(f"{name}: {found}: {', '.join(counts)}")
    return "\n".join([*lines, f"{sum(it.cases for it in results_by_target.values())} cases"])
