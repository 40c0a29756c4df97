"""The arbiter that `bench.e2e` measures, started on new data on the emulated cloud."""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.counted_cloud import CALLS
from bench.served import cpu_seconds_by, free_port, wait_for
from local.settings import ROOT

_MINISTACK = ROOT / ".venv/tools/ministack/bin"
_START_SECONDS = 400.0
_STOP_SECONDS = 60.0

_ROLES = (
    # Its command line names functions.
    ("proxy", re.compile(r"local\.proxy")),
    ("relay", re.compile(r"nostr-relay")),
    ("listeners", re.compile(r"relay_listener")),
    ("process_events", re.compile(r"ProcessEventsFunction-")),
    ("gateway", re.compile(r"GatewayFunction-")),
    ("http_api", re.compile(r"HttpApiFunction-")),
    ("clock", re.compile(r"ClockFunction-")),
    ("emulator", re.compile(r"counted_cloud")),
)
"""By command line, the first that fits; all else is of the run itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """An arbiter in processes of ours."""

    pids: tuple[int, ...]
    relay: str
    http: str
    websocket: str
    pubkey: str
    calls: Callable[[], Counter[str]]

    def cpu_seconds(self) -> Mapping[str, float]:
        used: Counter[str] = Counter()
        for command, seconds in cpu_seconds_by(self.pids):
            used[role_of(command)] += seconds  # type: ignore[assignment]
        return used


def role_of(command: str) -> str:
    return next((role for role, looks in _ROLES if looks.search(command)), "run")


@contextlib.contextmanager
def running_cloud() -> Iterator[Running]:
    """The emulated cloud for the block. Raises RuntimeError with the end of its log."""
    with tempfile.TemporaryDirectory(prefix="bench-e2e-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "layers/arbiter/python"))),
            "RUN_DIR": str(folder / "run"),
            "PORT_BASE": str(free_port()),
            "MINISTACK": str(_counting(folder / "ministack")),
            "HOUSE": "0",
            "LOG_LEVEL": "INFO",
        }
        command = (sys.executable, "-m", "local.run_cloud")
        log = folder / "log"
        with log.open("wb") as out:
            run = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
        try:
            told = _told(folder / "run/endpoints.json", run, log)
            wait_for(int(told["aws"].rpartition(":")[2]))
            yield Running(
                pids=(run.pid,),
                relay=told["relays"][0],
                http=told["http"],
                websocket=told["websocket"],
                pubkey=told["server_pubkey"],
                calls=lambda: _counted(told["aws"]),
            )
        finally:
            run.terminate()
            run.wait(_STOP_SECONDS)


def _counting(file: Path) -> Path:
    counting = Path(__file__).parent / "counted_cloud.py"
    text = f'#!/bin/sh\nexec "{_MINISTACK / "python"}" -P "{counting}"\n'
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    return file


def _told(endpoints: Path, run: "subprocess.Popen[bytes]", log: Path) -> dict[str, str]:
    ends_at = time.monotonic() + _START_SECONDS
    while not endpoints.exists():
        if run.poll() is not None or time.monotonic() > ends_at:
            raise RuntimeError(f"it does not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.2)
    told: dict[str, str] = json.loads(endpoints.read_text(encoding="utf-8"))
    return told


def _counted(aws: str) -> Counter[str]:
    with urllib.request.urlopen(aws + CALLS) as answer:  # noqa: S310 - ours
        return Counter(json.load(answer))
