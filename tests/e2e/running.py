"""Start an arbiter of its own for a test, and be sure that it is gone afterwards.

Everything is as `make run` does it, in a folder and on ports nobody else uses.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_PORTS_PER_RUN = 10
_START_TIMEOUT_SECONDS = 180.0
_STOP_TIMEOUT_SECONDS = 60.0
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A ready arbiter. ``endpoints`` is the content of its endpoints.json."""

    endpoints: Mapping[str, Any]
    run_dir: Path
    port_base: int
    process: "subprocess.Popen[bytes]"

    def pid_of(self, part: str) -> int:
        """The process number of a part now: relay, ministack, listener-1 or listener-2."""
        noted = json.loads((self.run_dir / "processes.json").read_text(encoding="utf-8"))
        return int(next(part_["pid"] for part_ in noted if part_["name"] == part))

    def output(self) -> str:
        """What it has printed so far."""
        return (self.run_dir / "output.log").read_text(encoding="utf-8", errors="replace")

    def stop(self) -> int:
        """Stop it as SIGTERM does, which keeps the games; its exit code."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_STOP_TIMEOUT_SECONDS)

    def wait_for_output(self, text: str, timeout_seconds: float = 60.0) -> None:
        """Wait until it has printed this; AssertionError with all it printed if it does not."""
        deadline = time.monotonic() + timeout_seconds
        while text not in self.output():
            assert time.monotonic() < deadline, f"never printed {text!r}:\n{self.output()}"
            time.sleep(_POLL_SECONDS)


@contextlib.contextmanager
def running(
    run_dir: Path,
    *,
    port_base: int | None = None,
    relays: tuple[str, ...] = (),
    module: str = "local.run",
    environment: Mapping[str, str] | None = None,
) -> Iterator[Running]:
    """A ready arbiter in ``run_dir``, which may be one of an earlier run: its games go on.

    ``module`` may be "local.run_moto". Stopped at the end, if the test has not done so.
    """
    base = free_port_base() if port_base is None else port_base
    run_dir.mkdir(parents=True, exist_ok=True)
    endpoints_path = run_dir / "endpoints.json"
    # A run that was killed could not remove it, and we would take it for ours.
    endpoints_path.unlink(missing_ok=True)
    with (run_dir / "output.log").open("wb") as output:
        process = subprocess.Popen(
            (sys.executable, "-m", module),
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT / "layers" / "arbiter" / "python"),
                "RUN_DIR": str(run_dir),
                "PORT_BASE": str(base),
                "RELAYS": ",".join(relays),
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        endpoints = _await_endpoints(endpoints_path, process)
        yield Running(endpoints=endpoints, run_dir=run_dir, port_base=base, process=process)
    finally:
        _end(process)


def free_port_base() -> int:
    """The first of ten neighbouring ports nobody listens on, different for each test process."""
    start = 20_000 + os.getpid() % 1_000 * _PORTS_PER_RUN
    for base in range(start, start + 10_000, _PORTS_PER_RUN):
        if all(_is_free(port) for port in range(base, base + _PORTS_PER_RUN)):
            return base
    raise AssertionError("no ten free ports in a row")


def _await_endpoints(path: Path, process: "subprocess.Popen[bytes]") -> dict[str, Any]:
    deadline = time.monotonic() + _START_TIMEOUT_SECONDS
    while not path.exists():
        printed = (path.parent / "output.log").read_text(encoding="utf-8", errors="replace")
        assert process.poll() is None, f"ended with {process.returncode}:\n{printed}"
        assert time.monotonic() < deadline, f"not ready in time:\n{printed}"
        time.sleep(_POLL_SECONDS)
    endpoints: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return endpoints


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(_STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        # Its children are tied to it and end with it.
        process.kill()
        process.wait()


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
