"""Relays of three makes as processes that can be stopped and started again in mid-game.

They differ: the bundled one keeps ephemeral events for minutes and calls the second copy a
duplicate; the others pass them on and forget everything when they stop; khatru handles the messages
of one connection in parallel, and keeps no order.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from local.ports import LOOPBACK
from local.relay import relay_part
from local.settings import Settings, settings_from
from tests.e2e.arbiter_run import ROOT

_START_TIMEOUT_SECONDS = 30.0
_STOP_TIMEOUT_SECONDS = 15.0
_POLL_SECONDS = 0.05
_HERE = Path(__file__).parent
_KHATRU = ROOT / ".venv" / "tools" / "khatru"


class ForeignRelay:
    """One relay process on one port of this machine."""

    def __init__(
        self, command: tuple[str, ...], port: int, environment: Mapping[str, str] | None = None
    ) -> None:
        """``environment`` replaces ours where it is given."""
        self._command = command
        self._environment = environment
        self._port = port
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"ws://{LOOPBACK}:{self._port}"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        self._process = subprocess.Popen(
            self._command,
            env=None if self._environment is None else dict(self._environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + _START_TIMEOUT_SECONDS
        while not self._answers():
            assert self._process.poll() is None, f"{self._command[0]} ended while starting"
            assert time.monotonic() < deadline, f"{self._command[0]} does not answer"
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        """Stop it, by force if it clings to its connections."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def kill(self) -> None:
        """End it with no warning."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def freeze(self) -> None:
        """Stop it in the middle of its work: its connections stay open and silent."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on from there."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((LOOPBACK, self._port)) == 0


def bundled(folder: Path, port: int) -> ForeignRelay:
    """The relay of `make run`, on its own."""
    settings = settings_from({"RUN_DIR": str(folder), "PORT_BASE": str(port)})
    assert isinstance(settings, Settings)
    part = relay_part(settings)
    return ForeignRelay(part.command, port, part.environment)


def rust_nostr(port: int) -> ForeignRelay:
    """The relay that comes with the test library."""
    return ForeignRelay((sys.executable, str(_HERE / "rust_relay.py"), LOOPBACK, str(port)), port)


def khatru(port: int) -> ForeignRelay:
    """The relay behind `nak serve` and many others; built here, at the version in go.mod."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("khatru is written in Go, and there is no go on this machine")
    built = subprocess.run(
        (go, "build", "-trimpath", "-o", str(_KHATRU / "khatru"), "."),
        cwd=_HERE / "khatru",
        env={**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly -buildvcs=false"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "requires go >=" in built.stderr:
        pytest.skip(f"khatru: {built.stderr.strip()}")
    assert built.returncode == 0, built.stderr
    return ForeignRelay((str(_KHATRU / "khatru"), f"{LOOPBACK}:{port}"), port)


SECOND_RELAYS: Mapping[str, Callable[[int], ForeignRelay]] = {
    "rust-nostr": rust_nostr,
    "khatru": khatru,
}
