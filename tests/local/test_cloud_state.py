"""The emulator's saved state survives a step that was cut short."""

from pathlib import Path

import pytest

from local.ministack import CloudState


@pytest.fixture
def state(tmp_path: Path) -> CloudState:
    return CloudState(tmp_path)


def _games(tmp_path: Path) -> Path:
    return tmp_path / "cloud" / "state" / "dynamodb.json"


@pytest.mark.parametrize("deployment", ["none", "the first", "cut short", "finished"])
def test_a_deployment_that_was_cut_short_is_undone_and_games_stay(
    state: CloudState, tmp_path: Path, deployment: str
) -> None:
    state.prepare()
    if deployment != "the first":
        _games(tmp_path).write_text("games", encoding="utf-8")
        state.prepare()
    if deployment != "none":
        state.begin_deployment()
        _games(tmp_path).write_text("changed", encoding="utf-8")
    if deployment == "finished":
        state.end_deployment()
    state.prepare()
    if deployment == "the first":
        assert not _games(tmp_path).exists()
    else:
        expected = "changed" if deployment == "finished" else "games"
        assert _games(tmp_path).read_text(encoding="utf-8") == expected


def test_only_the_owner_can_read_the_state(state: CloudState, tmp_path: Path) -> None:
    # The emulator keeps the secret key there, in plain text.
    state.prepare()
    assert (tmp_path / "cloud").stat().st_mode & 0o077 == 0
