"""``make hostile-inputs``: each case in a line, with its door and its answer."""

import sys

from tests.hostile.corpus import CASES

for case in sorted(CASES, key=lambda case: case.id):
    heeded = ", heeded" if case.heeded else ""
    # What cannot be seen in a name is spelled out.
    seen = "".join(it if it.isprintable() else repr(it)[1:-1] for it in case.id)
    sys.stdout.write(f"{seen}: {case.answer}{heeded} ({case.note})\n")
