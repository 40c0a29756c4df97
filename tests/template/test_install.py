"""What is installed is told by what a lock says, not by how old a file is."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.template.source import ROOT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose .venv has an installer that only writes down what it was asked for."""
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (tmp_path / ".venv" / "tools").mkdir()
    for name in ("python", "uv"):
        program = programs / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> "{tmp_path}/asked"\n', "utf-8")
        program.chmod(0o755)
    return tmp_path


def _install(checkout: Path, *names: str) -> list[str]:
    """The lock files that were installed by this run, in order, and by whom."""
    asked = checkout / "asked"
    asked.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "requirements/install.py", *names],
        cwd=checkout,
        check=True,
        capture_output=True,
    )
    assert done.stdout == b"", "a script reads what `make play ARGS=--json` says, and nothing else"
    lines = asked.read_text(encoding="utf-8").splitlines() if asked.exists() else []
    return [f"{it.split()[0]} {Path(it.split()[-1]).name}" for it in lines if "-r" in it.split()]


def test_the_installers_come_first_and_then_what_was_named(checkout: Path) -> None:
    assert _install(checkout, "dev", "relay") == [
        "python bootstrap.txt",
        "uv dev.txt",
        "uv bootstrap.txt",
        "uv relay.txt",
    ]


def test_what_is_installed_is_not_installed_again(checkout: Path) -> None:
    _install(checkout, "dev")

    assert _install(checkout, "dev") == []


def test_a_lock_that_only_grew_younger_is_let_be(checkout: Path) -> None:
    _install(checkout, "dev")
    os.utime(checkout / "requirements" / "dev.txt")

    assert _install(checkout, "dev") == []


def test_a_lock_that_says_something_else_is_installed(checkout: Path) -> None:
    _install(checkout, "dev")
    with (checkout / "requirements" / "dev.txt").open("a", encoding="utf-8") as lock:
        lock.write("# a pin\n")

    assert _install(checkout, "dev") == ["uv dev.txt"]


def test_pip_installs_what_uv_cannot_reach(checkout: Path) -> None:
    (checkout / ".venv" / "bin" / "uv").write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")

    assert _install(checkout, "dev") == ["python bootstrap.txt", "python dev.txt"]


def _tried(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "requirements/install.py", "dev"],
        cwd=checkout,
        check=False,
        capture_output=True,
        text=True,
        # A shell's background jobs have Ctrl-C ignored, and what they start, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_who_breaks_off_is_told_in_a_line_what_becomes_of_it(checkout: Path) -> None:
    interrupting = "#!/bin/sh\ntest $1 = -c || { kill -INT $PPID; exec sleep 60; }\n"
    (checkout / ".venv" / "bin" / "python").write_text(interrupting, encoding="utf-8")

    done = _tried(checkout)

    assert done.returncode == 130
    assert done.stderr == "Broken off. The next make goes on with what is not yet there.\n"
    assert not (checkout / ".venv" / ".bootstrap").exists()


def test_an_installer_that_fails_leaves_no_stamp(checkout: Path) -> None:
    for name in ("python", "uv"):
        (checkout / ".venv" / "bin" / name).write_text("#!/bin/sh\ntest $1 = -c\n", "utf-8")

    done = _tried(checkout)

    assert done.returncode == 1
    assert "could not be installed" in done.stderr
    assert not (checkout / ".venv" / ".bootstrap").exists()
