"""``make mutants``: would a test notice if the program were slightly wrong?

cosmic-ray makes one small mistake at a time in a copy of this checkout, and asks the tests of the
file's own folder. Prints each mutant that survives, and how many there were; 1 if one survives.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / ".venv/tools/mutants/bin"
LAYER = Path("layers/arbiter/python/arbiter")
SAME = ("BitOr_", "(Eq|NotEq|Lt|LtE|Gt|GtE)_Is(Not)?$", "(Is_Eq|IsNot_NotEq)$")
"""Nothing notices these: ``|`` joins types here, and a small value equal to another is the same."""


def ask(source: Path, tests: str, tree: Path) -> bool:
    """Whether every mutant of a source file is killed by these tests; ``tree`` is the copy."""
    own = [str(it.relative_to(tree)) for it in tree.glob(f"tests/**/test_{source.stem}.py")]
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
        ("cosmic-ray", "exec", "mutants.toml", "mutants.sqlite"),
        ("cr-report", "--surviving-only", "--show-diff", "mutants.sqlite"),
    ):
        subprocess.run((TOOLS / command[0], *command[1:]), cwd=tree, check=True)
    rate = (TOOLS / "cr-rate", "--fail-over", "0", "mutants.sqlite")
    return subprocess.run(rate, cwd=tree, check=False).returncode == 0


def main() -> int:
    """Ask about each file that was named; 1 if a mutant survives."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--only", default="core dialects", help="files or folders of the package")
    parser.add_argument("--tests", help="the tests to ask, instead of those of the folder")
    options = parser.parse_args()
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
        killed = [
            ask(path, options.tests or f"tests/{path.relative_to(LAYER).parts[0]}", Path(folder))
            for path in found
        ]
    return 0 if all(killed) else 1


if __name__ == "__main__":
    sys.exit(main())
