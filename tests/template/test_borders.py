"""What the inner packages may import, by name: import-linter can forbid names, not all others."""

import ast
from pathlib import Path

import pytest

from tests.template.source import ROOT

ARBITER = ROOT / "layers/arbiter/python/arbiter"

# Values and functions of values: nothing that reads a clock, draws a number or opens a file.
_VALUES = {
    "__future__",
    "base64",
    "binascii",
    "collections",
    "dataclasses",
    "datetime",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "hmac",
    "itertools",
    "json",
    "math",
    "re",
    "string",
    "struct",
    "types",
    "typing",
    "unicodedata",
}

_ALLOWED = {
    "core": _VALUES | {"chess", "heapq", "arbiter.core"},
    # cryptography: for NIP-44, which is loaded only where lines of chat are sealed.
    "nostr": _VALUES | {"base64", "binascii", "coincurve", "cryptography", "arbiter.nostr"},
    "dialects": _VALUES | {"chess", "arbiter.core", "arbiter.nostr", "arbiter.dialects"},
}


def _imported(path: Path) -> set[str]:
    """Top-level names, and two levels of our own."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            module = str(node.module)
            names |= (
                {f"{module}.{it.name}" for it in node.names} if module == "arbiter" else {module}
            )
    return {".".join(name.split(".")[: 2 if name.startswith("arbiter.") else 1]) for name in names}


@pytest.mark.parametrize("package", _ALLOWED)
def test_an_inner_package_imports_values_alone(package: str) -> None:
    files = sorted((ARBITER / package).rglob("*.py"))

    assert files
    for path in files:
        assert _imported(path) <= _ALLOWED[package], path.name


@pytest.mark.parametrize("package", _ALLOWED)
def test_an_inner_package_never_asks_what_time_it_is(package: str) -> None:
    # datetime is a value, but has doors to the clock.
    for path in sorted((ARBITER / package).rglob("*.py")):
        named = {
            node.attr
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute)
        }
        assert not {"now", "utcnow", "today"} & named, path.name


def test_no_function_imports_another() -> None:
    files = sorted((ROOT / "functions").glob("*/*.py"))

    assert [path.name for path in files] == ["app.py"] * len(files)
    for path in files:
        assert "functions" not in _imported(path)
        # The zip's root is the function's folder, so nothing of the repository is beside it.
        assert not {"local", "clients", "tests"} & _imported(path)


def test_the_shipped_code_never_imports_what_is_only_for_here() -> None:
    for path in sorted(ARBITER.rglob("*.py")):
        assert not {"functions", "local", "clients", "tests", "boto3"} & _imported(path), path
