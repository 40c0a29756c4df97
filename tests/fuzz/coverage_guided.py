"""The same targets, led by coverage: atheris changes the bytes that went somewhere new.

`make fuzz-bytes ENGINE=atheris TARGET=relay-frames MINUTES=10`. What it met is kept in RUN_DIR, so
that the next run begins where this one ended, and what was found is kept beside it.
"""

import os
import random
import sys
import time
from pathlib import Path

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["arbiter", "functions", "bridge", "clients"]):
    from tests.fuzz.targets import TARGETS

from tests.fuzz.tally import Tally, place_of, table, told

_LONGEST_CASE = 2_048
_FIRST_CASES = 16
_SHOWN_EVERY_S = 30


def main() -> None:
    """Never returns: libFuzzer ends the process."""
    name, minutes = sys.argv[1], float(sys.argv[2])
    one = TARGETS[name]
    kept = Path(os.environ.get("RUN_DIR", ".run")) / "fuzz" / name
    kept.mkdir(parents=True, exist_ok=True)
    for number in range(_FIRST_CASES):
        (kept / f"first-{number}").write_bytes(random.Random(number).randbytes(512))
    findings = kept.parent / f"{name}-found-"

    tally, shown_at = Tally(), time.monotonic()

    def every(octets: bytes) -> None:
        nonlocal shown_at
        try:
            tally.answered(lambda: one.run(one.of(octets)))
        except Exception as failure:
            tally.findings[place_of(failure)] = told(name, one.of(octets), octets, failure)
            print(tally.findings[place_of(failure)])
            print(table({name: tally}), flush=True)
            raise
        # libFuzzer ends the process without a word to us: what we showed last is the end.
        if time.monotonic() - shown_at > _SHOWN_EVERY_S:
            shown_at = time.monotonic()
            print(table({name: tally}), flush=True)

    options = [
        *(f"-max_total_time={round(minutes * 60)}", f"-max_len={_LONGEST_CASE}"),
        # From the first case on as long as may be: short ones tell no stories.
        *("-len_control=0", "-timeout=30", "-print_final_stats=1"),
        f"-artifact_prefix={findings}",
    ]
    atheris.Setup([sys.argv[0], *options, str(kept)], every)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
