"""`arbiter serve` under load: moves a second, how long a move takes, and what it costs.

The server and the players are processes of their own on this machine. Processor time is that of the
whole server, from /proc; other programs on the machine change it less than the other figures.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.serve [SECONDS] [CASE…]
"""

import contextlib
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arbiter.nostr.event import (
    EventTemplate,
    ParseError,
    event_from_json,
    event_to_json,
    verify,
)
from arbiter.nostr.keys import SecretKey
from local.relay import relay_part
from local.settings import Settings, settings_from

_TICKS = os.sysconf("SC_CLK_TCK")
_READY_SECONDS = 30.0
_PLAYER_PROCESSES = 2
_FLOOR_EVENTS = 1_000

UNLIMITED = {
    "ARBITER_GATEWAY_FRAMES_PER_TEN_SECONDS": "100000000",
    "ARBITER_GATEWAY_EVENTS_PER_TEN_SECONDS": "100000000",
    "ARBITER_GATEWAY_QUESTIONS_PER_TEN_SECONDS": "100000000",
    "ARBITER_GATEWAY_ADDRESS_FRAMES_PER_TEN_SECONDS": "100000000",
    "ARBITER_HTTP_PER_ADDRESS": "0",
    "ARBITER_HTTP_PER_BROWSER": "0",
    "ARBITER_HTTP_NEW_GAMES_PER_ADDRESS": "0",
}
"""The limits of one client, lifted: these players are as fast as they can be."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured: so many games at once on one wire."""

    name: str
    wire: str
    games: int


CASES = (
    Case("native-1", "native", 1),
    Case("native-20", "native", 20),
    Case("native-100", "native", 100),
    Case("nip100-1", "nip100", 1),
    Case("nip100-100", "nip100", 100),
    Case("hot-seat-20", "http", 20),
    Case("relay-echo", "echo", 1),
    Case("relay-1", "relay", 1),
    Case("relay-20", "relay", 20),
)


class Server:
    """A server of its own, on a new file."""

    def __init__(self, data: Path, relays: str = "none") -> None:
        self.port = _free_port()
        environment = {**os.environ, **UNLIMITED, "ARBITER_LOG_LEVEL": "INFO"}
        command = [sys.executable, "-m", "server", "serve", "--data", str(data)]
        command += ["--listen", f"127.0.0.1:{self.port}", "--relays", relays]
        self._log = (data.parent / "log").open("wb")
        began = time.monotonic()
        self._process = subprocess.Popen(command, env=environment, stderr=self._log)
        self.told = self._endpoints(data / "endpoints.json")
        self.ready_seconds = time.monotonic() - began

    def _endpoints(self, path: Path) -> dict[str, Any]:
        ends_at = time.monotonic() + _READY_SECONDS
        while time.monotonic() < ends_at:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
                return told
            time.sleep(0.02)
        raise TimeoutError("the server is not ready")

    @property
    def cpu_seconds(self) -> float:
        """What it has computed so far."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def memory_mb(self) -> float:
        """Its resident memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def stop(self) -> None:
        """SIGTERM, and wait."""
        self._process.terminate()
        self._process.wait(30)
        self._log.close()


