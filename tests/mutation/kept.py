"""What became of the mutants so far, in a file, so that a long run may stop and go on.

A line for each: its fate, a tab, its name. The last line of a name counts.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.mutation.asking import Fate
from tests.mutation.mutants import Mutant, Program


def named(program: Program) -> Iterator[tuple[str, Mutant]]:
    """All mutants of a file, each with a name that stays when lines above it come or go."""
    seen: Counter[str] = Counter()
    for mutant in program.mutants():
        name = f"{program.path.parent.name}/" + re.sub(r":\d+ ", " ", str(mutant), count=1)
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name} ({seen[name]})"), mutant


class Kept:
    """The file, or none: then nothing is known and nothing written."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.fates: dict[str, Fate] = {}
        if path and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                fate, _, name = line.partition("\t")
                self.fates[name] = Fate(fate)

    def add(self, name: str, fate: Fate) -> None:
        """This is what became of it."""
        self.fates[name] = fate
        if self._path:
            with self._path.open("a", encoding="utf-8") as lines:
                lines.write(f"{fate.value}\t{name}\n")

    def is_owed(self, name: str, *, again: bool) -> bool:
        """Whether it is to be asked: not yet known, or known to live and to be asked again."""
        fate = self.fates.get(name)
        return fate is None or (again and fate in {Fate.SURVIVED, Fate.UNREACHED})
