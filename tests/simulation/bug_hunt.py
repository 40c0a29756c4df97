"""The checker checked: each seeded bug is planted, and seeds are run until one finds it.

``python -m tests.simulation.bug_hunt`` hunts them all and prints which invariant found each; names
as arguments hunt those alone.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

from tests.simulation.bugs import BUGS, Bug
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.run import outcome_of, run_seed
from tests.simulation.settings import Settings

MAX_SEEDS = 1000
MAX_RUNS = 40
"""A bug that so many runs do not find is not found."""

BY_NAME = {bug.name: bug for bug in BUGS}


@dataclass(frozen=True, slots=True)
class Found:
    """A bug, the seed that found it, and how many were run until then; no ``violations`` if none
    did.
    """

    name: str
    seed: int
    runs: int
    violations: tuple[Violation, ...]

    @property
    def invariants(self) -> tuple[Invariant, ...]:
        return tuple(dict.fromkeys(violation.invariant for violation in self.violations))


@lru_cache(maxsize=1000)
def is_clean(settings: Settings) -> bool:
    """Whether the arbiter without a bug breaks no invariant there: or that run says nothing of a
    bug.
    """
    return not outcome_of(run_seed(settings.seed, settings)).violations


def hunt(bug: Bug, seeds: Iterable[int]) -> Found:
    """Run the seeds, in the bug's scene, that offer what it needs, until one breaks its
    invariant, and good code breaks none there.
    """
    runs, seed = 0, 0
    for seed in seeds:
        if runs == MAX_RUNS:
            break
        settings = bug.settings_of(seed)
        if settings is None:
            continue
        runs += 1
        with bug.planted():
            violations = outcome_of(run_seed(seed, settings)).violations
        is_found = any(bug.invariant == violation.invariant for violation in violations)
        if is_found and is_clean(settings):
            return Found(bug.name, seed, runs, violations)
    return Found(bug.name, seed, runs, ())


def main(names: Sequence[str]) -> int:
    """Hunt and print; 1 if a bug was not found."""
    wanted = [bug for bug in BUGS if not names or bug.name in names]
    began, unfound = time.monotonic(), 0
    with ProcessPoolExecutor() as workers:
        for found in workers.map(_hunted, wanted):
            invariants = ", ".join(found.invariants) or "NOT FOUND"
            _tell(f"{found.name:28} seed {found.seed:4} run {found.runs:3}  {invariants}")
            for violation in found.violations[:5] if names else ():
                _tell(f"    {violation}")
            unfound += not found.violations
    seconds = time.monotonic() - began
    _tell(f"{len(wanted) - unfound} of {len(wanted)} bugs found in {seconds:.0f} s")
    return 1 if unfound else 0


def _hunted(bug: Bug) -> Found:
    return hunt(bug, range(1, MAX_SEEDS + 1))


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="make sim-bugs", description=__doc__)
    parser.add_argument("names", nargs="*", help="hunt these alone")
    sys.exit(main(parser.parse_args().names))
