"""A stand-in in a process of its own: its port is the first line that it prints, and it ends with
its input.
"""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


@contextlib.contextmanager
def loopback(
    command: Sequence[str], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Iterator[int]:
    """The port of one that is started; RuntimeError with what it said if it prints none."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch, "log")
        with log.open("wb") as errors:
            process = subprocess.Popen(
                command,
                env=environment,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        with process:  # leaving closes its input, which ends it
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise RuntimeError(log.read_text())
            yield int(line)
