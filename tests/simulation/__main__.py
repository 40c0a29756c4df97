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

from tests.simulation import faults
from tests.simulation.run import Outcome, outcome_of, outcome_of_seed, run_seed
from tests.simulation.story import about, digest_of, lines_of

ENOUGH_SEEDS = 200
"""So many seeds must bring every kind of fault."""

SURELY = 10.0
"""Of so many crashes that chance should bring, one comes: else once in twenty thousand runs."""

TOLD_EVERY = 100
MAX_TOLD = 5
"""So many violations of one seed are told; its story has the rest."""


def main() -> int:
    """Run what was asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="make sim", description=__doc__)
    parser.add_argument("--seeds", type=int, default=ENOUGH_SEEDS, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--seed", type=int, help="tell the story of this one")
    parser.add_argument("--about", help="tell only what concerns this id, and the faults")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    if asked.seed is not None:
        return _tell(asked.seed, asked.about)
    return _run(range(asked.first, asked.first + asked.seeds), asked.jobs)


def _tell(seed: int, wanted: str | None) -> int:
    world = run_seed(seed)
    outcome = outcome_of(world)
    lines = lines_of(world)
    for line in about(lines, [wanted]) if wanted else lines:
        print(line)
    print(f"seed {seed}: {outcome.moves} moves, digest {digest_of(world)}")
    for violation in outcome.violations:
        print(f"VIOLATION {violation}")
    return 1 if outcome.violations else 0


def _run(seeds: range, jobs: int) -> int:
    began, outcomes = time.monotonic(), list[Outcome]()
    for outcome in _outcomes(seeds, jobs):
        outcomes.append(outcome)
        for sentence in (outcome.failure, *outcome.violations[:MAX_TOLD]):
            if sentence:
                print(f"VIOLATION in seed {outcome.seed}: {sentence}", flush=True)
        if len(outcomes) % TOLD_EVERY == 0:
            print(f"  {len(outcomes)} of {len(seeds)} seeds", flush=True)
    fired, reached = Counter[str](), Counter[str]()
    for outcome in outcomes:
        fired.update(outcome.fired)
        reached.update(outcome.reached)
    missing = missing_from(fired, reached) if len(seeds) >= ENOUGH_SEEDS else []
    print("faults fired, by kind:")
    for kind, count in sorted(fired.items()):
        print(f"  {count:9}  {kind:<38}  {faults.KINDS.get(kind, '')}")
    for kind in missing:
        print(f"  NEVER FIRED  {kind}: {faults.KINDS.get(kind, '')}")
    bad = [one.seed for one in outcomes if one.violations or one.failure]
    print(f"games      {sum(one.games for one in outcomes)}")
    print(f"moves      {sum(one.moves for one in outcomes)}")
    print(f"faults     {fired.total()}")
    print(f"violations {sum(len(one.violations) for one in outcomes)}, in the seeds {bad[:20]}")
    print(f"seconds    {time.monotonic() - began:.0f}")
    return 1 if bad or missing else 0


def _outcomes(seeds: range, jobs: int) -> Iterator[Outcome]:
    if jobs <= 1 or len(seeds) < 2:
        yield from map(outcome_of_seed, seeds)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn) as pool:
        yield from pool.map(outcome_of_seed, seeds, chunksize=4)


def missing_from(fired: Counter[str], reached: Counter[str]) -> list[str]:
    """Kinds of faults that never fired, and sides of port calls at which nothing ever died though
    they were come to often enough.
    """
    kinds = [kind for kind in faults.KINDS if kind != faults.CRASH and not fired[kind]]
    sides = [
        f"{faults.CRASH} {side}"
        for side, reached in reached.items()
        if not fired[f"{faults.CRASH} {side}"] and faults.expected(side, reached) > SURELY
    ]
    return [*kinds, *sides]


if __name__ == "__main__":
    sys.exit(main())
