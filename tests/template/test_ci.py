"""Continuous integration: retried tests are named and counted; each Python has its job."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.template.source import ROOT, executable, tracked

_FAILS_AT_FIRST = """
echo "$*" >>made
case "$*" in
  *{target}*--last-failed) exit {again} ;;
  *{target}) mkdir -p .pytest_cache/v/cache
    echo '{failed}' >.pytest_cache/v/cache/lastfailed
    exit 2 ;;
esac
"""
_USED = ("bash", "cat", "dirname", "env", "git", "mkdir", "nice", "sed", "sh", "uname", "wc")


def ci(folder: Path, make: str) -> tuple[int, str, list[str]]:
    """The exit code, the output, and the targets made."""
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
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout, (folder / "made").read_text(encoding="utf-8").splitlines()


def test_a_run_in_which_all_passes_retries_nothing_and_passes(tmp_path: Path) -> None:
    code, output, made = ci(tmp_path, 'echo "$*" >>made')

    assert (code, "retried" in output) == (0, False)
    assert not [it for it in made if "--last-failed" in it]


@pytest.mark.parametrize("target", ["e2e", "browser"])
@pytest.mark.parametrize(("tests", "code"), [(1, 0), (2, 0), (3, 1)])
def test_tests_that_pass_only_when_retried_are_named_at_the_end_and_more_than_two_fail_the_run(
    tmp_path: Path, target: str, tests: int, code: int
) -> None:
    names = [f"tests/e2e/test_x.py::test_{number}" for number in range(tests)]
    make = _FAILS_AT_FIRST.format(target=target, again=0, failed=json.dumps(dict.fromkeys(names)))
    seen, output, made = ci(tmp_path, make)

    assert seen == code, output
    assert output.splitlines()[-tests:] == names
    assert any("BROWSER=firefox" in it for it in made), "the run goes on to its end"


def test_a_test_that_fails_twice_ends_the_run(tmp_path: Path) -> None:
    code, _, made = ci(
        tmp_path, _FAILS_AT_FIRST.format(target="e2e", again=2, failed='{"x": true}')
    )

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
