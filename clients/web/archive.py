"""Games of PGN files, read by the page's own reader, so that both say the same."""

import argparse
import subprocess
import sys
from collections.abc import Sequence

from clients.web.scripts import HOME, installed

_UNREADABLE = 2


def main(files: Sequence[str] | None = None) -> int:
    """Print the games that are whole; 1 if there are others or none, 2 if a file is unreadable."""
    parser = argparse.ArgumentParser(prog="python -m clients.web.archive", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE")
    try:
        node = installed().node
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"Node, which reads PGN, cannot be had: {failure}", file=sys.stderr)
        return _UNREADABLE
    options = ("--experimental-strip-types", "--disable-warning=ExperimentalWarning")
    words = parser.parse_args(files).files
    return subprocess.run([node, *options, HOME / "archive.ts", *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
