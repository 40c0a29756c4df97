"""A day's worth of play on the SQLite adapters, in virtual time, and the same games elsewhere."""

from pathlib import Path

import chess
import pytest

from arbiter.adapters.sqlite.store import Store
from arbiter.core.game import Game
from server import transfer
from server.transfer_file import FileItems
from tests.server.day import Day, version_of

DAY_SECONDS, STEPS = 24 * 60 * 60, 400
BUSY = 0.9
"""The share of steps that take seconds; the others take minutes, in which flags fall."""


def lost(day: Day, games: dict[str, Game]) -> list[str]:
    """The states that a player was told and that the file does not have."""
    return [
        f"{game_id} version {version_of(state)}"
        for player in day.players
        for game_id, state in player.states.items()
        if game_id not in games or games[game_id].state_version < version_of(state)
    ]


def unlike(day: Day, games: dict[str, Game]) -> list[str]:
    """The latest states that tell another position than the file's moves come to."""
    found = []
    for player in day.players:
        for game_id, state in player.states.items():
            game = games[game_id]
            board = chess.Board(game.start_fen)
            for move in game.moves:
                assert board.is_legal(move)
                board.push(move)
            if version_of(state) == game.state_version and state["content"] != board.fen():
                found.append(game_id)
    return found


@pytest.mark.slow
async def test_a_days_play_loses_nothing_to_kills_and_goes_on_in_another_file(
    tmp_path: Path,
) -> None:
    day = Day(tmp_path, seed=2, players=12)
    await day.start(tmp_path / "arbiter.sqlite3")
    for _ in range(STEPS):
        is_busy = day.chance.random() < BUSY
        rest = DAY_SECONDS / STEPS / (1 - BUSY)
        await day.step(day.chance.uniform(0, 4.0 if is_busy else 2 * rest))
        assert not lost(day, day.games())
    games = day.games()
    assert not unlike(day, games)
    ends = {str(game.outcome.termination) for game in games.values() if game.outcome}
    assert day.kills
    assert {"timeout", "resignation"} <= ends

    await day.stop()
    with Store.open(day.store.path) as store:
        sent = transfer.export_to(tmp_path / "export", FileItems(store))
    with Store.open(tmp_path / "other.sqlite3") as store:
        assert transfer.import_from(tmp_path / "export", FileItems(store), is_replacing=False)
        arrived = transfer.export_to(tmp_path / "again", FileItems(store))
    assert str(arrived) == str(sent)

    await day.start(tmp_path / "other.sqlite3")
    assert day.games() == games
    live = {name: game for name, game in games.items() if not game.outcome}
    for _ in range(50):
        await day.step(1.0)
    later = day.games()
    assert any(later[name].ply > game.ply for name, game in live.items())
    # A timer that fires for an older move sets the present one's, which sets one behind the
    # events of the side to move: all of them in one look.
    day.clock.advance(DAY_SECONDS + 60)
    await day.settle()
    assert not [game for game in day.games().values() if game.clocks and not game.outcome]
    await day.stop()
