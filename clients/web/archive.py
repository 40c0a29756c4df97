"""`make archive PGN=FILE`: PGN files, read by the page's own reader, so that both say the same."""

import subprocess
import sys
from collections.abc import Sequence

from clients.web.scripts import HOME, installed

_UNREADABLE = 2


def main(files: Sequence[str] | None = None) -> int:
    """Print the games that are whole; 1 if there are others or none, 2 if a file is unreadable."""
    try:
        node = installed().node
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"Node, which reads PGN, cannot be had: {failure}", file=sys.stderr)
        return _UNREADABLE
    options = ("--experimental-strip-types", "--disable-warning=ExperimentalWarning")
    words = sys.argv[1:] if files is None else files
    return subprocess.run([node, *options, HOME / "archive.ts", *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
