"""Each hostile input in a line, with its entry point and its answer: `python -m tests.hostile`."""

import argparse
import sys

from tests.hostile.corpus import CASES

argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__).parse_args()
for case in sorted(CASES, key=lambda case: case.id):
    # What cannot be seen in a name is spelled out.
    seen = "".join(it if it.isprintable() else repr(it)[1:-1] for it in case.id)
    sys.stdout.write(f"{seen}: {case.answer}\n")
