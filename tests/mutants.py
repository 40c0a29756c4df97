"""`python -m tests.mutants`: would a test notice if the program were slightly wrong?

cosmic-ray makes one small mistake at a time in a copy of this checkout, and asks the tests of the
file's own folder and the conversations. Prints each mutant that survives, and how many there were;
1 if one survives. ``ONE_IN=25`` tries one of 25 of each file, always the same.
"""

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / ".venv/tools/mutants/bin"
LAYER = Path("layers/arbiter/python/arbiter")
SAME = ("BitOr_", "(Eq|NotEq|Lt|LtE|Gt|GtE)_Is(Not)?$", "(Is_Eq|IsNot_NotEq)$")
"""Nothing notices these: ``|`` joins types here, and a small value equal to another is the same."""

CONVERSATIONS = "tests/application/test_conversations.py tests/dialects/test_golden.py"
"""Tests that watch both folders as well: whole games, and the events read and written in them."""


def ask(source: Path, tests: str, one_in: int, tree: Path) -> tuple[int, int]:
    """The number of mutants of a source file that these tests kill, and the number of mutants;
    ``tree`` is the copy.
    """
    folder = tests.split(maxsplit=1)[0]
    own = [str(it.relative_to(tree)) for it in tree.glob(f"{folder}/**/test_{source.stem}.py")]
    pytest = f"{ROOT}/.venv/bin/python -m pytest -q -x -n 0 -p no:cacheprovider"
    lines = [
        "[cosmic-ray]",
        f"module-path = {json.dumps([str(source)])}",
        "timeout = 120.0",
        "excluded-modules = []",
        # The tests that know most about the file come first.
        f"test-command = {json.dumps(' '.join([pytest, *own, tests]))}",
        'distributor.name = "local"',
        "[cosmic-ray.filters.operators-filter]",
        f"exclude-operators = {json.dumps([f'core/Replace[A-Za-z]*Operator_{it}' for it in SAME])}",
    ]
    (tree / "mutants.toml").write_text("\n".join(lines), encoding="utf-8")
    for command in (
        ("cosmic-ray", "init", "--force", "mutants.toml", "mutants.sqlite"),
        ("cr-filter-operators", "mutants.sqlite", "mutants.toml"),
        # A mutant is worth asking about only where the tests pass without it.
        ("cosmic-ray", "baseline", "mutants.toml"),
    ):
        _run(tree, *command)
    with closing(sqlite3.connect(tree / "mutants.sqlite", isolation_level=None)) as database:
        chosen = _sample(database, one_in, random.Random(str(source)))
        _run(tree, "cosmic-ray", "exec", "mutants.toml", "mutants.sqlite")
        _run(tree, "cr-report", "--surviving-only", "--show-diff", "mutants.sqlite")
        survived = "SELECT count(*) FROM work_results WHERE test_outcome = 'SURVIVED'"
        return chosen - database.execute(survived).fetchone()[0], chosen


def _sample(database: sqlite3.Connection, one_in: int, chance: random.Random) -> int:
    """Leave one in so many of the mutants without a result; how many are left."""
    jobs = [
        job
        for (job,) in database.execute(
            "SELECT job_id FROM mutation_specs"
            " WHERE job_id NOT IN (SELECT job_id FROM work_results)"
            " ORDER BY start_pos_row, start_pos_col, operator_name, occurrence"
        )
    ]
    chosen = chance.sample(jobs, -(-len(jobs) // one_in))
    for table in ("mutation_specs", "work_items"):
        database.executemany(
            f"DELETE FROM {table} WHERE job_id = ?",  # noqa: S608 - of the two above
            [(job,) for job in set(jobs) - set(chosen)],
        )
    return len(chosen)


def _run(tree: Path, tool: str, *arguments: str) -> None:
    subprocess.run((TOOLS / tool, *arguments), cwd=tree, check=True)


def main() -> int:
    """Ask about each file that was named; 1 if a mutant survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", default="core dialects", help="files or folders of the package")
    parser.add_argument("--tests", help="the tests to ask, instead of those of the folder")
    parser.add_argument("--one-in", type=int, default=1, help="try one of so many")
    options = parser.parse_args()
    subprocess.run((sys.executable, "-m", "requirements.install", "mutants"), cwd=ROOT, check=True)
    found = [
        path.relative_to(ROOT)
        for name in options.only.split()
        for path in sorted((ROOT / LAYER / name).rglob("*.py")) or [ROOT / LAYER / name]
    ]
    with tempfile.TemporaryDirectory() as folder:
        kept = subprocess.run(
            ("git", "ls-files", "-z"), cwd=ROOT, check=True, stdout=subprocess.PIPE
        ).stdout
        copy = ("xargs", "-0", "cp", "--parents", "-t", folder)
        subprocess.run(copy, cwd=ROOT, input=kept, check=True)
        killed = tried = 0
        for path in found:
            tests = options.tests or f"tests/{path.relative_to(LAYER).parts[0]} {CONVERSATIONS}"
            here, of_these = ask(path, tests, options.one_in, Path(folder))
            killed, tried = killed + here, tried + of_these
            sys.stdout.write(f"{path.name}: {here} of {of_these}; all: {killed} of {tried}\n")
            sys.stdout.flush()
    return 0 if killed == tried else 1


if __name__ == "__main__":
    sys.exit(main())
