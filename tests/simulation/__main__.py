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
from dataclasses import dataclass, field

from tests.simulation import faults
from tests.simulation.run import Outcome, outcome_of, outcome_of_seed, run_seed
from tests.simulation.story import about, digest_of, lines_of

ENOUGH_SEEDS = 200
"""So many seeds must bring every kind of fault."""


SURELY = 10.0
"""Of so many crashes that chance should bring, one comes: else once in twenty thousand runs."""

MOST_TOLD = 5
"""So many violations of one seed are told; its story has the rest."""


@dataclass
class Totals:
    """What all seeds came to."""

    seeds: int = 0
    moves: int = 0
    games: int = 0
    fired: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    bad: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        self.seeds += 1
        self.moves += outcome.moves
        self.games += outcome.games
        self.fired.update(outcome.fired)
        self.reached.update(outcome.reached)
        if outcome.violations:
            self.bad.append(outcome)


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
    for violation, ids in outcome.violations:
        print(f"VIOLATION {violation}")
        if not wanted:
            print(f"  its story alone: make sim SEED={seed} ABOUT={' '.join(ids[:1])}")
    return 1 if outcome.violations else 0


def _run(seeds: range, jobs: int) -> int:
    began = time.monotonic()
    totals = Totals()
    shown_at = began
    for outcome in _outcomes(seeds, jobs):
        totals.add(outcome)
        for violation, _ in outcome.violations[:MOST_TOLD]:
            print(f"VIOLATION in seed {outcome.seed}: {violation}", flush=True)
        if time.monotonic() - shown_at > 10:
            shown_at = time.monotonic()
            print(_progress(totals, len(seeds), began), flush=True)
    missing = missing_from(totals) if len(seeds) >= ENOUGH_SEEDS else []
    _print(totals, missing, time.monotonic() - began)
    return 1 if totals.bad or missing else 0


def _outcomes(seeds: range, jobs: int) -> Iterator[Outcome]:
    if jobs <= 1 or len(seeds) < 2:
        yield from map(outcome_of_seed, seeds)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn) as pool:
        yield from pool.map(outcome_of_seed, seeds, chunksize=4)


def _progress(totals: Totals, asked: int, began: float) -> str:
    seconds = time.monotonic() - began
    return (
        f"  {totals.seeds} of {asked} seeds, {totals.moves} moves, "
        f"{sum(totals.fired.values())} faults, {len(totals.bad)} bad seeds, {seconds:.0f} s"
    )


def missing_from(totals: Totals) -> list[str]:
    """Kinds of faults that never fired, and sides of port calls at which nothing ever died though
    they were come to often enough.
    """
    kinds = [kind for kind in faults.KINDS if kind != faults.CRASH and not totals.fired[kind]]
    sides = [
        f"{faults.CRASH} {side}"
        for side, reached in totals.reached.items()
        if not totals.fired[f"{faults.CRASH} {side}"] and faults.expected(side, reached) > SURELY
    ]
    return [*kinds, *sides]


def _print(totals: Totals, missing: list[str], seconds: float) -> None:
    print("faults fired, by kind:")
    for kind, count in sorted(totals.fired.items()):
        print(f"  {count:9}  {kind:<38}  {faults.KINDS.get(kind, '')}")
    for kind in missing:
        print(f"  NEVER FIRED  {kind}: {faults.KINDS.get(kind, '')}")
    seeds = ", ".join(str(one.seed) for one in totals.bad[:20])
    print(f"seeds      {totals.seeds}")
    print(f"games      {totals.games}")
    print(f"moves      {totals.moves}")
    print(f"faults     {sum(totals.fired.values())}")
    violations = sum(len(one.violations) for one in totals.bad)
    print(f"violations {violations}{f', in the seeds {seeds}' if seeds else ''}")
    print(f"seconds    {seconds:.0f}")


if __name__ == "__main__":
    sys.exit(main())
