"""Processes that cannot be forgotten: tied to us while we live, found again if we died.

The law: a process is ours when the machine says it is the very one we started, not because its
number is in a file. Numbers are reused; a number together with the moment it started is not.
"""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_POLL_SECONDS = 0.05
_PS_SECONDS = 5
# Where the start time stands in /proc/PID/stat, counted from the state letter (proc(5), field 22).
_START_TIME_AFTER_STATE = 19


@dataclass(frozen=True, slots=True)
class Leashed:
    """A process we started: what it is, its number, and what tells it from a later namesake."""

    name: str
    pid: int
    identity: str


def tie_to_parent(parent_pid: int) -> Callable[[], None]:
    """What a child runs before its program: be told to stop when the parent dies, however it dies.

    SIGTERM, not SIGKILL: the cloud saves its games on SIGTERM. Linux only; elsewhere the next run
    finds what was left behind. Death counts per thread, so start children from the main one.
    """

    def tie() -> None:
        if _LIBC is None:
            return
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        # The parent may have died before the line above, and then nobody would ever tell us.
        if os.getppid() != parent_pid:
            os._exit(1)

    return tie


def identity_of(pid: int) -> str | None:
    """When the process with this number started, in the machine's own words; None if none runs."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.parent.parent.joinpath("self").exists():
        return _linux_identity(stat)
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        asked = subprocess.run(
            ("ps", "-o", "lstart=", "-p", str(pid)),
            capture_output=True,
            text=True,
            timeout=_PS_SECONDS,
            check=True,
        )
        return asked.stdout.strip() or None
    return None


def _linux_identity(stat: Path) -> str | None:
    try:
        # The second field is the program's name in brackets and may hold anything, brackets too.
        fields = stat.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    state, started = fields[0], fields[_START_TIME_AFTER_STATE]
    return None if state == "Z" else f"{boot} {started}"


def write_leashed(path: Path, processes: Iterable[Leashed]) -> None:
    """Note what runs, for the run after one that could not clean up."""
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps([asdict(process) for process in processes]), encoding="utf-8")
    draft.replace(path)


def read_leashed(path: Path) -> tuple[Leashed, ...]:
    """What an earlier run noted; nothing if it noted nothing readable."""
    try:
        noted = json.loads(path.read_text(encoding="utf-8"))
        return tuple(Leashed(str(n["name"]), int(n["pid"]), str(n["identity"])) for n in noted)
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def stop_leftovers(path: Path, grace_seconds: float) -> tuple[Leashed, ...]:
    """Stop what an earlier run left running, politely first, and say what that was.

    Only processes that are provably the noted ones are touched. SIGTERM goes to the process, so
    that it can end its own children in order; what is left of its group after that is killed.
    """
    found = tuple(p for p in read_leashed(path) if identity_of(p.pid) == p.identity)
    for process in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
    deadline = time.monotonic() + grace_seconds
    while time.monotonic() < deadline and any(identity_of(p.pid) == p.identity for p in found):
        time.sleep(_POLL_SECONDS)
    for process in found:
        kill_group(process.pid)
    path.unlink(missing_ok=True)
    return found


def kill_group(leader_pid: int) -> None:
    """End whatever still runs in the process group this process led."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader_pid, signal.SIGKILL)
