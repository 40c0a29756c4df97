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
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / ".venv" / "tools").mkdir(parents=True)
    for name in ("python", "uv"):
        executable(tmp_path / ".venv/bin" / name, f'echo {name} "$@" >> "{tmp_path}/asked"')
    return tmp_path


def _run(checkout: Path, *names: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "requirements.install", *names],
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


TOO_NEW = """
import sys
sys.version_info = (3, 14, 0, "final", 0)
sys.executable = {python!r}
"""

# What a Python does for an installation: it makes environments, and puts the locked uv into them.
STAND_IN = """\
case "$*" in
  *"-m venv"*)
    for home; do :; done
    mkdir -p "$home/bin"; cp "$0" "$home/bin/python"; echo "$0" >"$home/made-by" ;;
  *"-m pip"*) cp {uv} "$(dirname "$0")/uv" ;;
  *) PYTHONPATH={site} exec {real} "$@" ;;
esac"""


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A checkout on a machine whose python3 says that it is 3.14; its uv is `uv` beside it."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    python, uv, site = tmp_path / "bin/python3", tmp_path / "uv", tmp_path / "site"
    site.mkdir()
    text = TOO_NEW.format(python=str(python))
    (site / "sitecustomize.py").write_text(text, encoding="utf-8")
    executable(python, STAND_IN.format(uv=uv, site=site, real=sys.executable))
    # One that is not too new, wherever this uv says.
    executable(tmp_path / "older", STAND_IN.format(uv=uv, site=tmp_path, real=sys.executable))
    return tmp_path


FINDS = 'test "$2" = find && echo "{older}"'
BRINGS = """\
case "$2 $UV_PYTHON_INSTALL_DIR" in
  "install "*/.venv/managed) mkdir -p "$UV_PYTHON_INSTALL_DIR" ;;
  "find "*/.venv/managed) echo {older} ;;
  *) exit 2 ;;
esac"""
CANNOT = 'test "$2" = find || echo "error: no luck\n  cause: no network" >&2; exit 2'


def _make(checkout: Path) -> "subprocess.CompletedProcess[str]":
    environment = {name: it for name, it in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", f"PYTHON={checkout}/bin/python3", ".venv/.bootstrap"],
        cwd=checkout,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("uv", [FINDS, BRINGS], ids=["another of the machine", "a managed one"])
def test_where_python_is_too_new_uv_finds_another(newer: Path, uv: str) -> None:
    executable(newer / "uv", uv.format(older=newer / "older"))

    done = _make(newer)

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (newer / ".venv/made-by").read_text("ascii").strip() == str(newer / "older")
    assert "python3 is Python 3.14" in done.stderr


def test_an_environment_of_a_python_that_is_too_new_is_made_again(newer: Path) -> None:
    executable(newer / "uv", FINDS.format(older=newer / "older"))
    subprocess.run([newer / "bin/python3", "-m", "venv", newer / ".venv"], check=True)

    assert _make(newer).returncode == 0
    assert (newer / ".venv/made-by").read_text("ascii").strip() == str(newer / "older")


def test_where_uv_can_bring_none_the_last_line_says_what_to_do(newer: Path) -> None:
    executable(newer / "uv", CANNOT)

    done = _make(newer)

    said, make = done.stderr.splitlines()[-2:]
    assert done.returncode != 0
    assert make.startswith("make:")
    assert "(no network)" in said
    assert said.endswith("make PYTHON=/path/to/python3.13")
    assert not (newer / ".venv/.bootstrap").exists()


@pytest.mark.parametrize("too_new", [14, 15])
def test_one_line_says_which_pythons_will_do(newer: Path, too_new: int) -> None:
    """The day that coincurve has a wheel, requires-python changes alone."""
    project = newer / "pyproject.toml"
    text = project.read_text(encoding="utf-8").replace(",<3.14", f",<3.{too_new}")
    project.write_text(text, encoding="utf-8")
    executable(newer / "uv", CANNOT)

    assert (_make(newer).returncode == 0) == (too_new == 15)


def test_pip_says_which_command_installs_with_another_python() -> None:
    asked = "import sys; from requirements import build_backend; sys.version_info = (3, 14, 0); "
    asked += "build_backend.get_requires_for_build_wheel()"

    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].endswith("uv tool install --python 3.13 .")
