"""The child processes of a run: started, watched, restarted, stopped in reverse order.

Invariant: one thread does it all, as children are tied to the one that started them. Every wait has
a timeout and ends at a stop. A living child holds a lock in the run's folder.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from local.console import say
from local.ports import LOOPBACK, answers_over_http

_POLL_SECONDS = 0.1
_START_TIMEOUT_SECONDS = 30.0
_MAX_BACKOFF_SECONDS = 30.0
# After running this long, the next death starts the backoff anew.
_SETTLED_SECONDS = 30.0
_LOG_BYTES_KEPT = 10_000_000
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class StopAsked(Exception):
    """Ctrl-C or SIGTERM while the run waited for something."""


class PartFailed(Exception):
    """A process did not start or answer; the text is one line for the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A program of the run. One that is not to be restarted ends the run when it dies."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    stop_timeout_seconds: float
    is_restarted: bool = True


@dataclass(slots=True)
class _Child:
    part: Part
    process: "subprocess.Popen[bytes]"
    started: float
    deaths_in_a_row: int = 0
    due: float | None = field(default=None)


class Supervisor:
    """Owns the children of one run. Use it from the main thread only."""

    def __init__(self, run_dir: Path, working_dir: Path, stop: threading.Event) -> None:
        """``stop`` is set from outside (a signal) and ends every wait here."""
        self._run_dir = run_dir
        self._logs = run_dir / "logs"
        self._working_dir = working_dir
        self._stop = stop
        self._children: list[_Child] = []

    def start(self, part: Part) -> None:
        self._children.append(_Child(part, self._spawn(part), time.monotonic()))
        self._note()

    def wait_until(self, name: str, is_ready: Callable[[], bool], timeout_seconds: float) -> None:
        """Wait for a part to answer. Raises PartFailed, or StopAsked at a stop."""
        child = self._named(name)
        deadline = time.monotonic() + timeout_seconds
        while not is_ready():
            if child.process.poll() is not None:
                said = self._last_words(name)
                raise PartFailed(f"{name} ended while starting, see {self.log_path(name)}{said}")
            if time.monotonic() > deadline:
                raise PartFailed(
                    f"{name} does not answer after {timeout_seconds:.0f} s, "
                    f"see {self.log_path(name)}"
                )
            self.pause(_POLL_SECONDS)

    def wait_for_http(self, name: str, port: int, path: str = "/", host: str = LOOPBACK) -> None:
        """Wait until a part answers a GET with 200. Raises as `wait_until`."""
        self.wait_until(name, lambda: answers_over_http(port, path, host), _START_TIMEOUT_SECONDS)

    def pause(self, seconds: float) -> None:
        """Sleep; StopAsked as soon as a stop is asked for."""
        if self._stop.wait(seconds):
            raise StopAsked

    def watch(self) -> None:
        """Restart what dies, until a stop. Raises PartFailed of a part that is not restarted."""
        with contextlib.suppress(StopAsked):
            while True:
                self.look()
                self.pause(_POLL_SECONDS)

    def look(self) -> None:
        """Look at every child once: note deaths, start again what is due."""
        for child in self._children:
            if child.due is None and child.process.poll() is not None:
                self._bury(child)
            if child.due is not None and time.monotonic() >= child.due:
                child.process = self._spawn(child.part)
                child.started, child.due = time.monotonic(), None
                self._note()

    def stop_all(self) -> None:
        """End everything, the last started first, each within its own time."""
        while self._children:
            self._end(self._children.pop())
        processes_path(self._run_dir).unlink(missing_ok=True)

    def log_path(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    def _last_words(self, name: str) -> str:
        lines = self.log_path(name).read_text(encoding="utf-8", errors="replace").splitlines()
        return f":\n    {lines[-1]}" if lines else ""

    def _named(self, name: str) -> _Child:
        return next(child for child in self._children if child.part.name == name)

    def _spawn(self, part: Part) -> "subprocess.Popen[bytes]":
        with _log(self.log_path(part.name)) as log, _lock(self._run_dir) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            return subprocess.Popen(
                part.command,
                cwd=self._working_dir,
                env=dict(part.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # A group of its own: Ctrl-C reaches us alone, and we end the parts in order.
                start_new_session=True,
                pass_fds=(lock.fileno(),),
                preexec_fn=_tie_to(os.getpid()),  # noqa: PLW1509 - one thread, see above
            )

    def _bury(self, child: _Child) -> None:
        kill_group(child.process.pid)
        how = f"{child.part.name} {_ending(child.process.returncode)}"
        log = self.log_path(child.part.name)
        if not child.part.is_restarted:
            raise PartFailed(f"{how}, see {log}")
        if time.monotonic() - child.started > _SETTLED_SECONDS:
            child.deaths_in_a_row = 0
        pause_seconds = min(2**child.deaths_in_a_row / 2, _MAX_BACKOFF_SECONDS)
        child.deaths_in_a_row += 1
        child.due = time.monotonic() + pause_seconds
        say(f"  ! {how}; starting it again in {pause_seconds:g} s, see {log}")

    def _end(self, child: _Child) -> None:
        if child.due is not None:
            return  # It has ended, and its id may be another process's by now.
        with contextlib.suppress(ProcessLookupError):
            child.process.terminate()
        try:
            child.process.wait(child.part.stop_timeout_seconds)
        except subprocess.TimeoutExpired:
            say(f"  ! {child.part.name} did not stop in time and was killed")
        kill_group(child.process.pid)
        child.process.wait()

    def _note(self) -> None:
        noted = [{"name": it.part.name, "pid": it.process.pid} for it in self._children]
        path = processes_path(self._run_dir)
        draft = path.with_suffix(".new")
        try:
            draft.write_text(json.dumps(noted), encoding="utf-8")
            draft.replace(path)
        except OSError as failure:
            say(f"  ! {path} cannot be written: {failure.strerror}")


def processes_path(run_dir: Path) -> Path:
    return run_dir / "processes.json"


def have_ended(run_dir: Path, grace_seconds: float) -> bool:
    """Whether every child of an earlier run has ended, or does so in this time."""
    deadline = time.monotonic() + grace_seconds
    with _lock(run_dir) as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return False
                time.sleep(_POLL_SECONDS)
            else:
                return True


def _tie_to(parent_pid: int) -> Callable[[], None]:
    """Return what a child runs first, on Linux, to get SIGTERM when its parent thread dies."""

    def tie() -> None:
        if _LIBC is None:
            return
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        # The parent may have died before the line above; then no signal ever comes.
        if os.getppid() != parent_pid:
            os._exit(1)

    return tie


def kill_group(leader_pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader_pid, signal.SIGKILL)


def _lock(run_dir: Path) -> IO[bytes]:
    run_dir.mkdir(parents=True, exist_ok=True)
    return (run_dir / "children.lock").open("ab")


def _log(path: Path) -> IO[bytes]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > _LOG_BYTES_KEPT:
        path.replace(path.with_suffix(".log.1"))
    return path.open("ab")


def _ending(returncode: int) -> str:
    if returncode == 0:
        return "ended in order"
    if returncode > 0:
        return f"failed (exit code {returncode})"
    return f"died ({signal.strsignal(-returncode) or f'signal {-returncode}'})"
