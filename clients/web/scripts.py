"""Runs scripts of package.json, also without Node, once the packages are there as locked."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from clients.web.node import Node, found_node

HOME = Path(__file__).resolve().parent
LOCK = HOME / "package-lock.json"
INSTALLED = HOME / "node_modules" / ".of-this-lock"
PAGE = HOME.parent.parent / "layers/arbiter/python/arbiter/web/static/index.html"
OLDEST_NODE = (22, 6)
"""The first that runs TypeScript tests as they are."""


def is_built() -> bool:
    """Whether the page is younger than what it is made of, as make would ask."""
    sources = [*HOME.glob("*.*"), *HOME.glob("src/**/*"), *HOME.glob("icons/*")]
    return PAGE.exists() and PAGE.stat().st_mtime >= max(it.stat().st_mtime for it in sources)


def installed() -> Node:
    """The Node to use, for which the packages are there. Raises CalledProcessError and OSError."""
    found = found_node(OLDEST_NODE)
    with LOCK.open("rb") as lock:
        # One at a time: `make run` and `make test` may both find nothing installed.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not INSTALLED.exists() or INSTALLED.read_bytes() != lock.read():
            print("Installing the packages of clients/web", file=sys.stderr)
            quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
            _npm(found, "ci", "--ignore-scripts", *quiet)
            INSTALLED.write_bytes(LOCK.read_bytes())
    return found


def run(*scripts: str) -> None:
    """Run these scripts. Raises CalledProcessError if a command fails, which has printed why."""
    found = installed()
    for script in scripts:
        _npm(found, "run", "--silent", script)


def _npm(found: Node, *arguments: str) -> None:
    path = os.pathsep.join((str(found.node.parent), os.environ.get("PATH", os.defpath)))
    environment = {**os.environ, "PATH": path}
    # What is told of an installation is no part of what a program prints, such as games.
    told = sys.stderr if "ci" in arguments else None
    subprocess.run((*found.npm, *arguments), cwd=HOME, env=environment, check=True, stdout=told)


def main() -> int:
    """Run what is named; 1 when something failed, having said what to do."""
    try:
        run(*sys.argv[1:])
    except (OSError, subprocess.CalledProcessError) as failure:
        sys.stderr.write(f"The web client: {failure}\n")
        if "build" in sys.argv:
            sys.stderr.write("Without it, `make run WEB=0` serves pages to read.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
