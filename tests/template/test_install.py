"""requirements/install.py installs a lock when its content has changed."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.template.source import ROOT, executable


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose installers only record what they are asked for."""
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / ".venv" / "tools").mkdir(parents=True)
    for name in ("python", "uv"):
        executable(tmp_path / ".venv/bin" / name, f'echo {name} "$@" >> "{tmp_path}/asked"')
    return tmp_path


def _run(checkout: Path, *names: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "requirements/install.py", *names],
        cwd=checkout,
        check=False,
        capture_output=True,
        text=True,
        # A shell's background jobs have Ctrl-C ignored, and what they start, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def _installed(checkout: Path, *names: str) -> list[str]:
    """The installer and the lock of each installation of this run."""
    asked = checkout / "asked"
    asked.unlink(missing_ok=True)
    done = _run(checkout, *names)
    # A script reads the standard output of `make play ARGS=--json`.
    assert (done.returncode, done.stdout) == (0, "")
    lines = asked.read_text(encoding="utf-8").splitlines() if asked.exists() else []
    return [f"{it.split()[0]} {Path(it.split()[-1]).name}" for it in lines if "-r" in it.split()]


def test_the_installers_come_first_and_nothing_is_installed_twice(checkout: Path) -> None:
    dev_lock = checkout / "requirements" / "dev.txt"

    first = _installed(checkout, "dev", "relay")
    assert first == ["python bootstrap.txt", "uv dev.txt", "uv bootstrap.txt", "uv relay.txt"]
    assert _installed(checkout, "dev") == []
    os.utime(dev_lock)
    assert _installed(checkout, "dev") == []
    with dev_lock.open("a", encoding="utf-8") as lock:
        lock.write("# a pin\n")
    assert _installed(checkout, "dev") == ["uv dev.txt"]


def test_pip_installs_if_uv_fails(checkout: Path) -> None:
    executable(checkout / ".venv/bin/uv", "exit 2")

    assert _installed(checkout, "dev") == ["python bootstrap.txt", "python dev.txt"]


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ("test $1 = -c || { kill -INT $PPID; sleep 1; }", 130, "Broken off."),
        ("test $1 = -c", 1, "could not be installed"),
    ],
    ids=["interrupted", "failed"],
)
def test_an_installation_that_does_not_end_leaves_no_stamp(
    checkout: Path, script: str, code: int, message: str
) -> None:
    for name in ("python", "uv"):
        executable(checkout / ".venv/bin" / name, script)

    done = _run(checkout, "dev")

    assert done.returncode == code
    assert message in done.stderr
    assert not (checkout / ".venv" / ".bootstrap").exists()
