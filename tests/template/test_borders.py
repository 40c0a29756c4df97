"""Imports that the inner packages may have, by name: import-linter can forbid names, not all
others.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

from arbiter.dialects.registry import DIALECTS
from tests.template.source import ROOT

ARBITER = ROOT / "layers/arbiter/python/arbiter"

# Values and functions of values: nothing that reads a clock, draws a number or opens a file.
_VALUES = {
    *("__future__", "collections", "dataclasses", "enum", "functools", "itertools", "types"),
    *("base64", "binascii", "datetime", "fractions", "hashlib", "hmac", "json", "math", "operator"),
    *("re", "string", "struct", "typing", "unicodedata"),
}

_ALLOWED = {
    # importlib: for the table of openings, which lies beside its module.
    "core": _VALUES | {"chess", "heapq", "importlib", "arbiter.core"},
    # cryptography: for NIP-44, which is loaded only where lines of chat are sealed.
    "nostr": _VALUES | {"coincurve", "cryptography", "orjson", "arbiter.nostr"},
    "dialects": _VALUES | {"chess", "arbiter.core", "arbiter.nostr", "arbiter.dialects"},
}


@cache
def _imported(path: Path) -> set[str]:
    """Top-level names, and two levels of our own."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = str(node.module)
            names |= (
                {f"{module}.{it.name}" for it in node.names} if module == "arbiter" else {module}
            )
    return {".".join(name.split(".")[: 2 if name.startswith("arbiter.") else 1]) for name in names}


@pytest.mark.parametrize("package", _ALLOWED)
def test_an_inner_package_imports_values_and_reads_no_clock(package: str) -> None:
    files = sorted((ARBITER / package).rglob("*.py"))

    assert files
    for path in files:
        assert _imported(path) <= _ALLOWED[package], path.name
        # datetime is a value, but can read the clock.
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert not {"now", "utcnow", "today"} & attributes, path.name


def test_a_dialect_is_named_by_itself_and_in_what_is_stored_alone() -> None:
    files = (
        path
        for folder in (ARBITER / "application", ARBITER / "web", ROOT / "server")
        for path in folder.rglob("*.py")
    )
    # The log's word for a line of chat, and the group of its records.
    names = {*DIALECTS} - {"chat"}
    found = [
        (path.name, node.lineno, node.value)
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert found == []


def test_shipped_code_imports_no_function_and_no_program() -> None:
    # The zip's root is the function's folder, so no other code of the repository is beside it.
    # The house function has the bot in a layer of its own.
    programs = {"functions", "local", "clients", "tests", "bench", "deploy", "bridge", "events"}
    functions = sorted((ROOT / "functions").glob("*/*.py"))

    assert [path.name for path in functions] == ["app.py"] * len(functions)
    for path in functions:
        allowed = {"clients"} if path.parent.name == "house" else set()
        assert not (programs - allowed) & _imported(path), path
    for path in sorted(ARBITER.rglob("*.py")):
        assert not {*programs, "boto3"} & _imported(path), path
