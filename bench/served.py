"""What `bench.serve` measures, each started on new data: `arbiter serve`, and the chessgame-backend
whose API the hot seat has. Or what already runs, such as the cloud's template on an emulator.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.relay import relay_part
from local.settings import ROOT, Settings, settings_from

ORIGINAL = ROOT / ".venv/tools/original"
_POSTGRES = Path("/usr/lib/postgresql")
_TICKS = os.sysconf("SC_CLK_TCK")
_READY_SECONDS = 30.0

UNLIMITED = {
    "ARBITER_GATEWAY_FRAMES_PER_TEN_SECONDS": "100000000",
    "ARBITER_GATEWAY_EVENTS_PER_TEN_SECONDS": "100000000",
    "ARBITER_GATEWAY_QUESTIONS_PER_TEN_SECONDS": "100000000",
    "ARBITER_GATEWAY_ADDRESS_FRAMES_PER_TEN_SECONDS": "100000000",
    "ARBITER_HTTP_PER_ADDRESS": "0",
}
"""The limits of one client, lifted: these players are as fast as they can be."""


class NotHere(Exception):
    """Why something cannot be measured here; the text says how it can."""


@dataclass(frozen=True, slots=True)
class Served:
    """Something that serves games, in these processes and those that they started."""

    pids: Sequence[int]
    http: str
    websocket: str = ""
    pubkey: str = "-"
    ready_seconds: float = 0.0

    @property
    def cpu_seconds(self) -> float:
        """What all its processes have computed so far, also those that ended."""
        return sum(seconds for _, seconds in cpu_seconds_by(self.pids))

    @property
    def memory_mb(self) -> float:
        """Their resident memory; what they share counts for each of them."""
        return sum(_resident_mb(pid) for pid in _family(self.pids))


def cpu_seconds_by(pids: Iterable[int]) -> Iterator[tuple[str, float]]:
    """The command line of each of these processes and of those that they started, and what it has
    computed so far, with its children that ended.
    """
    for pid in _family(pids):
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
            yield command.decode(errors="replace"), _cpu_ticks(pid) / _TICKS


@contextlib.contextmanager
def serving(relays: str = "none") -> Iterator[Served]:
    """`arbiter serve` for the block."""
    with contextlib.ExitStack() as started:
        data = _folder(started) / "data"
        port = free_port()
        command = [sys.executable, "-m", "server", "serve", "--data", str(data)]
        command += ["--listen", f"127.0.0.1:{port}", "--relays", relays]
        log = started.enter_context((data.parent / "log").open("wb"))
        began = time.monotonic()
        server = _process(started, command, {**UNLIMITED, "ARBITER_LOG_LEVEL": "INFO"}, stderr=log)
        wait_for(port)
        told = _told(data / "endpoints.json")
        ready_seconds = time.monotonic() - began
        yield Served(
            [server.pid], told["http"], told["websocket"], told["server_pubkey"], ready_seconds
        )


@contextlib.contextmanager
def original_on_sqlite() -> Iterator[Served]:
    """The chessgame-backend on its SQLite database, for the block. Raises NotHere."""
    with contextlib.ExitStack() as started:
        yield _original(started, _folder(started), {"NODE_ENV": "development"})


@contextlib.contextmanager
def original_on_postgres() -> Iterator[Served]:
    """The chessgame-backend on a PostgreSQL of its own, which counts as part of it, for the block.
    Raises NotHere.
    """
    programs = sorted(_POSTGRES.glob("*/bin"))
    if not programs:
        raise NotHere("PostgreSQL is not installed: apt-get install postgresql")
    with contextlib.ExitStack() as started:
        folder, port = _folder(started), free_port()
        # It refuses to be root.
        user = "postgres" if os.geteuid() == 0 else None
        if user:
            shutil.chown(folder, user)
        initdb = [f"{programs[-1]}/initdb", "-D", "db", "-U", "arbiter", "-A", "trust"]
        subprocess.run(initdb, cwd=folder, user=user, stdout=subprocess.DEVNULL, check=True)
        command = [f"{programs[-1]}/postgres", "-D", "db", "-p", str(port), "-k", str(folder)]
        database = _process(started, command, {}, cwd=folder, user=user, stderr=subprocess.DEVNULL)
        wait_for(port)
        environment = {
            "NODE_ENV": "production",
            "DB_HOST": "127.0.0.1",
            "DB_PORT": str(port),
            "DB_USER": "arbiter",
            "DB_NAME": "postgres",
        }
        yield _original(started, folder, environment, (database.pid,))


@contextlib.contextmanager
def running() -> Iterator[Served]:
    """What runs in the folder that the environment names, such as an emulator. Raises NotHere."""
    folder = os.environ.get("RUNNING")
    if not folder:
        raise NotHere("RUNNING=.run names the folder of what runs beside it, such as an emulator")
    told = _told(Path(folder) / "endpoints.json")
    pids = [part["pid"] for part in _told(Path(folder) / "processes.json")]
    yield Served(pids, told["http"], told["websocket"], told["server_pubkey"])


@contextlib.contextmanager
def relay(*, is_plain: bool = False) -> Iterator[tuple[str, int]]:
    """The bundled relay, for the block, or nostr-relay with no code of ours; its URL and process
    id.
    """
    with contextlib.ExitStack() as started:
        port = free_port()
        settings = settings_from({"RUN_DIR": str(_folder(started)), "PORT_BASE": str(port)})
        if not isinstance(settings, Settings):
            raise TypeError(settings.text)
        part = relay_part(settings, is_plain=is_plain)
        process = _process(started, part.command, part.environment, stderr=subprocess.DEVNULL)
        wait_for(port)
        yield f"ws://127.0.0.1:{port}", process.pid


def _original(
    started: contextlib.ExitStack,
    folder: Path,
    environment: dict[str, str],
    others: Sequence[int] = (),
) -> Served:
    if not (ORIGINAL / "dist/server.js").exists():
        raise NotHere("the chessgame-backend is not here: sh bench/original.sh")
    # Where it has its SQLite file, relative to its working directory.
    (folder / "src/database/db").mkdir(parents=True)
    port = free_port()
    environment |= {"PORT": str(port)}
    source = ORIGINAL / "src"
    migrate = [str(ORIGINAL / "node_modules/.bin/sequelize"), "db:migrate"]
    migrate += ["--config", str(source / "config/database.js")]
    migrate += ["--migrations-path", str(source / "database/migrations")]
    subprocess.run(
        migrate,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    command = ["node", str(ORIGINAL / "dist/server.js")]
    server = _process(started, command, environment, cwd=folder, stderr=subprocess.DEVNULL)
    wait_for(port)
    return Served([server.pid, *others], f"http://127.0.0.1:{port}")


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
    """Wait until something listens there. Raises TimeoutError."""
    _await(lambda: socket.create_connection(("127.0.0.1", port)).close())


def free_port() -> int:
    """A port of this machine where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _told(path: Path) -> Any:  # noqa: ANN401 - JSON
    return _await(lambda: json.loads(path.read_text(encoding="utf-8")))


def _await(act: Callable[[], Any]) -> Any:  # noqa: ANN401 - the act's own
    """What ``act`` returns, once it raises no OSError."""
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
