"""The Makefile keeps its word, and complains in one line."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.template.source import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def _make(where: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: it for name, it in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *arguments],
        cwd=where,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in which nothing is installed."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def _python(where: Path, script: str) -> Path:
    """A Python that does what a shell script says."""
    program = where / "a-python"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def _complaint(checkout: Path, python: Path | str) -> str:
    """What `make` says on its error stream, without its own line about the failed target."""
    done = _make(checkout, f"PYTHON={python}", ".venv/.bootstrap")

    assert done.returncode != 0
    assert not (checkout / ".venv").exists()
    (line,) = [it for it in done.stderr.splitlines() if not it.startswith("make: ***")]
    return line


def test_no_target_is_the_list_of_targets(checkout: Path) -> None:
    listed = _make(checkout).stdout.splitlines()

    assert [it.split()[1] for it in listed][:2] == ["help", "run"]
    assert [it for it in listed if not it.startswith("make ")] == []


def test_every_target_that_is_listed_is_one() -> None:
    listed = set(re.findall(r"^([a-z0-9-]+):.*## ", MAKEFILE, flags=re.MULTILINE))
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)

    assert phony
    assert listed == set(phony[1].split())


def test_every_program_a_target_starts_is_there() -> None:
    modules = re.findall(r"RUN_PYTHON\) -m (\S+)", MAKEFILE)

    assert modules
    for module in modules:
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module


def test_a_python_that_is_not_there_is_named(checkout: Path) -> None:
    assert "there is no /nowhere/python3" in _complaint(checkout, "/nowhere/python3")


def test_a_python_of_the_wrong_age_is_told_which_ones_will_do(checkout: Path) -> None:
    old = _python(checkout, 'case "$1" in -V) echo Python 3.9.2;; *) exit 1;; esac')

    complaint = _complaint(checkout, old)

    assert "3.11 to 3.13" in complaint
    assert "is Python 3.9.2" in complaint


def test_a_python_that_cannot_make_environments_is_told_what_it_lacks(checkout: Path) -> None:
    bare = _python(checkout, 'case "$2" in *ensurepip*) exit 1;; *) exit 0;; esac')

    assert "install its venv module" in _complaint(checkout, bare)


@pytest.mark.parametrize(
    ("target", "word"), [("archive", "LOG"), ("verify-table", "TABLE"), ("copy-back", "FROM")]
)
def test_a_target_that_lacks_a_word_says_which(checkout: Path, target: str, word: str) -> None:
    complaint = _make(checkout, "--dry-run", target).stderr

    assert f"make {target} {word}=" in complaint
    assert "***" not in _make(checkout, "--dry-run", target, f"{word}=x").stderr


def test_a_profile_that_is_none_is_refused_with_those_that_are(checkout: Path) -> None:
    shutil.copy(ROOT / "samconfig.toml", checkout)

    assert "one of: default small large" in _make(checkout, "-n", "deploy", "PROFILE=huge").stderr
    assert "***" not in _make(checkout, "-n", "deploy", "PROFILE=small").stderr


def _stubbed(checkout: Path, *failing: str) -> None:
    """Have every tool of `make check` installed: a program that prints its name and fails if it is
    one of these.
    """
    for path in (".venv/.bootstrap", ".venv/.dev", ".venv/tools/.sam"):
        (checkout / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout / path).touch()
    for tool in ("ruff", "mypy", "lint-imports", "python", "../tools/sam/bin/sam"):
        program = checkout / ".venv" / "bin" / tool
        program.parent.mkdir(parents=True, exist_ok=True)
        script = "\n".join(
            ["#!/bin/sh", f'echo "ran {program.name} $1"', f"exit {int(program.name in failing)}"]
        )
        program.write_text(f"{script}\n", encoding="utf-8")
        program.chmod(0o755)


_CHECKS = [
    "ruff format",
    "ruff check",
    "mypy",
    "lint-imports",
    "sam",
]


@pytest.mark.parametrize(
    ("failing", "named"),
    [
        (("ruff",), "format lint"),
        (("mypy",), "types"),
        (("lint-imports",), "imports"),
        (("sam",), "template"),
    ],
)
def test_a_check_that_fails_is_named_when_all_have_run(
    checkout: Path, failing: tuple[str, ...], named: str
) -> None:
    _stubbed(checkout, *failing)

    done = _make(checkout, "check")

    ran = [line.removeprefix("ran ") for line in done.stdout.splitlines() if line[:4] == "ran "]
    assert [
        line for line, check in zip(ran, _CHECKS, strict=True) if not line.startswith(check)
    ] == []
    assert done.returncode != 0
    assert f"make check: failed: {named}\n" in done.stderr


def test_a_request_that_changed_after_its_lock_is_noticed(checkout: Path) -> None:
    _stubbed(checkout)
    with (checkout / "requirements/layer.in").open("a", encoding="utf-8") as requests:
        requests.write("left-pad\n")

    said = _make(checkout, "check").stderr

    assert "requirements/ has changed: run make lock\n" in said
    assert "make check: failed: locks\n" in said


def test_checks_that_pass_say_nothing_of_failing(checkout: Path) -> None:
    _stubbed(checkout)

    done = _make(checkout, "check")

    assert (done.returncode, done.stderr) == (0, "")


_ALL_TOOLS = {"dev", "ministack", "relay", "runtime", "sam", "ssb"}


@pytest.mark.parametrize(
    ("arguments", "tools"),
    [
        ((), _ALL_TOOLS),
        (("PYTEST_ARGS=-k clocks",), _ALL_TOOLS),
        (("PYTEST_ARGS=-n 2 tests",), _ALL_TOOLS),
        (("PYTEST_ARGS=tests/dialects",), {"dev"}),
        (("PYTEST_ARGS=-x tests/core/test_flag.py",), {"dev"}),
        (("PYTEST_ARGS=tests/bridge/test_gate.py",), {"dev", "ssb"}),
        (("PYTEST_ARGS=tests/core tests/contract",), {"dev", "ministack"}),
        (("PYTEST_ARGS=tests/runtime",), {"dev", "runtime", "sam"}),
        (("PYTEST_ARGS=tests/e2e/",), _ALL_TOOLS - {"runtime"}),
    ],
)
def test_tests_have_installed_what_they_stand_on_and_no_more(
    checkout: Path, arguments: tuple[str, ...], tools: set[str]
) -> None:
    shutil.copytree(ROOT / "bridge", checkout / "bridge", ignore=shutil.ignore_patterns("*.py[co]"))
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / ".bootstrap").touch()

    planned = _make(checkout, "--dry-run", "test", *arguments).stdout

    installed = {*re.findall(r"requirements/install\.py (\w+)", planned)}
    assert installed | ({"ssb"} if "bridge/install.py" in planned else set()) == tools


def test_expected_failures_are_counted_and_not_listed(tmp_path: Path) -> None:
    sample = tmp_path / "test_sample.py"
    sample.write_text(
        "import pytest\n\n@pytest.mark.xfail(strict=True)\ndef test_it():\n    assert not 'this'\n",
        encoding="utf-8",
    )
    settings = ROOT / "pyproject.toml"

    said = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", settings, "-p", "no:cacheprovider", sample],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    assert "1 xfailed in" in said.splitlines()[-1]
    assert "XFAIL" not in said


def test_nothing_says_where_packages_come_from() -> None:
    files = [*(ROOT / "requirements").iterdir(), ROOT / "Makefile", ROOT / "pyproject.toml"]
    for path in files:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert "index-url" not in text
            assert "://" not in text
