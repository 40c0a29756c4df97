"""The fuzzers, for so many minutes: `make fuzz-bytes MINUTES=10`.

Rounds of every target in turn, each from a seed of its own, by Hypothesis, which makes what it
finds small. A finding is printed with its input and the bytes that make it again. Nothing is
written anywhere.
"""

import argparse
import os
import random
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, seed, settings, target
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS, Target

SETTINGS = settings(
    database=None,
    deadline=None,
    print_blob=False,
    report_multiple_bugs=False,
    phases=(Phase.generate, Phase.target, Phase.shrink),
    suppress_health_check=[*HealthCheck],
)
_MOST_SHOWN = 3_000
_SIZES = (16, 128, 512, 2_048)
CHOICES = st.sampled_from(_SIZES).flatmap(lambda size: st.binary(min_size=size, max_size=size))


@dataclass
class Tally:
    """What came of one target so far; ``answers`` counts each word that came back."""

    cases: int = 0
    seconds: float = 0.0
    answers: Counter[str] = field(default_factory=Counter)
    findings: dict[str, str] = field(default_factory=dict)


def fuzz(name: str, one: Target, number: int, tally: Tally, how: settings = SETTINGS) -> None:
    """One round from this seed; what it found stands in the tally."""
    latest = b""
    seen: set[str] = set()

    @how
    @seed(number)
    @given(CHOICES)
    def every(octets: bytes) -> None:
        nonlocal latest
        latest = octets
        tally.cases += 1
        try:
            words = one.run(one.of(octets)).split()
        except Exception as failure:
            if _where(failure) not in seen | {*tally.findings}:
                seen.add(_where(failure))
                print(f"{_told(name, one, octets, failure)}\n  making it small …", flush=True)
            raise
        tally.answers.update(words)
        # Hypothesis looks for more of what scores high: stories of many different answers.
        target(float(len({*words})), label="different answers")

    started = time.monotonic()
    try:
        every()
    except Exception as failure:  # noqa: BLE001 - whatever it is, it is what we look for
        tally.findings.setdefault(_where(failure), _told(name, one, latest, failure))
    tally.seconds += time.monotonic() - started


def _where(failure: Exception) -> str:
    place = traceback.extract_tb(failure.__traceback__)[-1]
    return f"{type(failure).__name__} at {os.path.relpath(place.filename)}:{place.lineno}"


def _told(name: str, one: Target, octets: bytes, failure: Exception) -> str:
    # The choices that matter: zeros at the end are what is chosen anyhow.
    case = octets.rstrip(b"\0").hex()
    return (
        f"{name}: {_where(failure)}\n  {failure}\n  input: {repr(one.of(octets))[:_MOST_SHOWN]}\n"
        f"  again: make fuzz-bytes TARGET={name} CASE={case or '00'}"
    )


def main() -> int:
    """Fuzz until the time is over; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
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
    tallies = {name: Tally() for name in ([options.target] if options.target else TARGETS)}
    _fuzz_all(tallies, options.examples, time.monotonic() + options.minutes * 60)
    return int(any(tally.findings for tally in tallies.values()))


def _fuzz_all(tallies: dict[str, Tally], examples: int, ends_at: float) -> None:
    dice, how = random.SystemRandom(), settings(SETTINGS, max_examples=examples)
    rounds = 0
    while not rounds or time.monotonic() < ends_at:
        for name, tally in tallies.items():
            known = len(tally.findings)
            fuzz(name, TARGETS[name], dice.getrandbits(48), tally, how)
            for finding in [*tally.findings.values()][known:]:
                print(finding, flush=True)
        rounds += 1
        if rounds.bit_count() == 1:  # at every doubling
            show(tallies)
    show(tallies)
    for name, tally in tallies.items():
        print(f"\n{name}: {', '.join(f'{word} {n}' for word, n in tally.answers.most_common(60))}")


def show(tallies: dict[str, Tally]) -> None:
    """Print where we are."""
    print(f"{'target':14} {'cases':>9} {'a second':>9} {'answers':>8} {'findings':>9}")
    for name, tally in tallies.items():
        rate = tally.cases / tally.seconds if tally.seconds else 0.0
        counts = (len(tally.answers), len(tally.findings))
        print(f"{name:14} {tally.cases:9} {rate:9.0f} {counts[0]:8} {counts[1]:9}")
    cases, hours = sum(tally.cases for tally in tallies.values()), time.process_time() / 3600
    print(f"{cases} cases, {hours:.3f} CPU hours", flush=True)


if __name__ == "__main__":
    sys.exit(main())
