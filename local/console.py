"""Output of `make run`: a few lines, each about something that happened.

Invariant: printing never fails. The terminal may be closed or the pipe broken while the arbiter
runs.
"""

import contextlib
import sys
import time
from collections.abc import Iterator


def say(text: str) -> None:
    """Print one line at once, so that a log file or a pipe shows it when it is true."""
    with contextlib.suppress(OSError, ValueError):
        print(text, flush=True)


def complain(text: str) -> None:
    """Print one line about what cannot go on, where errors belong."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def step(doing: str, done: str) -> Iterator[None]:
    """Announce a long step, and tick it off with the seconds it took; silent if it failed.

    Two lines, never one rewritten in place: a log file keeps both.
    """
    say(f"  … {doing}")
    started = time.monotonic()
    yield
    say(f"  ✓ {done} ({time.monotonic() - started:.1f} s)")
