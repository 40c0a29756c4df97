"""A stand-in in a process of its own: its port is the first line that it prints, and it ends with
its input. Some have a clock that goes on by as many seconds as a line of their input says.
"""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


class Loopback:
    """Such a process, as it runs."""

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.port = port
        self._process = process

    def pass_seconds(self, seconds: int) -> None:
        """Let it be so much later for this stand-in."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == f"{seconds}\n"


@contextlib.contextmanager
def loopback(
    command: Sequence[str], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Iterator[Loopback]:
    """Start one; RuntimeError with what it said if it does not begin with its port."""
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
            yield Loopback(process, int(line))
