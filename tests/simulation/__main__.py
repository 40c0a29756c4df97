"""`make sim`: many seeds, or one told as a story.

Prints how many seeds and moves there were, which faults fired how often, and every violation;
exit 1 if there is one, or if a kind of fault never fired in a run long enough to say so.
"""

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from tests.simulation import bugs, faults
from tests.simulation.run import Outcome, outcome_of, outcome_of_seed, run_seed
from tests.simulation.story import lines_of

ENOUGH_SEEDS = 200
"""The number of seeds that must bring every kind of fault."""

TOLD_EVERY = 100
MAX_TOLD = 5
"""The violations of one seed that are told; its story has the rest."""


def main() -> int:
    """Run what was asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="make sim", description=__doc__)
    parser.add_argument("--seeds", type=int, default=ENOUGH_SEEDS, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--seed", type=int, help="tell the story of this one")
    parser.add_argument("--about", help="tell only what concerns this id, and the faults")
    parser.add_argument("--bugs", action="store_true", help="plant each bug, and find it")
    parser.add_argument("--bug", help="plant this one, and find it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    if asked.seed is not None:
        return _tell(asked.seed, asked.about)
    if asked.bugs or asked.bug:
        return _hunt([asked.bug] if asked.bug else [*bugs.BUGS], asked.jobs)
    return _run(range(asked.first, asked.first + asked.seeds), asked.jobs)


def _tell(seed: int, wanted: str | None) -> int:
    world, history = run_seed(seed)
    outcome = outcome_of(world, history)
    for line in lines_of(history, wanted):
        print(line)
    print(f"seed {seed}: {outcome.games} games, {outcome.moves} moves, {outcome.hours:.1f} hours")
    for violation in outcome.violations:
        print(f"VIOLATION {violation}")
    return 1 if outcome.violations else 0


def _hunt(names: list[str], jobs: int) -> int:
    missed = []
    for name, found in zip(names, _each(bugs.hunt, names, jobs), strict=True):
        print(f"{name:36} {found or 'NOT FOUND'}", flush=True)
        missed += [] if found else [name]
    print(f"bugs {len(names)}, found {len(names) - len(missed)}")
    return 1 if missed else 0


def _run(seeds: range, jobs: int) -> int:
    began, outcomes = time.monotonic(), list[Outcome]()
    for outcome in _each(outcome_of_seed, seeds, jobs):
        outcomes.append(outcome)
        for sentence in (outcome.failure, *outcome.violations[:MAX_TOLD]):
            if sentence:
                print(f"VIOLATION in seed {outcome.seed}: {sentence}", flush=True)
        if len(outcomes) % TOLD_EVERY == 0:
            print(f"  {len(outcomes)} of {len(seeds)} seeds", flush=True)
    fired = Counter[str]()
    for outcome in outcomes:
        fired.update(outcome.fired)
    missing = missing_from(fired) if len(seeds) >= ENOUGH_SEEDS else []
    print("faults fired, by kind:")
    for kind, count in sorted(fired.items()):
        print(f"  {count:9}  {kind:<16}  {faults.KINDS.get(kind, '')}")
    for kind in missing:
        print(f"  NEVER FIRED  {kind}: {faults.KINDS[kind]}")
    bad = [one.seed for one in outcomes if one.violations or one.failure]
    cpu = sum(one.seconds for one in outcomes)
    moves = sum(one.moves for one in outcomes)
    print(f"seeds      {len(outcomes)}")
    print(f"games      {sum(one.games for one in outcomes)}")
    print(f"moves      {moves}, {moves / max(cpu, 0.001):.0f} a second of a core")
    print(f"days       {sum(one.hours for one in outcomes) / 24:.0f}")
    print(f"faults     {fired.total()}")
    print(f"violations {sum(len(one.violations) for one in outcomes)}, in the seeds {bad[:20]}")
    print(f"seconds    {time.monotonic() - began:.0f}")
    return 1 if bad or missing else 0


def _each(do: Any, what: Any, jobs: int) -> Iterator[Any]:
    if jobs <= 1 or len(what) == 1:
        yield from map(do, what)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn) as pool:
        yield from pool.map(do, what, chunksize=1)


def missing_from(fired: Counter[str]) -> list[str]:
    """Kinds of faults that never fired."""
    return [kind for kind in faults.KINDS if not fired[kind]]


if __name__ == "__main__":
    sys.exit(main())