@contextlib.contextmanager
def _relay() -> Iterator[str]:
    """The bundled relay, for the block; its URL."""
    with tempfile.TemporaryDirectory(prefix="bench-serve-") as folder:
        port = _free_port()
        settings = settings_from({"RUN_DIR": folder, "PORT_BASE": str(port)})
        if not isinstance(settings, Settings):
            raise TypeError(settings.text)
        part = relay_part(settings)
        process = subprocess.Popen(
            part.command,
            env=dict(part.environment),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for(port)
            yield f"ws://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def serving(relays: str = "none") -> Iterator[Server]:
    """A server for the block."""
    with tempfile.TemporaryDirectory(prefix="bench-serve-") as folder:
        server = Server(Path(folder) / "data", relays)
        try:
            yield server
        finally:
            server.stop()


def measure(case: Case, seconds: float) -> str:
    """One line of the table."""
    with contextlib.ExitStack() as started:
        is_over_relay = case.wire in {"relay", "echo"}
        relay = started.enter_context(_relay()) if is_over_relay else "none"
        server = started.enter_context(serving(relay))
        module = "bench.serve_browsers" if case.wire == "http" else "bench.serve_players"
        own = server.told["http" if case.wire == "http" else "websocket"]
        url = relay if is_over_relay else own
        players = case.games if case.wire in {"http", "echo"} else 2 * case.games
        processes = _started(module, url, server, case, _shares(players), seconds)
        for process in processes:
            if _line(process) != "ready\n":
                raise RuntimeError(f"{module} failed")
        before, began = server.cpu_seconds, time.monotonic()
        for process in processes:
            _say(process, "go\n")
        answers = [json.loads(_line(process)) for process in processes]
        took, cpu = time.monotonic() - began, server.cpu_seconds - before
        for process in processes:
            process.wait(10)
        return _row(case, answers, took, cpu, server.memory_mb)


def _row(
    case: Case, answers: Sequence[dict[str, Any]], took: float, cpu: float, memory: float
) -> str:
    took_ms = sorted(ms for answer in answers for ms in answer["took_ms"])
    trouble = sum((Counter(answer["trouble"]) for answer in answers), Counter[str]())
    moves = len(took_ms)
    if not moves:
        return f"{case.name:<14} no move was made: {dict(trouble)}"
    return (
        f"{case.name:<14}{moves / took:>9.0f}{statistics.median(took_ms):>9.1f}"
        f"{took_ms[int(moves * 0.99)]:>9.1f}{1000 * cpu / moves:>9.2f}{cpu / took:>8.0%}"
        f"{memory:>8.0f}  {dict(trouble.most_common(3)) or ''}"
    )


def _shares(players: int) -> list[int]:
    if players <= _PLAYER_PROCESSES:
        return [players]
    share = players // _PLAYER_PROCESSES
    return [share] * (_PLAYER_PROCESSES - 1) + [players - share * (_PLAYER_PROCESSES - 1)]


def _started(
    module: str, url: str, server: Server, case: Case, shares: Sequence[int], seconds: float
) -> "list[subprocess.Popen[str]]":
    pubkey = server.told["server_pubkey"]
    return [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                module,
                url,
                pubkey,
                case.wire,
                str(share),
                str(seconds),
                str(at),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for at, share in enumerate(shares)
    ]


def _line(process: "subprocess.Popen[str]") -> str:
    return process.stdout.readline() if process.stdout else ""


def _say(process: "subprocess.Popen[str]", text: str) -> None:
    if process.stdin:
        process.stdin.write(text)
        process.stdin.flush()


def _wait_for(port: int) -> None:
    ends_at = time.monotonic() + _READY_SECONDS
    while time.monotonic() < ends_at:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise TimeoutError("the relay is not ready")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _floor_ms() -> float:
    """Processor time of one signature and one verification, now: how busy the machine is."""
    key = SecretKey.generate(secrets.token_bytes(32))
    began = time.process_time()
    for at in range(_FLOOR_EVENTS):
        signed = key.sign(EventTemplate(1, (), "", at))
        claimed = event_from_json(event_to_json(signed))
        if isinstance(claimed, ParseError) or isinstance(verify(claimed), ParseError):
            raise TypeError(claimed)
    return 1000 * (time.process_time() - began) / _FLOOR_EVENTS


def main(seconds: float, names: Sequence[str]) -> None:
    """Print the table."""
    print(f"a signature and a verification: {_floor_ms():.2f} ms of processor time", flush=True)
    with serving() as server:
        time.sleep(2)
        before = server.cpu_seconds
        time.sleep(5)
        idle = (server.cpu_seconds - before) / 5
        print(
            f"ready in {server.ready_seconds:.2f} s; idle: {server.memory_mb:.0f} MB, "
            f"{idle:.1%} of a core",
            flush=True,
        )
    print(f"{'':<14}{'moves/s':>9}{'median':>9}{'p99 ms':>9}{'CPU ms':>9}{'core':>8}{'MB':>8}")
    for case in CASES:
        if not names or case.name in names:
            print(measure(case, seconds), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 8.0, sys.argv[2:])
