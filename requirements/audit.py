"""What is known against what we stand on, and whether a secret lies in this repository.

    python requirements/audit.py

The law: what was not looked up is not called clean. Exit code 0: all was looked up, and nothing was
found. 1: something was found. 75 ("try again later"): nothing was found, but an advisory service or
a tool could not be had, and the output says which.

Vulnerabilities: pip-audit, by PyPI's advisories, for every lock. It exits with 0 for a package that
the service does not know, so its report is read and not its exit code. `npm audit`, for the locks
of Node. Secrets: gitleaks, over the
files as they are and over every commit, by requirements/gitleaks/gitleaks.toml.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
TOOLS = ROOT / ".venv" / "tools"
GITLEAKS = FOLDER / "gitleaks"

CLEAN, FOUND, NOT_LOOKED_UP = 0, 1, 75

NODE_LOCKS = ("bridge/peer", "tests/e2e/node", "tests/e2e/ssb_chess")

_GOS_OWN = "github.com/zricethezav/gitleaks/v8"
_SMALLEST_FIRST = "layer"
"""If nobody answers for this lock, nobody is asked about the others."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one look: a code, and sentences for a person."""

    code: int
    sentences: tuple[str, ...]


def read(name: str, report: Mapping[str, Any]) -> Verdict:
    """What pip-audit's report says of one lock."""
    packages = report["dependencies"]
    known = [it for it in packages if "vulns" in it]
    found = tuple(
        f"✗ {name}: {it['name']} {it['version']} has {flaw['id']}, mended in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}"
        for it in known
        for flaw in it["vulns"]
    )
    if found:
        return Verdict(FOUND, found)
    if len(known) < len(packages) or not packages:
        text = f"? {name}: of {len(packages)} packages {len(known)} were looked up"
        return Verdict(NOT_LOOKED_UP, (text,))
    return Verdict(CLEAN, (f"✓ {name}: {len(packages)} packages, nothing known against them",))


def together(verdicts: Iterable[Verdict]) -> int:
    """One exit code: what was found outweighs what was not looked up."""
    codes = {verdict.code for verdict in verdicts}
    return FOUND if FOUND in codes else NOT_LOOKED_UP if NOT_LOOKED_UP in codes else CLEAN


def vulnerabilities() -> tuple[Verdict, ...]:
    """Every lock, unless the first one shows that there is nobody to ask."""
    names = sorted(path.stem for path in FOLDER.glob("*.txt"))
    names.sort(key=lambda name: name != _SMALLEST_FIRST)
    verdicts: list[Verdict] = []
    for name in names:
        verdicts.append(_audited(name))
        if name == _SMALLEST_FIRST and verdicts[0].code == NOT_LOOKED_UP:
            rest = f"? PyPI's advisory service does not answer here; {len(names) - 1} more locks"
            verdicts.append(Verdict(NOT_LOOKED_UP, (f"{rest} were not tried",)))
            break
    return tuple(verdicts)


def _audited(name: str) -> Verdict:
    program = TOOLS / "audit" / "bin" / "pip-audit"
    asked = ("--requirement", FOLDER / f"{name}.txt", "--require-hashes", "--disable-pip")
    done = subprocess.run(
        (program, *asked, "--format", "json", "--progress-spinner", "off", "--timeout", "15"),
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        return read(name, json.loads(done.stdout))
    except (ValueError, KeyError, TypeError):
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return Verdict(NOT_LOOKED_UP, (f"? {name}: pip-audit could not ask: {last[:200]}",))


def read_node(name: str, report: Mapping[str, Any]) -> Verdict:
    """What `npm audit` reports of one lock."""
    if "vulnerabilities" not in report:
        text = f"? {name}: npm's advisory service does not answer here"
        return Verdict(NOT_LOOKED_UP, (text,))
    found = tuple(
        f"✗ {name}: {package} has a flaw that is {flaw['severity']}"
        for package, flaw in sorted(report["vulnerabilities"].items())
    )
    return Verdict(FOUND if found else CLEAN, found or (f"✓ {name}: nothing known against it",))


def vulnerabilities_of_node() -> tuple[Verdict, ...]:
    """Every lock of Node."""
    npm = shutil.which("npm")
    if npm is None:
        return (Verdict(NOT_LOOKED_UP, ("? the locks of Node were not tried: no npm here",)),)
    verdicts: list[Verdict] = []
    for folder in NODE_LOCKS:
        done = subprocess.run(
            (npm, "audit", "--package-lock-only", "--json"),
            cwd=ROOT / folder,
            capture_output=True,
            text=True,
            check=False,
        )
        try:
            verdicts.append(read_node(folder, json.loads(done.stdout)))
        except (ValueError, KeyError, TypeError):
            verdicts.append(read_node(folder, {}))
    return tuple(verdicts)


def secrets() -> tuple[Verdict, ...]:
    """The files that git knows, and the commits."""
    scanner = _scanner()
    if scanner is None:
        text = "? secrets were not looked for: that takes Go, to build gitleaks"
        return (Verdict(NOT_LOOKED_UP, (text,)),)
    return (
        _scanned(scanner, "history", "git"),
        _scanned(scanner, "what is staged", "git", "--staged"),
        _scanned(scanner, "what is changed", "git", "--pre-commit"),
    )


def _scanner() -> Path | None:
    program = TOOLS / "gitleaks"
    if shutil.which("go") is None:
        return program if program.exists() else None
    build = ("go", "build", "-mod=readonly", "-o", program, _GOS_OWN)
    done = subprocess.run(build, cwd=GITLEAKS, check=False)
    return program if done.returncode == 0 else None


def _scanned(scanner: Path, what: str, *how: str) -> Verdict:
    options = ("--config", GITLEAKS / "gitleaks.toml", "--no-banner", "--redact", "--verbose")
    done = subprocess.run(
        (scanner, *how, *options, "--exit-code", "3", ROOT),
        capture_output=True,
        text=True,
        check=False,
    )
    match done.returncode:
        case 0:
            return Verdict(CLEAN, (f"✓ no secret in {what}",))
        case 3:
            return Verdict(FOUND, (f"✗ in {what}:", done.stdout.strip()))
        case _:
            return Verdict(NOT_LOOKED_UP, (f"? {what} was not read: {done.stderr.strip()[-300:]}",))


def main() -> int:
    """Says what came of each look; the exit code is the one above."""
    verdicts = (*vulnerabilities(), *vulnerabilities_of_node(), *secrets())
    for verdict in verdicts:
        for sentence in verdict.sentences:
            print(sentence, flush=True)
    code = together(verdicts)
    if code == NOT_LOOKED_UP:
        print("Nothing was found, but not all was looked up: see the lines with a ? above.")
    return code


if __name__ == "__main__":
    sys.exit(main())
