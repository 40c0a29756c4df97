"""Relays of five makes as processes that can be stopped and started again in mid-game.

They differ: the bundled one keeps ephemeral events for minutes and calls the second copy a
duplicate; the others pass them on and forget everything when they stop; khatru handles the messages
of one connection in parallel, and keeps no order; nostr-rs-relay answers no ephemeral event;
@nostr-relay/core passes on no event whose id it has seen.

    python -m tests.e2e.foreign_relays    builds what takes minutes
"""

import fcntl
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
from local.settings import settings_from
from tests.e2e.arbiter_run import ROOT
from tests.e2e.node_client import installed_node_client

_START_TIMEOUT_SECONDS = 30.0
_STOP_TIMEOUT_SECONDS = 15.0
_POLL_SECONDS = 0.05
_HERE = Path(__file__).parent
_TOOLS = ROOT / ".venv" / "tools"
_KHATRU = _TOOLS / "khatru"
_RUST = _TOOLS / "nostr-rs-relay"
_RUST_VERSION = "0.8.12"


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
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def freeze(self) -> None:
        """Stop it in the middle of its work: its connections stay open and silent."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((LOOPBACK, self._port)) == 0


def bundled(folder: Path, port: int) -> ForeignRelay:
    settings = settings_from({"RUN_DIR": str(folder), "PORT_BASE": str(port)})
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


def nostr_rs_relay(port: int) -> ForeignRelay:
    """The relay of many operators, keeping notes in memory; built here, which takes some
    minutes.
    """
    for tool, package in (("cargo", "rustup.rs"), ("protoc", "protobuf-compiler")):
        if shutil.which(tool) is None:
            pytest.skip(f"nostr-rs-relay is built by {tool} ({package}), which is not here")
    if subprocess.run(("pkg-config", "--exists", "openssl"), check=False).returncode:
        pytest.skip("nostr-rs-relay needs OpenSSL's headers (libssl-dev, pkg-config)")
    program = _RUST / f"relay-{_RUST_VERSION}"
    _RUST.mkdir(parents=True, exist_ok=True)
    with (_RUST / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            _build_nostr_rs_relay(program)
    config = _RUST / f"{port}.toml"
    config.write_text(
        f'[network]\naddress = "{LOOPBACK}"\nport = {port}\n[database]\nin_memory = true\n'
    )
    return ForeignRelay((str(program), "--config", str(config)), port)


def _build_nostr_rs_relay(program: Path) -> None:
    """Build the crate as it is published, at the versions of its own lock but for one."""
    cargo_home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    fetch = ("cargo", "info", "--quiet", f"nostr-rs-relay@{_RUST_VERSION}")
    subprocess.run(fetch, stdout=subprocess.DEVNULL, check=True)
    crate = next(cargo_home.glob(f"registry/src/*/nostr-rs-relay-{_RUST_VERSION}"))
    source = _RUST / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(crate, source)
    # Rust 1.80 and later do not compile the `time` that is locked.
    update = ("cargo", "update", "--quiet", "time@0.3.25", "--precise", "0.3.37")
    build = ("cargo", "build", "--locked", "--quiet", "--bin", "nostr-rs-relay")
    quick = {"CARGO_PROFILE_DEV_DEBUG": "false", "CARGO_INCREMENTAL": "0"}
    target = source / "target"
    for command in (update, (*build, "--target-dir", str(target))):
        subprocess.run(command, cwd=source, env={**os.environ, **quick}, check=True)
    shutil.move(target / "debug" / "nostr-rs-relay", program)
    # A gigabyte.
    shutil.rmtree(source)


def nostr_relay_core(port: int) -> ForeignRelay:
    """The relay library of nostr-relay-nestjs, on Node."""
    program = installed_node_client("relay.mjs")
    return ForeignRelay(("node", str(program), LOOPBACK, str(port)), port)


PECULIAR_RELAYS: Mapping[str, Callable[[int], ForeignRelay]] = {
    "nostr-rs-relay": nostr_rs_relay,
    "@nostr-relay/core": nostr_relay_core,
}

SECOND_RELAYS: Mapping[str, Callable[[int], ForeignRelay]] = {
    "rust-nostr": rust_nostr,
    "khatru": khatru,
}


if __name__ == "__main__":
    try:
        nostr_rs_relay(0)
    except pytest.skip.Exception as missing:
        sys.stdout.write(f"{missing}\n")
