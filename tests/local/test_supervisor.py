"""The processes of a run are restarted when they die, and stopped in order."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local.processes import Part, PartFailed, Supervisor, have_ended, processes_path

_LONG_SECONDS = 60
# Writes a line at SIGTERM, which shows the order of stopping.
_POLITE = """
import os, signal, sys, threading
name, journal = sys.argv[1:]
stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stop.set())
print("up", flush=True)
stop.wait(60)
with open(journal, "a") as file:
    file.write(name + "\\n")
"""
_SLEEPING = f"import time; print('up', flush=True); time.sleep({_LONG_SECONDS})"
# Ends, and leaves a child of its own in its group, which outlasts every wait here.
_PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
"""


class Household:
    """A supervisor with a folder of its own, whose children end with the test."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        self.stop = threading.Event()
        self.supervisor = Supervisor(run_dir, run_dir, self.stop)

    def start(
        self,
        name: str,
        program: str,
        *arguments: str,
        stop_timeout_seconds: float = 20.0,
        is_restarted: bool = True,
    ) -> int:
        """Start a Python program and wait for its first line; its process number."""
        self.supervisor.start(
            Part(
                name=name,
                command=(sys.executable, "-c", program, *arguments),
                environment=dict(os.environ),
                stop_timeout_seconds=stop_timeout_seconds,
                is_restarted=is_restarted,
            )
        )
        self.supervisor.wait_until(name, lambda: self.printed(name) != "", _LONG_SECONDS)
        return self.pid_of(name)

    def pid_of(self, name: str) -> int:
        """A child's process number, as it is noted."""
        noted = json.loads(processes_path(self.run_dir).read_text(encoding="utf-8"))
        return next(int(it["pid"]) for it in noted if it["name"] == name)

    def printed(self, name: str) -> str:
        """The output of a child, in all its lives."""
        return self.supervisor.log_path(name).read_text(encoding="utf-8")

    def look_until(self, is_so: Callable[[], bool]) -> None:
        """Supervise until something is so."""
        deadline = time.monotonic() + _LONG_SECONDS
        while not is_so():
            assert time.monotonic() < deadline
            self.supervisor.look()
            time.sleep(0.01)


@pytest.fixture
def household(tmp_path: Path) -> Iterator[Household]:
    made = Household(tmp_path)
    yield made
    made.supervisor.stop_all()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that nobody waited for is a zombie.
    told = subprocess.run(("ps", "-o", "state=", "-p", str(pid)), capture_output=True, check=False)
    return not told.stdout.startswith(b"Z")


def _ends(pid: int) -> bool:
    """Whether a process ends without our doing, long before it would by itself."""
    deadline = time.monotonic() + _LONG_SECONDS / 2
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not _runs(pid)


def test_a_child_that_is_not_to_be_restarted_ends_the_run(household: Household) -> None:
    os.kill(household.start("cloud", _SLEEPING, is_restarted=False), signal.SIGKILL)
    with pytest.raises(PartFailed, match=r"cloud died \(Killed\), see .*cloud\.log"):
        household.look_until(lambda: household.printed("cloud").count("up") == 2)


@pytest.mark.parametrize(
    ("number", "code", "told"),
    [
        (signal.SIGKILL, 0, "server died (Killed)"),
        (signal.SIGTERM, 0, "server ended in order; "),
        (signal.SIGTERM, 3, "server failed (exit code 3); "),
    ],
)
def test_a_child_that_ended_is_restarted_and_one_line_says_how_it_ended(
    household: Household,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    number: signal.Signals,
    code: int,
    told: str,
) -> None:
    program = f"{_POLITE}sys.exit({code})"
    first = household.start("server", program, "server", str(tmp_path / "journal"))
    os.kill(first, number)
    household.look_until(lambda: household.printed("server").count("up") == 2)
    assert household.pid_of("server") != first
    [line] = capfd.readouterr().out.splitlines()
    assert told in line
    assert "server.log" in line


def test_children_are_stopped_the_last_started_first(household: Household, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    for name in ("relay", "cloud", "listener"):
        household.start(name, _POLITE, name, str(journal))
    household.supervisor.stop_all()
    assert journal.read_text(encoding="utf-8").split() == ["listener", "cloud", "relay"]
    assert not processes_path(tmp_path).exists()


def test_a_grandchild_ends_with_the_child(household: Household) -> None:
    household.start("parent", _PARENT)
    grandchild = int(household.printed("parent").split()[0])
    household.look_until(lambda: len(household.printed("parent").split()) == 2)
    assert _ends(grandchild)


def test_the_next_run_waits_for_what_a_killed_one_left_behind(household: Household) -> None:
    pid = household.start("cloud", _SLEEPING)
    other = household.start("relay", _SLEEPING)
    assert not have_ended(household.run_dir, 0)

    os.kill(pid, signal.SIGKILL)
    assert not have_ended(household.run_dir, 0)

    os.kill(other, signal.SIGKILL)
    assert have_ended(household.run_dir, _LONG_SECONDS)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_a_killed_run_takes_its_children_with_it(tmp_path: Path) -> None:
    program = f"""
import json, os, sys, threading
from pathlib import Path
from local.processes import Part, Supervisor, processes_path
supervisor = Supervisor(Path({str(tmp_path)!r}), Path({str(tmp_path)!r}), threading.Event())
supervisor.start(Part(name="child", command=(sys.executable, "-c", {_SLEEPING!r}),
    environment=dict(os.environ), stop_timeout_seconds=5))
print(json.loads(processes_path(Path({str(tmp_path)!r})).read_text())[0]["pid"], flush=True)
supervisor.watch()
"""
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        (sys.executable, "-c", program), stdout=subprocess.PIPE, text=True, cwd=root
    ) as run:
        assert run.stdout is not None
        child = int(run.stdout.readline())
        run.kill()
    assert _ends(child)
