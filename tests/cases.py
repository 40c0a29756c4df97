"""Cases that are written in text files."""

import re
from collections.abc import Iterator
from pathlib import Path


def cases(file: Path) -> dict[tuple[str, str], str]:
    """The lines of each case by its part and name. ``== name`` begins a part, whose first lines
    come first in each of its cases, and ``# name`` begins a case; what is before both is a comment.
    """
    found: dict[tuple[str, str], str] = {}
    _, *parts = re.split(r"^== ", "\n" + file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for part in parts:
        before, *written = re.split(r"^# ", part, flags=re.MULTILINE)
        of, _, first = before.partition("\n")
        for case in written:
            name, _, lines = case.partition("\n")
            assert lines.strip(), f"nothing is in {name}"
            assert (of, name) not in found, f"two are called {name}"
            found[of, name] = first + lines
    return found


def steps(line: str) -> Iterator[str]:
    """The parts of a line between its ``; ``; after ``3 x`` three times, with the number for
    ``#``.
    """
    for step in line.split("; "):
        repeated = re.fullmatch(r"(\d+) x (.*)", step)
        if repeated is None:
            yield step
        else:
            yield from (repeated[2].replace("#", str(at)) for at in range(int(repeated[1])))
