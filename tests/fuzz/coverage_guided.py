"""The same targets, led by coverage: atheris changes the bytes that went somewhere new.

`make fuzz-bytes ENGINE=atheris TARGET=relay-frames MINUTES=10`. What it met is kept in RUN_DIR, so
that the next run begins where this one ended, and what was found is kept beside it.
"""

import os
import random
import sys
from pathlib import Path

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["arbiter", "functions"]):
    from tests.fuzz.targets import TARGETS

_LONGEST_CASE = 2_048
_FIRST_CASES = 16


def main() -> None:
    """Never returns: libFuzzer ends the process."""
    name, minutes = sys.argv[1], float(sys.argv[2])
    one = TARGETS[name]
    kept = Path(os.environ.get("RUN_DIR", ".run")) / "fuzz" / name
    kept.mkdir(parents=True, exist_ok=True)
    for number in range(_FIRST_CASES):
        (kept / f"first-{number}").write_bytes(random.Random(number).randbytes(512))
    findings = kept.parent / f"{name}-found-"

    def every(octets: bytes) -> None:
        one.run(one.of(octets))

    options = [f"-max_total_time={round(minutes * 60)}", f"-max_len={_LONGEST_CASE}"]
    # From the first case on as long as may be: short ones tell no stories.
    options += [
        "-len_control=0",
        "-timeout=30",
        "-print_final_stats=1",
        f"-artifact_prefix={findings}",
    ]
    atheris.Setup([sys.argv[0], *options, str(kept)], every)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
