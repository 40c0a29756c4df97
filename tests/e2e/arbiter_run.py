"""A whole arbiter as people run it, in a folder and on ports of its own, watched by its endpoints
file, its exit code and the process list alone.

``WIRING=serve`` (the default) is `make run`: one process on one file. ``WIRING=cloud`` is `make
run-cloud`: the template's functions on MiniStack.
"""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clients.probes.endpoints import Endpoints, read_endpoints
from local.ports import PORTS_PER_RUN, taken

ROOT = Path(__file__).resolve().parents[2]
SERVE, CLOUD = "serve", "cloud"
WIRING = os.environ.get("WIRING") or SERVE
_TARGETS = {SERVE: "run", CLOUD: "run-cloud"}

# Below the ports that machines hand out by themselves.
_LOWEST_PORT = 20_000
_PORT_BLOCKS = 1_000
_START_TIMEOUT_SECONDS = 150.0
_STOP_TIMEOUT_SECONDS = 60.0
_POLL_SECONDS = 0.05
# What `make test` has installed by now. A run in the middle of a test must not install.
_INSTALLED = (
    ".venv/.dev",
    *(f".venv/tools/.{tool}" for tool in ("ministack", "relay", "sam", "ssb")),
)


class RunFailed(Exception):
    """A run did not come up or did not end; the text is what it printed."""


def free_port_base() -> int:
    """The first of as many free ports as one run may use."""
    for block in range(_PORT_BLOCKS):
        base = _LOWEST_PORT + (os.getpid() + block) % _PORT_BLOCKS * PORTS_PER_RUN
        if not taken(range(base, base + PORTS_PER_RUN)):
            return base
    raise RunFailed("no ten free ports in a row")


class ArbiterRun:
    """`make run` or `make run-cloud` as a child process. All methods block."""

    def __init__(
        self,
        folder: Path,
        relays: Sequence[str] = (),
        *,
        port_base: int | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Without ``relays`` (RELAYS) the run starts the bundled one, with "none" it has only the
        gateway. ``settings`` are further ones, such as SSB; without HOUSE there is no house.
        """
        self._settings = {"HOUSE": "0", **(settings or {})}
        self._folder = folder
        self._relays = tuple(relays)
        self._port_base = port_base or free_port_base()
        self._make: subprocess.Popen[bytes] | None = None

    @property
    def run_dir(self) -> Path:
        return self._folder / "run"

    @property
    def output(self) -> str:
        return (self._folder / "output.txt").read_text(encoding="utf-8")

    @property
    def endpoints(self) -> Endpoints:
        return read_endpoints(self.run_dir / "endpoints.json")

    def is_up(self) -> bool:
        """Whether it runs and says that it is ready."""
        alive = self._make is not None and self._make.poll() is None
        return alive and (self.run_dir / "endpoints.json").exists()

    def start(self) -> None:
        """Start it, and wait until it is ready; RunFailed with its output if it is not."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("MAKE")
        }
        environment.pop("MFLAGS", None)
        environment |= {"RUN_DIR": str(self.run_dir), "PORT_BASE": str(self._port_base)}
        environment["RELAYS"] = ",".join(self._relays)
        environment |= self._settings
        # A run that was killed could not remove it, and it would be taken for the new one's.
        (self.run_dir / "endpoints.json").unlink(missing_ok=True)
        assumed = tuple(word for stamp in _INSTALLED for word in ("-o", stamp))
        with (self._folder / "output.txt").open("ab") as output:
            self._make = subprocess.Popen(
                ("make", "--no-print-directory", *assumed, _TARGETS[WIRING]),
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait(self.is_up, _START_TIMEOUT_SECONDS)

    def be_up(self) -> None:
        """Start it again unless it is up and ready."""
        if not self.is_up():
            self.stop()
            self.start()

    def stop(self) -> None:
        """Stop it as a machine that shuts down does, by SIGTERM, and wait for its end."""
        if self._make is None:
            return
        if self._make.poll() is None:
            self._make.terminate()
            try:
                self._make.wait(_STOP_TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self._make.pid, signal.SIGKILL)
                raise RunFailed(self.output) from None
        self._make = None

    def cut_short(self) -> int:
        """Kill it so that it can clean nothing up: make, and the run below it. Its exit code."""
        assert self._make is not None
        os.killpg(self._make.pid, signal.SIGKILL)
        code = self._make.wait()
        self._make = None
        return code

    def parts(self) -> dict[str, int]:
        """The processes of the parts that live: relay and server, or relay, ministack, proxy,
        listener-1 and listener-2.
        """
        parts: Any = json.loads((self.run_dir / "processes.json").read_text(encoding="utf-8"))
        return {str(part["name"]): int(part["pid"]) for part in parts}

    def workers(self) -> tuple[int, ...]:
        """The processes in which the cloud runs Lambda functions right now."""
        return self.children_of("ministack")

    def children_of(self, name: str) -> tuple[int, ...]:
        """The living processes that a part has started itself."""
        parent = self.parts()[name]
        listed = subprocess.run(
            ("ps", "-A", "-o", "pid=,ppid="), capture_output=True, text=True, check=True
        )
        pairs = (line.split() for line in listed.stdout.splitlines())
        return tuple(int(child) for child, of in pairs if int(of) == parent)

    def kill_process(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def kill_and_await_successors(self, *names: str) -> None:
        """Kill parts with no warning, and wait until the run has started others in their place."""
        before = self.parts()
        for name in names:
            self.kill_process(before[name])

        def are_replaced() -> bool:
            now = self.parts()
            return all(now.get(name, before[name]) != before[name] for name in names)

        self._wait(are_replaced, _START_TIMEOUT_SECONDS)

    def _wait(self, is_so: Callable[[], bool], timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        while not is_so():
            assert self._make is not None
            if self._make.poll() is not None or time.monotonic() > deadline:
                raise RunFailed(self.output)
            time.sleep(_POLL_SECONDS)


@contextlib.contextmanager
def running(
    folder: Path, relays: Sequence[str] = (), settings: Mapping[str, str] | None = None
) -> Iterator[ArbiterRun]:
    """An arbiter that is started here, and stopped at the end of the block."""
    run = ArbiterRun(folder, relays, settings=settings)
    try:
        run.start()
        yield run
    finally:
        run.stop()
