"""`arbiter serve` as a process, and the bundled relay as another."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from clients.probes.endpoints import Endpoints, read_endpoints
from server.key import load_key
from tests.e2e.foreign_relays import bundled

_READY_SECONDS = 40.0
_END_SECONDS = 30.0


class RunningServer:
    """A server in a folder; it may be killed and started again."""

    def __init__(
        self, folder: Path, relays: str, environment: Mapping[str, str], module: str = "server"
    ) -> None:
        self.data = folder / "data"
        self.port = free_port()
        self.log = folder / "server.log"
        self._relays, self._module = relays, module
        folder.mkdir(parents=True, exist_ok=True)
        self._environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoints(self) -> Endpoints:
        return read_endpoints(self.data / "endpoints.json")

    @property
    def pubkey(self) -> str:
        """The server's key, 64 hex."""
        key = load_key(self.data / "server.key")
        return key.key.pubkey

    @property
    def log_lines(self) -> list[dict[str, object]]:
        """The log so far."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def start(self) -> None:
        """Start it, and wait until it serves."""
        self.begin_to_start()
        self.until_ready()

    def until_ready(self) -> None:
        """Wait until it serves."""
        ends_at = time.monotonic() + _READY_SECONDS
        while time.monotonic() < ends_at:
            if self._process is None or self._process.poll() is not None:
                break
            if (self.data / "endpoints.json").exists():
                return
            time.sleep(0.01)
        raise AssertionError(self.log.read_text(encoding="utf-8"))

    def begin_to_start(self) -> None:
        """Start it, and do not wait."""
        (self.data / "endpoints.json").unlink(missing_ok=True)
        command = [sys.executable, "-m", self._module, "serve", "--data", str(self.data)]
        command += ["--listen", f"127.0.0.1:{self.port}", "--relays", self._relays]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, env=self._environment, stderr=log)

    def kill(self) -> None:
        """End it by SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        return self._end(signal.SIGTERM)

    def ask_to_stop(self) -> None:
        """SIGTERM, without waiting for the end."""
        self.send(signal.SIGTERM)

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self) -> int:
        """Wait for the end; the exit status."""
        assert self._process is not None
        return self._process.wait(_END_SECONDS)

    def _end(self, number: signal.Signals) -> int:
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(number)
        return self._process.wait(_END_SECONDS)


@contextlib.contextmanager
def running_server(
    folder: Path, relays: str = "none", module: str = "server", **environment: str
) -> Iterator[RunningServer]:
    """A server for the block; settings are ``ARBITER_…`` variables. ``module`` is run in place of
    `server`.
    """
    server = RunningServer(folder, relays, environment, module)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextlib.contextmanager
def bundled_relay(folder: Path) -> Iterator[str]:
    """The URL of a relay of its own for the block."""
    port = free_port()
    relay = bundled(folder, port)
    relay.start()
    try:
        yield f"ws://127.0.0.1:{port}"
    finally:
        relay.stop()


def free_port() -> int:
    """A port that no program listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
