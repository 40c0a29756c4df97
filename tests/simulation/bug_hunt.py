"""The checker checked: each seeded bug is planted, and seeds are run until one finds it.

``python -m tests.simulation.bug_hunt`` hunts them all and prints which law found each; names as
arguments hunt those alone.
"""

import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

from tests.simulation.bugs import BUGS, Bug
from tests.simulation.checker.laws import check
from tests.simulation.checker.verdict import Law, Violation
from tests.simulation.run import history_of, run_seed
from tests.simulation.settings import Settings

MOST_SEEDS = 1000
MOST_RUNS = 30
"""A bug that so many runs do not find is not found."""

BY_NAME = {bug.name: bug for bug in BUGS}


@dataclass(frozen=True, slots=True)
class Found:
    """A bug, the seed that found it, and how many were run until then; no ``violations`` if none
    did.
    """

    bug: Bug
    seed: int
    runs: int
    violations: tuple[Violation, ...]

    @property
    def laws(self) -> tuple[Law, ...]:
        return tuple(dict.fromkeys(violation.law for violation in self.violations))


def violations_of(seed: int, settings: Settings) -> tuple[Violation, ...]:
    """What the checker says of one run; and that it never came to rest, if it did not."""
    history = history_of(run_seed(seed, settings))
    restless = Violation(Law.TOLD, (), "an hour after all was healed somebody was still waiting")
    return (*check(history), *(() if history.is_quiet else (restless,)))


@lru_cache(maxsize=1000)
def is_clean(settings: Settings) -> bool:
    """Whether the arbiter without a bug breaks no law there: or that run says nothing of a bug."""
    return not violations_of(settings.seed, settings)


def hunt(bug: Bug, seeds: Iterable[int]) -> Found:
    """Run the seeds, in the bug's scene, that offer what it needs, until one breaks a law that good
    code keeps there.
    """
    runs, seed = 0, 0
    for seed in seeds:
        if runs == MOST_RUNS:
            break
        settings = bug.settings_of(seed)
        if settings is None:
            continue
        runs += 1
        with bug.planted():
            violations = violations_of(seed, settings)
        if violations and is_clean(settings):
            return Found(bug, seed, runs, violations)
    return Found(bug, seed, runs, ())


def main(names: Sequence[str]) -> int:
    """Hunt and print; 1 if a bug was not found."""
    wanted = [bug.name for bug in BUGS if not names or bug.name in names]
    began = time.monotonic()
    results = []
    with ProcessPoolExecutor() as workers:
        for name, seed, runs, violations in workers.map(_hunted, wanted):
            found = Found(BY_NAME[name], seed, runs, violations)
            results.append(found)
            _tell(f"{name:28} seed {seed:4} run {runs:3}  {_laws(found) or 'NOT FOUND'}")
            for violation in violations[:5] if names else ():
                _tell(f"    {violation}")
    unfound = sum(not found.violations for found in results)
    seconds = time.monotonic() - began
    _tell(f"{len(results) - unfound} of {len(results)} bugs found in {seconds:.0f} s")
    return 1 if unfound else 0


def _hunted(name: str) -> tuple[str, int, int, tuple[Violation, ...]]:
    """What passes from one process to another: a bug itself cannot."""
    found = hunt(BY_NAME[name], range(1, MOST_SEEDS + 1))
    return name, found.seed, found.runs, found.violations


def _laws(found: Found) -> str:
    return ", ".join(found.laws)


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
