"""The file of PGNs: shared, forgotten with its release, and never a fault of anything else."""

from pathlib import Path

import pytest

from arbiter.adapters.sqlite import pgns
from arbiter.adapters.sqlite.pgns import SqlitePgns
from arbiter.core.pgn_cache import PgnCache


def test_two_processes_share_what_is_kept(tmp_path: Path) -> None:
    one, other = SqlitePgns(tmp_path / "pgn.sqlite3"), SqlitePgns(tmp_path / "pgn.sqlite3")
    one.keep("game", "1. e4 *")
    assert other.get("game") == "1. e4 *"
    other.keep("game", "again")
    assert one.get("game") == "1. e4 *"
    assert one.get("another") is None


def test_another_releases_texts_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SqlitePgns(tmp_path / "pgn.sqlite3").keep("game", "as it was written")
    monkeypatch.setattr(pgns, "VERSION", "next")
    later = SqlitePgns(tmp_path / "pgn.sqlite3")
    assert later.get("game") is None
    monkeypatch.undo()
    assert SqlitePgns(tmp_path / "pgn.sqlite3").get("game") is None, "it grows with each release"


def test_a_file_that_is_no_database_keeps_nothing_and_harms_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pgn.sqlite3"
    path.write_bytes(b"no database" * 1000)
    kept = SqlitePgns(path)
    kept.keep("game", "1. e4 *")
    assert kept.get("game") is None


def test_memory_keeps_what_was_asked_for_last() -> None:
    kept = PgnCache(most_chars=10)
    for name in ("a", "b"):
        kept.keep(name, "12345")
    assert kept.get("a") == "12345"
    kept.keep("c", "12345")
    assert [kept.get(name) for name in "abc"] == ["12345", None, "12345"]
    kept.keep("c", "1234567890")
    assert [kept.get(name) for name in "abc"] == [None, None, "1234567890"]
