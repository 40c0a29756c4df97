"""The Makefile keeps its word, and complains in one line."""

import os
import re
import shutil
import subprocess
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
    assert all(it.startswith("make ") for it in listed)


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


def test_nothing_says_where_packages_come_from() -> None:
    files = [*(ROOT / "requirements").iterdir(), ROOT / "Makefile", ROOT / "pyproject.toml"]
    for path in files:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert "index-url" not in text or path.name == "lock.py"
            assert "://" not in text or path.name == "lock.py"
