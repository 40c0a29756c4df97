"""What is installed is what was locked, by hash, and runs nothing while it is installed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.template.source import ROOT, tracked

_SCRIPTS_ALLOWED = {
    "leveldown",  # LevelDB; builds nothing where its own binary fits the machine
    "sodium-native",  # libsodium, likewise
}


def _code() -> list[Path]:
    return [
        path
        for path in tracked()
        if path.suffix in {".py", ".mk", ".sh", ".mjs", ".js"}
        or path.name in {"Makefile", "run", "docker"}
        if path != Path(__file__)
    ]


def _with(pattern: str) -> set[str]:
    """The files of code in which this is found."""
    return {
        str(path.relative_to(ROOT))
        for path in _code()
        if re.search(pattern, path.read_text(encoding="utf-8"))
    }


def test_whoever_installs_python_packages_demands_hashes() -> None:
    installing = _with(r"""\bpip["', ]+install\b""")

    assert installing == {
        "requirements/install.py",
        "layers/wheels.mk",
        ".ci/docker",
    }
    for name in installing:
        text = (ROOT / name).read_text(encoding="utf-8")
        calls = len(re.findall(r"""\bpip["'][, ]+["']install["']|\bpip install\b""", text))
        demands = text.count("--require-hashes") + text.count("*_locked(") - text.count("def _loc")
        assert demands >= calls >= 1, name


def test_whoever_installs_packages_of_node_takes_the_lock_and_runs_none_of_their_scripts() -> None:
    installing = _with(r"""\bnpm\b.*["' ](ci|install|i|add)\b""")

    assert installing == {"bridge/install.py", "tests/e2e/node_client.py"}
    for name in installing:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.search(r'"ci", "--ignore-scripts"', text), name
        assert not re.search(r'npm.*"(install|i|add)"', text), name


_NODE_LOCKS = tracked("package-lock.json")


@pytest.mark.parametrize("lock", _NODE_LOCKS, ids=lambda path: path.parent.name)
def test_a_lock_of_node_has_a_hash_for_every_package(lock: Path) -> None:
    written: dict[str, Any] = json.loads(lock.read_text(encoding="utf-8"))
    packages = {name: it for name, it in written["packages"].items() if name}

    assert packages
    for name, it in packages.items():
        assert it["integrity"].startswith("sha512-"), name


@pytest.mark.parametrize("lock", _NODE_LOCKS, ids=lambda path: path.parent.name)
def test_a_package_of_node_that_may_run_a_script_is_one_of_those_listed_here(lock: Path) -> None:
    package = json.loads((lock.parent / "package.json").read_text(encoding="utf-8"))

    allowed = {name for name, may in package.get("allowScripts", {}).items() if may}
    assert allowed <= _SCRIPTS_ALLOWED


def test_what_go_builds_is_pinned_by_hash() -> None:
    modules = tracked("go.mod")

    assert modules
    for path in modules:
        assert "h1:" in (path.parent / "go.sum").read_text(encoding="utf-8"), path
    assert not _with(r"\bgo (install|get)\b.*@")


def test_what_maven_fetches_is_of_one_version() -> None:
    poms = tracked("pom.xml")

    assert poms
    for path in poms:
        versions = re.findall(r"<version>([^<]+)</version>", path.read_text(encoding="utf-8"))
        assert versions
        assert not [it for it in versions if re.search(r"[\[\](),]|LATEST|RELEASE|SNAPSHOT", it)]
