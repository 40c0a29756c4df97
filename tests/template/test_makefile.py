"""The Makefile's targets exist, install what they need, and complain in one line."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.template.source import ROOT, executable

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def _make(where: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: it for name, it in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=where, env=environment, check=False, capture_output=True, text=True
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in which nothing is installed."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "samconfig.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def test_without_a_target_the_targets_are_listed(checkout: Path) -> None:
    listed = [line.split()[:2] for line in _make(checkout).stdout.splitlines()]
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)

    assert phony
    assert {command for command, _ in listed} == {"make"}
    assert {target for _, target in listed} == {*phony[1].split()}


def test_every_program_that_a_target_starts_exists() -> None:
    modules = re.findall(r"RUN_PYTHON\) -m ([\w.]+)", MAKEFILE)

    assert modules
    for module in modules:
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        (None, "there is no "),
        ('case "$1" in -V) echo Python 3.9.2;; *) exit 1;; esac', "is Python 3.9.2"),
        ('case "$2" in *ensurepip*) exit 1;; esac', "install its venv module"),
    ],
    ids=["missing", "too old", "without venv"],
)
def test_an_unusable_python_is_reported_in_one_line(
    checkout: Path, script: str | None, complaint: str
) -> None:
    python = checkout / "a-python"
    if script is not None:
        executable(python, script)

    done = _make(checkout, f"PYTHON={python}", ".venv/.bootstrap")

    (line,) = [it for it in done.stderr.splitlines() if not it.startswith("make: ***")]
    assert done.returncode != 0
    assert complaint in line
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize(
    ("wrong", "complaint", "right"),
    [
        (["archive"], "make archive LOG=", ["archive", "LOG=x"]),
        (["archive", "GAME=x"], "RELAYS=wss://", ["archive", "GAME=x", "RELAYS=wss://x"]),
        (["verify-table"], "make verify-table TABLE=", ["verify-table", "TABLE=x"]),
        (["copy-back"], "make copy-back FROM=", ["copy-back", "FROM=x"]),
        (["relays"], "make relays RELAYS=", ["relays", "RELAYS=wss://x"]),
    ],
    ids=lambda it: it[-1] if isinstance(it, list) else None,
)
def test_a_missing_or_unknown_variable_is_named(
    checkout: Path, wrong: list[str], complaint: str, right: list[str]
) -> None:
    assert complaint in _make(checkout, "--dry-run", *wrong).stderr
    assert "***" not in _make(checkout, "--dry-run", *right).stderr


_CHECKS = ["ruff format", "ruff check", "mypy", "python -m", "lint-imports", "sam"]


@pytest.mark.parametrize(
    ("failing", "named"),
    [
        ("", ""),
        ("ruff", "format lint"),
        ("sam", "template"),
        ("locks", "locks"),
    ],
)
def test_every_check_runs_and_those_that_fail_are_named(
    checkout: Path, failing: str, named: str
) -> None:
    programs = checkout / ".venv/bin"
    for tool in ("ruff", "mypy", "lint-imports", "python", "../tools/sam/bin/sam"):
        name = Path(tool).name
        executable(programs / tool, f'echo "ran {name} $1"; exit {int(name == failing)}')
    for path in (".venv/.bootstrap", ".venv/.dev", ".venv/tools/.sam"):
        (checkout / path).touch()
    if failing == "locks":
        with (checkout / "requirements/layer.in").open("a", encoding="utf-8") as requests:
            requests.write("left-pad\n")

    done = _make(checkout, "check")

    ran = [line.removeprefix("ran ") for line in done.stdout.splitlines() if line[:4] == "ran "]
    for line, check in zip(ran, _CHECKS, strict=True):
        assert line.startswith(check)
    assert (done.returncode != 0) == bool(failing)
    assert re.findall("make check: failed: (.*)\n", done.stderr) == ([named] if named else [])
    assert (failing == "locks") == ("requirements/ has changed: run make lock\n" in done.stderr)


_ALL_TOOLS = {"dev", "ministack", "relay", "runtime", "sam", "ssb"}


@pytest.mark.parametrize(
    ("paths", "tools"),
    [
        ("-k clocks", _ALL_TOOLS),
        ("-x tests/core/test_flag.py", {"dev"}),
        ("tests/core tests/contract", {"dev", "ministack"}),
    ],
)
def test_tests_have_what_they_need_installed_and_no_more(
    checkout: Path, paths: str, tools: set[str]
) -> None:
    shutil.copytree(ROOT / "bridge", checkout / "bridge", ignore=shutil.ignore_patterns("*.py[co]"))
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / ".bootstrap").touch()

    arguments = [f"PYTEST_ARGS={paths}"] if paths else []
    planned = _make(checkout, "--dry-run", "test", *arguments).stdout

    installed = {*re.findall(r"requirements/install\.py (\w+)", planned)}
    assert installed | ({"ssb"} if "bridge.install" in planned else set()) == tools
