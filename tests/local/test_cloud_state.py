"""The emulated cloud's saved state: never lost to a step that was cut short."""

import shutil
from pathlib import Path

import pytest

from local.ministack import CloudState
from local.processes import PartFailed

_PORT = 7101


@pytest.fixture
def state(tmp_path: Path) -> CloudState:
    return CloudState(tmp_path)


def _games(tmp_path: Path) -> Path:
    return tmp_path / "cloud" / "state" / "dynamodb.json"


def _prepared(state: CloudState, tmp_path: Path, games: str) -> None:
    """A state folder as a finished run leaves it."""
    state.prepare(_PORT, was_deployed=False)
    _games(tmp_path).write_text(games, encoding="utf-8")


def test_games_are_still_there_at_the_next_start(state: CloudState, tmp_path: Path) -> None:
    _prepared(state, tmp_path, "games")
    state.prepare(_PORT, was_deployed=True)
    assert _games(tmp_path).read_text(encoding="utf-8") == "games"


def test_a_deployment_that_was_cut_short_is_undone(state: CloudState, tmp_path: Path) -> None:
    _prepared(state, tmp_path, "games")
    state.prepare(_PORT, was_deployed=True)
    state.deployment_begins()
    _games(tmp_path).write_text("half a stack", encoding="utf-8")
    state.prepare(_PORT, was_deployed=True)
    assert _games(tmp_path).read_text(encoding="utf-8") == "games"


def test_a_deployment_that_ended_is_kept(state: CloudState, tmp_path: Path) -> None:
    _prepared(state, tmp_path, "games")
    state.prepare(_PORT, was_deployed=True)
    state.deployment_begins()
    _games(tmp_path).write_text("games, and a new stack", encoding="utf-8")
    state.deployment_ended()
    state.prepare(_PORT, was_deployed=True)
    assert _games(tmp_path).read_text(encoding="utf-8") == "games, and a new stack"


def test_what_a_first_deployment_left_half_done_is_thrown_away(
    state: CloudState, tmp_path: Path
) -> None:
    _prepared(state, tmp_path, "half a stack")
    state.deployment_begins()
    state.prepare(_PORT, was_deployed=False)
    assert not _games(tmp_path).exists()


def test_saved_queues_follow_to_another_port(state: CloudState, tmp_path: Path) -> None:
    _prepared(state, tmp_path, '"http://127.0.0.1:7101/0/moves.fifo" ws://127.0.0.1:71010')
    state.prepare(_PORT + 100, was_deployed=True)
    saved = _games(tmp_path).read_text(encoding="utf-8")
    assert saved == '"http://127.0.0.1:7201/0/moves.fifo" ws://127.0.0.1:71010'


def test_nobody_else_may_look_into_the_cloud(state: CloudState, tmp_path: Path) -> None:
    # The emulator keeps the secret key there, in plain text.
    state.prepare(_PORT, was_deployed=False)
    assert (tmp_path / "cloud").stat().st_mode & 0o077 == 0


def test_there_is_room_made_before_the_games_are_copied(
    state: CloudState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _prepared(state, tmp_path, "games")
    unpacked = tmp_path / "cloud" / "tmp" / "ministack-lambda-of-one-that-was-killed"
    unpacked.mkdir(parents=True)
    was_there = []
    monkeypatch.setattr(shutil, "copytree", lambda *_: was_there.append(unpacked.exists()))
    state.prepare(_PORT, was_deployed=True)
    assert was_there == [False]


def test_a_disk_without_room_is_one_line_for_a_person(
    state: CloudState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _prepared(state, tmp_path, "games")

    def fill_up(*_paths: object) -> None:
        raise shutil.Error([("a", "b", "[Errno 28] No space left on device")])

    monkeypatch.setattr(shutil, "copytree", fill_up)
    with pytest.raises(PartFailed, match="No space left"):
        state.prepare(_PORT, was_deployed=True)
    assert _games(tmp_path).read_text(encoding="utf-8") == "games"
