"""What the peer stands on: exact versions, from nowhere in particular."""

import json
import re

from tests.template.source import ROOT

PEER = ROOT / "bridge" / "peer"
PACKAGE = json.loads((PEER / "package.json").read_text(encoding="utf-8"))
TEXT = (PEER / "package-lock.json").read_text(encoding="utf-8")
LOCK = json.loads(TEXT)
LOCKED = {path: it for path, it in LOCK["packages"].items() if path}


def test_what_we_ask_for_is_pinned_and_is_what_is_locked() -> None:
    assert LOCK["packages"][""]["dependencies"] == PACKAGE["dependencies"]
    for name, version in PACKAGE["dependencies"].items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), name
        assert LOCKED[f"node_modules/{name}"]["version"] == version


def test_no_package_has_a_place() -> None:
    assert len(LOCKED) > 100
    # The addresses that are left are those of projects, to be read by people.
    assert '"resolved"' not in TEXT


def test_only_named_packages_may_run_what_they_bring() -> None:
    would_run = {
        path.removeprefix("node_modules/")
        for path, it in LOCKED.items()
        if it.get("hasInstallScript")
    }
    allowed = {name for name, may in PACKAGE["allowScripts"].items() if may}

    assert allowed <= would_run
    # A hash for feeds of a format that we do not install.
    assert would_run - allowed == {"blake3"}
