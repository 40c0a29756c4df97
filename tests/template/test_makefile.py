"""The Makefile's targets exist, install what they need, and complain in one line."""

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


def test_few_targets_are_enough_and_each_is_told_in_one_line(checkout: Path) -> None:
    listed = _make(checkout, "help").stdout.splitlines()

    assert len(listed) <= 28, "a rare program is a module with --help (CONTRIBUTING.md)"
    assert all(len(line.split()) > 2 for line in listed)


def test_every_program_that_a_target_starts_exists() -> None:
    modules = re.findall(r"RUN_PYTHON\) -m ([\w.]+)", MAKEFILE)

    assert modules
    for module in modules:
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module


@pytest.mark.parametrize(
    ("wrong", "complaint", "right"),
    [(["relays"], "make relays RELAYS=", ["relays", "RELAYS=wss://x"])],
    ids=lambda it: it[-1] if isinstance(it, list) else None,
)
def test_a_missing_or_unknown_variable_is_named(
    checkout: Path, wrong: list[str], complaint: str, right: list[str]
) -> None:
    assert complaint in _make(checkout, "--dry-run", *wrong).stderr
    assert "***" not in _make(checkout, "--dry-run", *right).stderr
