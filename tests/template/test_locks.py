"""Every requirement is locked by hash, and what is tested is what is shipped."""

import re
from pathlib import Path

import pytest

from tests.template.source import ROOT

LOCKS = sorted((ROOT / "requirements").glob("*.in"))


def _pins(name: str) -> set[str]:
    lock = (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8")
    return {*re.findall(r"^[a-z0-9-]+==\S+", lock, flags=re.MULTILINE)}


@pytest.mark.parametrize("source", LOCKS, ids=lambda path: path.stem)
def test_every_requirement_has_a_hash_and_no_lock_says_from_where(source: Path) -> None:
    lock = source.with_suffix(".txt").read_text(encoding="utf-8")
    whole = [line for line in lock.replace("\\\n", " ").splitlines() if line[:1] not in {" ", "#"}]

    assert whole
    assert [line for line in whole if "--hash=sha256:" not in line] == []
    assert "://" not in lock


def test_what_is_tested_is_what_is_shipped() -> None:
    for layer in ("layer", "web", "sealing"):
        assert _pins(layer) <= _pins("dev")
