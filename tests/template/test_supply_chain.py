"""Packages are installed as locked, by hash, and run nothing while they are installed."""

import json
import re
from pathlib import Path

import pytest

from tests.template.source import ROOT, tracked

_LOCKS = sorted((ROOT / "requirements").glob("*.in"))
_NODE_LOCKS = tracked("package-lock.json")
_SCRIPTS_ALLOWED = {
    "leveldown",  # LevelDB; builds nothing where its own binary fits the machine
    "sodium-native",  # libsodium, likewise
}


def _with(pattern: str) -> set[str]:
    """The files of code in which this is found."""
    return {
        str(path.relative_to(ROOT))
        for path in tracked()
        if path.suffix in {".py", ".mk", ".sh", ".mjs", ".js"}
        or path.name in {"Makefile", "run", "docker", "newer"}
        if path != Path(__file__)
        if re.search(pattern, path.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("source", _LOCKS, ids=lambda path: path.stem)
def test_every_requirement_has_a_hash_and_no_lock_names_a_registry(source: Path) -> None:
    lock = source.with_suffix(".txt").read_text(encoding="utf-8")
    whole = [line for line in lock.replace("\\\n", " ").splitlines() if line[:1] not in {" ", "#"}]

    assert whole
    assert [line for line in whole if "--hash=sha256:" not in line] == []
    assert "://" not in lock + source.read_text(encoding="utf-8")


def test_what_is_tested_is_what_is_shipped() -> None:
    def pins(name: str) -> set[str]:
        lock = (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8")
        return {*re.findall(r"^[a-z0-9-]+==\S+", lock, flags=re.MULTILINE)}

    assert pins("layer") | pins("web") | pins("sealing") <= pins("dev")


def test_python_packages_are_installed_by_hash() -> None:
    # The build tells its reader what to type.
    installing = _with(r"""\bpip["', ]+install\b""") - {"requirements/build_backend.py"}

    assert installing == {
        "requirements/install.py",
        "requirements/interpreter.py",
        "layers/wheels.mk",
        ".ci/newer",
    }
    for name in installing:
        text = (ROOT / name).read_text(encoding="utf-8")
        calls = len(re.findall(r"""\bpip["'][, ]+["']install["']|\bpip install\b""", text))
        demands = text.count("--require-hashes") + text.count("*_locked(") - text.count("def _loc")
        assert demands >= calls >= 1, name


def test_node_packages_are_installed_from_the_lock_and_without_their_scripts() -> None:
    installing = _with(r"""\bnpm\b.*["' ](ci|install|i|add)\b""")

    assert installing == {"bridge/install.py", "tests/e2e/node_client.py"}
    for name in installing:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.search(r'"ci", "--ignore-scripts"', text), name
        assert not re.search(r'npm.*"(install|i|add)"', text), name


@pytest.mark.parametrize("lock", _NODE_LOCKS, ids=lambda path: path.parent.name)
def test_a_node_lock_has_a_hash_for_every_package_and_allows_listed_scripts(lock: Path) -> None:
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    own = json.loads((lock.parent / "package.json").read_text(encoding="utf-8"))

    assert len(packages) > 1
    for name, it in packages.items():
        assert not name or it["integrity"].startswith("sha512-"), name
    allowed = {name for name, may in own.get("allowScripts", {}).items() if may}
    assert allowed <= _SCRIPTS_ALLOWED
    if lock.parent.name == "peer":
        for name, version in own["dependencies"].items():
            assert re.fullmatch(r"\d+\.\d+\.\d+", version), name
            assert packages[f"node_modules/{name}"]["version"] == version
        assert not [name for name, it in packages.items() if "resolved" in it]


def test_go_modules_have_hashes_and_maven_versions_are_exact() -> None:
    modules, poms = tracked("go.mod"), tracked("pom.xml")

    assert modules
    for path in modules:
        assert "h1:" in (path.parent / "go.sum").read_text(encoding="utf-8"), path
    assert not _with(r"\bgo (install|get)\b.*@")
    for path in poms:
        versions = re.findall(r"<version>([^<]+)</version>", path.read_text(encoding="utf-8"))
        assert versions
        assert not [it for it in versions if re.search(r"[\[\](),]|LATEST|RELEASE|SNAPSHOT", it)]
