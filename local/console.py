"""Output of `make run`. Invariant: printing never fails: terminal or pipe may be gone."""

import contextlib
import sys
import time
from collections.abc import Iterator


def say(text: str) -> None:
    """Print one line at once, so that a log file or a pipe shows it when it is true."""
    with contextlib.suppress(OSError, ValueError):
        print(text, flush=True)


def complain(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def step(doing: str, done: str) -> Iterator[None]:
    """Announce a long step, and tick it off with its seconds in another line, unless it failed."""
    say(f"  … {doing}")
    started = time.monotonic()
    yield
    say(f"  ✓ {done} ({time.monotonic() - started:.1f} s)")
