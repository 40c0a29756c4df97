"""Child processes end with the run, or are found by the next one.

Invariant: a process is ours if its id and its start time are those that we recorded; ids are
reused.
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
# The field of the start time in /proc/PID/stat, counted from the state letter (proc(5), field 22).
_START_TIME_AFTER_STATE = 19


@dataclass(frozen=True, slots=True)
class Child:
    """A process that a run started: name, id, and its start time as identity."""

    name: str
    pid: int
    identity: str


def tie_to_parent(parent_pid: int) -> Callable[[], None]:
    """What a child runs before its program, to get SIGTERM when its parent dies.

    SIGTERM, since the cloud saves its games then. Linux only; elsewhere the next run stops what is
    left. It is the thread that counts as the parent, so start children from the main one.
    """

    def tie() -> None:
        if _LIBC is None:
            return
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        # The parent may have died before the line above; then no signal ever comes.
        if os.getppid() != parent_pid:
            os._exit(1)

    return tie


def identity_of(pid: int) -> str | None:
    """When the process with this id started, as the system reports it; None if none runs."""
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


def write_children(path: Path, processes: Iterable[Child]) -> None:
    """Note what runs, for the run after one that could not clean up."""
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps([asdict(process) for process in processes]), encoding="utf-8")
    draft.replace(path)


def read_children(path: Path) -> tuple[Child, ...]:
    """What an earlier run noted; nothing if it noted nothing readable."""
    try:
        noted = json.loads(path.read_text(encoding="utf-8"))
        return tuple(Child(str(n["name"]), int(n["pid"]), str(n["identity"])) for n in noted)
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def stop_leftovers(path: Path, grace_seconds: float) -> tuple[Child, ...]:
    """Stop what an earlier run left running, and return what that was.

    Only recorded processes are stopped: SIGTERM to the process, so that it ends its children in
    order, then SIGKILL to the rest of its group.
    """
    found = tuple(p for p in read_children(path) if identity_of(p.pid) == p.identity)
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
    """Kill what still runs in the process group that this process led."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader_pid, signal.SIGKILL)
