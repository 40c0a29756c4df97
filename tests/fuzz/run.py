"""The fuzzers, for so many minutes: `python -m tests.fuzz.run --minutes 10`.

Rounds of every target in turn, each from a seed of its own, by Hypothesis, which makes what it
finds small. A finding is printed with its input and the bytes that make it again. Nothing is
written anywhere.
"""

import argparse
import random
import sys
import time

from hypothesis import HealthCheck, Phase, given, seed, settings, target
from hypothesis import strategies as st

from tests.fuzz.results import Results, place_of, table, told
from tests.fuzz.targets import TARGETS, Target

SETTINGS = settings(
    database=None,
    deadline=None,
    print_blob=False,
    report_multiple_bugs=False,
    phases=(Phase.generate, Phase.target, Phase.shrink),
    suppress_health_check=[*HealthCheck],
)
_SIZES = (16, 128, 512, 2_048)
CHOICES = st.sampled_from(_SIZES).flatmap(lambda size: st.binary(min_size=size, max_size=size))


def fuzz(name: str, one: Target, number: int, results: Results, how: settings = SETTINGS) -> None:
    """One round from this seed; what it found is in the results."""
    latest = b""
    seen: set[str] = set()

    @how
    @seed(number)
    @given(CHOICES)
    def every(octets: bytes) -> None:
        nonlocal latest
        latest = octets
        try:
            words = results.answered(lambda: one.run(one.of(octets)))
        except Exception as failure:
            if place_of(failure) not in seen | {*results.findings}:
                seen.add(place_of(failure))
                finding = told(name, one.of(octets), octets, failure)
                print(f"{finding}\n  making it small …", flush=True)
            raise
        # Hypothesis looks for more of what scores high: stories of many different answers.
        target(float(len({*words})), label="different answers")

    try:
        every()
    except Exception as failure:  # noqa: BLE001 - whatever it is, it is what we look for
        finding = told(name, one.of(latest), latest, failure)
        results.findings.setdefault(place_of(failure), finding)


def main() -> int:
    """Fuzz until the time is over; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--examples", type=int, default=1_000, help="cases of a round")
    parser.add_argument("--target", choices=sorted(TARGETS))
    parser.add_argument("--case", help="one case of the target, by its bytes in hex")
    options = parser.parse_args()
    if options.case and not options.target:
        parser.error("a case is one of a target's: --target")
    if options.case:
        one = TARGETS[options.target]
        case = one.of(bytes.fromhex(options.case))
        print(repr(case), flush=True)
        print(one.run(case))
        return 0
    results_by_target = {
        name: Results() for name in ([options.target] if options.target else TARGETS)
    }
    _fuzz_all(results_by_target, options.examples, time.monotonic() + options.minutes * 60)
    return int(any(results.findings for results in results_by_target.values()))


def _fuzz_all(results_by_target: dict[str, Results], examples: int, ends_at: float) -> None:
    dice, how = random.SystemRandom(), settings(SETTINGS, max_examples=examples)
    rounds = 0
    while not rounds or time.monotonic() < ends_at:
        for name, results in results_by_target.items():
            known = len(results.findings)
            fuzz(name, TARGETS[name], dice.getrandbits(48), results, how)
            for finding in [*results.findings.values()][known:]:
                print(finding, flush=True)
        rounds += 1
        if rounds.bit_count() == 1:  # at every doubling
            print(table(results_by_target), flush=True)
    print(table(results_by_target), flush=True)


if __name__ == "__main__":
    sys.exit(main())
