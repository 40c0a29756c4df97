"""Log lines as the functions write them, several in one write, as each costs a move much.

Invariant: logging never raises: a full disk must not take the transactions with it.
"""

import asyncio
import contextlib
import logging
import sys

from arbiter.adapters.json_logging import JsonLines

LATEST_SECONDS = 0.1
_MAX_LINES = 1_000


class BatchedLines(logging.Handler):
    """Writes to standard error a tenth of a second later, and at once what is an error."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record))
        if record.levelno >= logging.WARNING or len(self._lines) >= _MAX_LINES:
            self.flush()
        elif len(self._lines) == 1:
            try:
                asyncio.get_running_loop().call_later(LATEST_SECONDS, self.flush)
            except RuntimeError:  # another thread, or no event loop any more
                self.flush()

    def flush(self) -> None:
        lines, self._lines = self._lines, []
        if not lines:
            return
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("\n".join(lines) + "\n")
            sys.stderr.flush()


def write_batched_lines(level: str) -> None:
    handler = BatchedLines()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for library in ("websockets", "uvicorn"):
        logging.getLogger(library).setLevel(logging.WARNING)
    # Values that no line shows are not collected (Python's HOWTO, "Optimization").
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None  # noqa: SLF001 - as the HOWTO has it
