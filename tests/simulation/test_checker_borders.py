"""The checker shares no code with what it checks."""

import ast
from pathlib import Path

import pytest

from tests.template.source import ROOT

HERE = ROOT / "tests/simulation"

FILES = sorted([*(HERE / "checker").glob("*.py"), HERE / "history.py"])

_OWN = ("tests.simulation.checker", "tests.simulation.history")


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module))
    return names


def test_there_is_a_checker() -> None:
    assert len(FILES) > 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_checker_imports_nothing_of_the_arbiters(path: Path) -> None:
    strangers = {
        name
        for name in _imported(path)
        if name.partition(".")[0] in {"arbiter", "functions", "local", "clients", "tests"}
        and not name.startswith(_OWN)
    }
    assert not strangers
