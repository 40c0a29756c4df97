"""One run per folder, and a clean start after a run that was killed.

Invariant: the lock is the operating system's and ends with its holder, so none is stale. Only its
holder touches what an earlier run left.
"""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

from local.console import say
from local.endpoints import remove_endpoints
from local.process_guard import stop_leftovers
from local.processes import leftovers_path

# The longest a part of ours may take to stop (the cloud saves its state), and a little.
_GRACE_SECONDS = 25.0


class FolderTaken(Exception):
    """Another run uses this folder; the text is one line for the user."""


class FolderUnusable(Exception):
    """The folder cannot be made or written to; the text is one line for the user."""


@contextlib.contextmanager
def claimed(run_dir: Path) -> Iterator[None]:
    """Lock the folder for one run. Raises FolderTaken or FolderUnusable."""
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
        lock = (run_dir / "lock").open("w", encoding="ascii")
    except OSError as error:
        raise FolderUnusable(
            f"Cannot use RUN_DIR={run_dir}: {error.strerror}. Choose another RUN_DIR."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderTaken(
                f"Another run uses {run_dir}. Stop it first, or choose another RUN_DIR."
            ) from None
        _recover(run_dir)
        yield


def _recover(run_dir: Path) -> None:
    remove_endpoints(run_dir)
    found = stop_leftovers(leftovers_path(run_dir), _GRACE_SECONDS)
    if found:
        named = ", ".join(f"{process.name} ({process.pid})" for process in found)
        say(f"  The last run was cut short; stopped what it left running: {named}")
