"""Continuous integration: a retried test is named and fails the run; each Python has its job."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.template.source import ROOT, executable, tracked

_FAILS_IN_NAMES_A_TEST = """
echo "$*" >>made
case "$*" in
  *{target}*--last-failed) exit {again} ;;
  *{target}) mkdir -p .pytest_cache/v/cache
    echo '{{"tests/e2e/test_x.py::test_y": true}}' >.pytest_cache/v/cache/lastfailed
    exit 2 ;;
esac
"""
_USED = ("bash", "cat", "dirname", "env", "git", "mkdir", "nice", "sed", "sh", "uname")


def ci(folder: Path, make: str) -> tuple[int, str, list[str]]:
    """The exit code, what was written to stderr, and what was made."""
    programs = folder / "programs"
    executable(programs / "make", make)
    for name in _USED:
        (programs / name).symlink_to(str(shutil.which(name)))
    (programs / "python3").symlink_to(sys.executable)
    for path in (".venv/bin/python", "requirements/audit.sh"):
        executable(folder / path, "exit 0")
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")

    done = subprocess.run(
        [folder / ".ci/run"],
        env={"PATH": str(programs)},
        check=False,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr, (folder / "made").read_text(encoding="utf-8").splitlines()


def test_a_run_in_which_all_passes_retries_nothing_and_passes(tmp_path: Path) -> None:
    code, errors, made = ci(tmp_path, 'echo "$*" >>made')

    assert (code, errors) == (0, "")
    assert not [it for it in made if "--last-failed" in it]


@pytest.mark.parametrize("target", ["e2e", "browser"])
def test_a_test_that_passes_only_when_retried_is_named_at_the_end_and_fails_the_run(
    tmp_path: Path, target: str
) -> None:
    code, errors, made = ci(tmp_path, _FAILS_IN_NAMES_A_TEST.format(target=target, again=0))

    assert code == 1
    assert errors.splitlines()[-1] == "tests/e2e/test_x.py::test_y"
    assert any("BROWSER=firefox" in it for it in made), "the run went on to its end"


def test_a_test_that_fails_twice_ends_the_run(tmp_path: Path) -> None:
    code, _, made = ci(tmp_path, _FAILS_IN_NAMES_A_TEST.format(target="e2e", again=2))

    assert code == 2
    assert made[-1].endswith("E2E_ARGS=--last-failed")


def test_what_fails_without_naming_a_test_is_not_retried(tmp_path: Path) -> None:
    code, _, made = ci(tmp_path, 'echo "$*" >>made; case "$*" in *e2e) exit 2 ;; esac')

    assert code != 0
    assert made[-1].endswith("e2e")


def test_each_python_that_the_package_is_for_has_a_job() -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lowest, below = re.findall(r"3\.(\d+)", needed["requires-python"])
    workflow = (ROOT / ".github/workflows/pr.yml").read_text(encoding="utf-8")
    listed = re.findall(r'"3\.(\d+)"', workflow)

    assert [*map(int, listed)] == [*range(int(lowest), int(below))]


def test_actions_of_others_are_pinned_by_hash() -> None:
    workflows = [it for it in tracked() if it.parent == ROOT / ".github/workflows"]
    used = [
        action
        for it in workflows
        for action in re.findall(r"uses: (\S+)", it.read_text(encoding="utf-8"))
    ]

    assert used
    assert [it for it in used if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", it)] == []
