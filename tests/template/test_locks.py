"""Every requirement is locked by hash, and the locks answer what was asked."""

import re
from pathlib import Path

import pytest

from requirements.lock import disagreements, first_line
from tests.template.source import ROOT

FOLDER = ROOT / "requirements"

_PIN = "chess==1.11.2 \\\n    --hash=sha256:" + "0" * 64 + "\n"


def _pins(name: str) -> dict[str, str]:
    lock = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, flags=re.MULTILINE))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A request and its lock, in agreement."""
    (tmp_path / "layer.in").write_text("chess\n", encoding="utf-8")
    _relock(tmp_path, _PIN)
    return tmp_path


def _relock(folder: Path, body: str) -> None:
    first = first_line(folder / "layer.in")
    (folder / "layer.txt").write_text(f"{first}\n{body}", encoding="utf-8")


def test_the_locks_of_this_repository_answer_their_requests() -> None:
    assert disagreements(FOLDER) == []


def test_a_lock_in_agreement_is_let_be(folder: Path) -> None:
    (folder / "layer.in").write_text("# why chess\n\nchess\n", encoding="utf-8")

    assert disagreements(folder) == []


def test_another_request_makes_a_lock_stale(folder: Path) -> None:
    (folder / "layer.in").write_text("chess\ncoincurve\n", encoding="utf-8")

    assert disagreements(folder) == ["layer.txt does not answer layer.in: run `make lock`."]


def test_another_request_in_an_included_file_makes_a_lock_stale(folder: Path) -> None:
    (folder / "dev.in").write_text("-r layer.in\n", encoding="utf-8")
    first = first_line(folder / "dev.in")
    (folder / "dev.txt").write_text(f"{first}\n{_PIN}", encoding="utf-8")
    (folder / "layer.in").write_text("chess>=1\n", encoding="utf-8")
    _relock(folder, _PIN)

    assert disagreements(folder) == ["dev.txt does not answer dev.in: run `make lock`."]


def test_a_missing_lock_is_noticed(folder: Path) -> None:
    (folder / "layer.txt").unlink()

    assert disagreements(folder) == ["layer.txt does not answer layer.in: run `make lock`."]


def test_a_requirement_without_a_hash_is_noticed(folder: Path) -> None:
    _relock(folder, "chess==1.11.2\n")

    assert disagreements(folder) == ["layer.txt has a requirement without a hash: run `make lock`."]


def test_one_requirement_without_a_hash_is_noticed_among_others_that_have_two(
    folder: Path,
) -> None:
    two = _PIN.rstrip() + " \\\n    --hash=sha256:" + "1" * 64 + "\n"
    _relock(folder, two + "coincurve==21.0.0\n")

    assert disagreements(folder) == ["layer.txt has a requirement without a hash: run `make lock`."]


def test_a_lock_that_says_from_where_is_noticed(folder: Path) -> None:
    _relock(folder, "--index-url https://packages.invalid/simple\n" + _PIN)

    assert disagreements(folder) == ["layer.txt names a host: a lock says what, never from where."]


def test_what_is_tested_is_what_is_shipped() -> None:
    tested = _pins("dev")

    for layer in ("layer", "web"):
        assert {name: tested[name] for name in _pins(layer)} == _pins(layer)
