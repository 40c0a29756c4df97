"""Installs the Scuttlebutt peer's packages, exactly as locked, into .venv/tools/ssb. No install
script runs but those of the native packages that package.json allows.

Invariant: one at a time, by content, and moved into place when everything has been tried.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from clients.web.node import ROOT, found_node, version_of

PEER = ROOT / "bridge" / "peer"
TOOLS = ROOT / ".venv" / "tools"
HOME = TOOLS / "ssb"
STAMP = TOOLS / ".ssb"
FILES = ("package.json", "package-lock.json", ".npmrc")
OLDEST_NODE = (18, 0)


def digest() -> str:
    content = b"".join((PEER / name).read_bytes() for name in FILES)
    return hashlib.sha256(content + Path(__file__).read_bytes()).hexdigest()


def is_installed() -> bool:
    if not STAMP.exists() or STAMP.read_text(encoding="ascii") != digest():
        return False
    return version_of(HOME / "bin" / "node") >= OLDEST_NODE


def install() -> None:
    """Install everything anew. Raises CalledProcessError of a command, which has printed why."""
    found = found_node(OLDEST_NODE)
    draft = HOME.with_name("ssb.new")
    shutil.rmtree(draft, ignore_errors=True)
    (draft / "bin").mkdir(parents=True)
    for name in FILES:
        shutil.copy(PEER / name, draft / name)
    (draft / "bin" / "node").symlink_to(found.node)
    allowed = json.loads((PEER / "package.json").read_text(encoding="utf-8"))["allowScripts"]
    path = os.pathsep.join((str(draft / "bin"), os.environ.get("PATH", os.defpath)))
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
    for command in (
        (*found.npm, "ci", "--ignore-scripts", *quiet),
        (*found.npm, "rebuild", *quiet, *(name for name, may in allowed.items() if may)),
        (
            str(found.node),
            "-e",
            "for (const name of process.argv.slice(1)) require(name)",
            *allowed,
        ),
    ):
        subprocess.run(command, cwd=draft, env={**os.environ, "PATH": path}, check=True)
    shutil.rmtree(HOME, ignore_errors=True)
    draft.rename(HOME)


def main() -> int:
    TOOLS.mkdir(parents=True, exist_ok=True)
    with (PEER / "package-lock.json").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if not is_installed():
                print("Installing bridge/peer into .venv/tools/ssb", flush=True)
                install()
        except subprocess.CalledProcessError as failure:
            sys.stderr.write(f"The Scuttlebutt peer could not be installed ({failure})\n")
            return 1
        STAMP.write_text(digest(), encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
