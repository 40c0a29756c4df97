"""``make hostile-inputs``: each input in a line, with its entry point and its answer."""

import sys

from tests.hostile.corpus import CASES

for case in sorted(CASES, key=lambda case: case.id):
    # What cannot be seen in a name is spelled out.
    seen = "".join(it if it.isprintable() else repr(it)[1:-1] for it in case.id)
    sys.stdout.write(f"{seen}: {case.answer}\n")
