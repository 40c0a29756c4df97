"""Turns every NAME.in into NAME.txt: exact versions, a hash for each archive, any platform.

The first line of a lock is a digest of the requests it answers, so that `--check` can
say offline that the two disagree. Resolving again instead would need the network, and
would fail on the day a package publishes a new release.

`uv` keeps the versions already locked; `--upgrade` lets them move.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
OLDEST_PYTHON = "3.11"


def requests(source: Path) -> list[str]:
    """The lines of a request file and of those it includes, without comments."""
    lines: list[str] = []
    for raw in source.read_text(encoding="utf-8").splitlines():
        line = raw.partition("#")[0].strip()
        if line.startswith("-r "):
            lines += requests(source.parent / line.removeprefix("-r ").strip())
        elif line:
            lines.append(line)
    return lines


def first_line(source: Path) -> str:
    """What the lock of `source` must begin with."""
    digest = hashlib.sha256("\n".join(requests(source)).encode()).hexdigest()
    return f"# Locked from {source.name} by `make lock`; its requests hash to {digest[:16]}."


def _pins(text: str) -> list[str]:
    """The requirements of a lock, each with the hashes that continue its line."""
    whole = text.replace("\\\n", " ").splitlines()
    return [line for line in whole if line.strip() and not line.lstrip().startswith(("#", "-"))]


def disagreements(folder: Path) -> list[str]:
    """One sentence for each lock that is missing, stale or not wholly hashed."""
    found: list[str] = []
    for source in sorted(folder.glob("*.in")):
        lock = source.with_suffix(".txt")
        text = lock.read_text(encoding="utf-8") if lock.exists() else ""
        pins = _pins(text)
        if text.partition("\n")[0] != first_line(source):
            found.append(f"{lock.name} does not answer {source.name}: run `make lock`.")
        elif not pins or not all("--hash=sha256:" in pin for pin in pins):
            found.append(f"{lock.name} has a requirement without a hash: run `make lock`.")
        elif "://" in text or "index-url" in text:
            found.append(f"{lock.name} names a host: a lock says what, never from where.")
    return found


def lock(source: Path, *, upgrade: bool) -> None:
    """Resolves one request file for every platform from the oldest supported Python up."""
    target = source.with_suffix(".txt")
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += ["--no-header", "--python-version", OLDEST_PYTHON]
    command += ["--upgrade"] if upgrade else []
    subprocess.run([*command, source.name, "-o", target.name], cwd=FOLDER, check=True)
    text = target.read_text(encoding="utf-8")
    body = "".join(line for line in text.splitlines(keepends=True) if "Locked from" not in line)
    target.write_text(f"{first_line(source)}\n{body}", encoding="utf-8")


def main() -> int:
    """Writes the locks, or only compares them with their requests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--upgrade", action="store_true", help="let locked versions move")
    options = parser.parse_args()
    if not options.check:
        for source in sorted(FOLDER.glob("*.in")):
            lock(source, upgrade=options.upgrade)
    found = disagreements(FOLDER)
    sys.stderr.writelines(f"{sentence}\n" for sentence in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
