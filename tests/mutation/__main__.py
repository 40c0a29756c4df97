"""`make mutants`: would a test notice if the program were slightly wrong?

Prints each mutant that survives, and in the end how many there were, were killed, survived, timed
out, and stand where no test comes. Files on the disk are never changed.
"""

import argparse
import random
import sys
import tempfile
import time
from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from pathlib import Path

import pytest

from tests.mutation.asking import Fate, Reach, Steady, ask, ask_anew, measure, run
from tests.mutation.kept import Kept, named
from tests.mutation.mutants import Mutant, Program
from tests.mutation.planting import ROOT

ARBITER = ROOT / "layers/arbiter/python/arbiter"
Chosen = tuple[Program, str, Mutant]
TESTS = ("tests/core", "tests/dialects", "tests/application")


class Mutating:
    """Takes the place of pytest's loop over the tests."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.kept = Kept(asked.kept)
        self.survivors = 0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Ask the tests about one mutant after the other."""
        programs = [Program.read(it) for it in _sources(self.asked.only)]
        chosen = _sample(programs, self.asked)
        owed = [it for it in chosen if self.kept.is_owed(it[1], again=self.asked.again)]
        _say(f"{len(owed)} mutants; {len(session.items)} tests without a change first")
        with tempfile.TemporaryDirectory() as folder:
            kept = self.asked.reach or Path(folder, "reach")
            reach = measure(session.items, _sources("core dialects"), kept)
        if reach.failed:
            raise SystemExit(f"these fail without a change: {reach.failed}")
        began = time.monotonic()
        for number, (program, name, mutant) in enumerate(owed, 1):
            if time.monotonic() - began > self.asked.minutes * 60:
                break
            fate = self._fate(program, mutant, session.items, reach)
            self.kept.add(name, fate)
            if fate not in {Fate.KILLED, Fate.TIMED_OUT}:
                self.survivors += 1
                _say(f"{number}/{len(owed)} {fate.value}: {_place(program)} {mutant}")
            elif number % self.asked.every == 0:
                _say(f"{number}/{len(owed)} {self._totals(chosen)}")
        _say(f"{self._totals(chosen)}, {time.monotonic() - began:.0f} s")
        return True

    def _totals(self, chosen: list[Chosen]) -> str:
        """Of all that were chosen, those kept from earlier runs among them."""
        fates = Counter(self.kept.fates.get(name) for _, name, _ in chosen)
        counts = [f"{fates[it]} {it.value}" for it in Fate]
        return ", ".join([f"{len(chosen)} mutants", *counts, f"{fates[None]} not asked"])

    def _fate(
        self, program: Program, mutant: Mutant, items: list[pytest.Item], reach: Reach
    ) -> Fate:
        by_id = {it.nodeid: it for it in items}
        if mutant.function is None:
            return self._fate_on_import(program, mutant, items, reach)
        found = reach.of(program.path, mutant.lines)
        if not found:
            return Fate.UNREACHED
        sums = list(accumulate(reach.seconds[it] for it in found))
        found = found[: max(1, bisect_right(sums, self.asked.seconds))]
        seconds = sums[len(found) - 1]
        return ask(program, mutant, [by_id[it] for it in found], seconds)

    def _fate_on_import(
        self, program: Program, mutant: Mutant, items: list[pytest.Item], reach: Reach
    ) -> Fate:
        """The file's own tests first: they know most about it. Then all, the cheap files first."""
        cost: dict[Path, float] = {}
        for it in items:
            cost[it.path] = cost.get(it.path, 0) + reach.seconds[it.nodeid]
        files = sorted(cost, key=lambda it: (program.path.stem not in it.stem, cost[it], it))
        spent = accumulate(cost[it] for it in files)
        # One file at least, and then those that it takes no longer to run.
        place = {
            it: at for at, it in enumerate(files) if next(spent) < self.asked.seconds or not at
        }
        some = sorted((it for it in items if it.path in place), key=lambda it: place[it.path])
        return ask_anew(program, mutant, some, sum(cost[it] for it in place))


def main() -> int:
    """Run what was asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--only", default="core dialects", help="files or folders of the package")
    parser.add_argument(
        "--sample", type=float, default=1.0, help="this part of each file's mutants"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--every", type=int, default=50, help="say how it goes after so many")
    parser.add_argument("--tests", default=" ".join(TESTS), help="the tests to ask")
    parser.add_argument("--minutes", type=float, default=600, help="stop after so many")
    parser.add_argument("--seconds", type=float, default=60, help="of tests that a mutant is asked")
    parser.add_argument("--reach", type=Path, help="where to keep which test comes to which line")
    parser.add_argument("--inside", action="store_true", help="only what is inside functions")
    parser.add_argument("--outside", action="store_true", help="only what is outside functions")
    parser.add_argument("--kept", type=Path, help="go on from the fates in this file")
    parser.add_argument("--again", action="store_true", help="ask those that lived again")
    asked = parser.parse_args()
    mutating = Mutating(asked)
    failed = run(["-s", *asked.tests.split()], mutating, Steady())
    return failed or bool(mutating.survivors)


def _sources(only: str) -> list[Path]:
    named = [ARBITER / it.removeprefix(str(ARBITER.relative_to(ROOT)) + "/") for it in only.split()]
    found = [path for it in named for path in ([it] if it.is_file() else sorted(it.rglob("*.py")))]
    if not found:
        raise pytest.UsageError(f"no such file below {ARBITER.relative_to(ROOT)}: {only}")
    return found


def _sample(programs: list[Program], asked: argparse.Namespace) -> list[Chosen]:
    """The same part of each file, chosen by the seed."""
    chance = random.Random(asked.seed)
    places = {True: not asked.outside, False: not asked.inside}
    chosen: list[Chosen] = []
    for program in programs:
        mutants = [it for it in named(program) if places[it[1].function is not None]]
        some = chance.sample(mutants, round(len(mutants) * asked.sample))
        chosen += [(program, name, mutant) for name, mutant in some]
    # In no order, so that whoever stops has seen as much of each.
    chance.shuffle(chosen)
    return chosen


def _place(program: Program) -> str:
    return program.path.parent.name


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
