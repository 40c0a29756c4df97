"""`arbiter serve` and the relay, started on new data to be measured, and what processes use."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.relay import relay_part
from local.settings import settings_from

_TICKS = os.sysconf("SC_CLK_TCK")
_READY_SECONDS = 120.0

UNLIMITED = {
    "ARBITER_GATEWAY_FRAMES_PER_TEN_SECONDS": "100000000",
    "ARBITER_GATEWAY_EVENTS_PER_TEN_SECONDS": "100000000",
    "ARBITER_GATEWAY_QUESTIONS_PER_TEN_SECONDS": "100000000",
    "ARBITER_GATEWAY_ADDRESS_FRAMES_PER_TEN_SECONDS": "100000000",
    "ARBITER_HTTP_PER_ADDRESS": "0",
}
"""The limits of one client, lifted: these players are as fast as they can be."""


@dataclass(frozen=True, slots=True)
class Served:
    """Something that serves games, in these processes and those that they started."""

    pids: Sequence[int]
    http: str
    websocket: str = ""
    pubkey: str = "-"
    ready_seconds: float = 0.0
    log: Path | None = None

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of all its processes until now, also of those that ended."""
        return sum(seconds for _, seconds in cpu_seconds_by(self.pids))

    @property
    def memory_mb(self) -> float:
        """Their resident memory; what they share counts for each of them."""
        return sum(_resident_mb(pid) for pid in _family(self.pids))


def cpu_seconds_by(pids: Iterable[int]) -> Iterator[tuple[str, float]]:
    """The command line of each of these processes and their children, and its CPU seconds."""
    for pid in _family(pids):
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
            yield command.decode(errors="replace"), _cpu_ticks(pid) / _TICKS


@contextlib.contextmanager
def serving(
    relays: str = "none",
    limits: Mapping[str, str] = UNLIMITED,
    prepare: Callable[[Path], None] | None = None,
) -> Iterator[Served]:
    """`arbiter serve` for the block, with these limits, on data that ``prepare`` may fill."""
    with contextlib.ExitStack() as started:
        data = _folder(started) / "data"
        if prepare:
            data.mkdir()
            prepare(data / "arbiter.sqlite3")
        port = free_port()
        command = [sys.executable, "-m", "server", "serve", "--data", str(data)]
        command += ["--listen", f"127.0.0.1:{port}", "--relays", relays]
        log = started.enter_context((data.parent / "log").open("wb"))
        began = time.monotonic()
        server = _process(started, command, {**limits, "ARBITER_LOG_LEVEL": "INFO"}, stderr=log)
        wait_for(port)
        told = _told(data / "endpoints.json")
        ready_seconds = time.monotonic() - began
        yield Served(
            [server.pid],
            told["http"],
            told["websocket"],
            told["server_pubkey"],
            ready_seconds,
            data.parent / "log",
        )


@contextlib.contextmanager
def relay(*, is_plain: bool = False) -> Iterator[tuple[str, int]]:
    """The bundled relay for the block, or nostr-relay as it comes; its URL and process id."""
    with contextlib.ExitStack() as started:
        port = free_port()
        settings = settings_from({"RUN_DIR": str(_folder(started)), "PORT_BASE": str(port)})
        part = relay_part(settings, is_plain=is_plain)
        process = _process(started, part.command, part.environment, stderr=subprocess.DEVNULL)
        wait_for(port)
        yield f"ws://127.0.0.1:{port}", process.pid


def _folder(started: contextlib.ExitStack) -> Path:
    return Path(started.enter_context(tempfile.TemporaryDirectory(prefix="bench-serve-")))


def _process(
    started: contextlib.ExitStack,
    command: Sequence[str],
    environment: Any,  # noqa: ANN401 - a mapping of texts
    **options: Any,  # noqa: ANN401 - Popen's
) -> "subprocess.Popen[bytes]":
    process: subprocess.Popen[bytes] = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, **options
    )

    def stop() -> None:
        process.terminate()
        process.wait(_READY_SECONDS)

    started.callback(stop)
    return process


def wait_for(port: int) -> None:
    _await(lambda: socket.create_connection(("127.0.0.1", port)).close())


def free_port() -> int:
    """A port of this machine where nothing listens, with room for nine more above."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return min(port, 65_000)


def _told(path: Path) -> Any:  # noqa: ANN401 - JSON
    return _await(lambda: json.loads(path.read_text(encoding="utf-8")))


def _await(act: Callable[[], Any]) -> Any:  # noqa: ANN401 - the act's own
    """Return what ``act`` returns, once it raises no OSError."""
    ends_at = time.monotonic() + _READY_SECONDS
    while True:
        try:
            return act()
        except OSError:
            if time.monotonic() >= ends_at:
                raise
        time.sleep(0.02)


def _family(pids: Iterable[int]) -> Iterable[int]:
    parents = _parents()
    found, latest = set(pids), set(pids)
    while latest:
        latest = {pid for pid, parent in parents.items() if parent in latest} - found
        found |= latest
    return found


def _stat(pid: int) -> list[str]:
    """The fields of its /proc/…/stat from the third on; none if it is gone."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return text.rpartition(")")[2].split()
    return []


def _parents() -> dict[int, int]:
    pids = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
    return {pid: int(stat[1]) for pid in pids if (stat := _stat(pid))}


def _cpu_ticks(pid: int) -> int:
    return sum(map(int, _stat(pid)[11:15]))


def _resident_mb(pid: int) -> float:
    stat = _stat(pid)
    return int(stat[21]) * os.sysconf("SC_PAGESIZE") / 2**20 if stat else 0.0
