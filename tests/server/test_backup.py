"""`arbiter backup` beside a running server, and another server that goes on from the copy."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from clients.probes.matches import OPERA_GAME
from clients.probes.raw_socket import opened
from server.cli import main
from tests.server.running_server import RunningServer, running_server
from tests.server.test_ends import begun, new_keys, play, present, tag


async def backup(server: RunningServer, to: Path) -> None:
    """Back up by the command, as another process."""
    command = [sys.executable, "-m", "server", "backup", str(to), "--data", str(server.data)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(*command, env=environment)
    assert await process.wait() == 0


@pytest.mark.slow
async def test_a_game_goes_on_from_a_backup_that_was_made_while_moves_came(tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    with running_server(tmp_path / "first") as first:
        endpoints, keys = first.endpoints, new_keys()
        game_id = await begun(endpoints, keys)
        state = await play(endpoints, keys, game_id, 3)
        moving = asyncio.create_task(backup(first, copy))
        while not moving.done() and int(tag(state, "ply")) < len(OPERA_GAME) - 4:
            state = await play(endpoints, keys, game_id, 1)
        await moving
        state = await play(endpoints, keys, game_id, 1)
        restored = tmp_path / "second" / "data"
        restored.mkdir(parents=True)
        shutil.copy(copy, restored / "arbiter.sqlite3")
        shutil.copy(first.data / "server.key", restored)
        with running_server(tmp_path / "second") as second:
            async with opened(second.endpoints) as spectator:
                ply = int(tag(await present(spectator, game_id), "ply"))
            assert 3 <= ply < int(tag(state, "ply"))
            last = await play(second.endpoints, keys, game_id, len(OPERA_GAME) - ply)
            assert (tag(last, "result"), tag(last, "termination")) == ("1-0", "checkmate")
        assert first.stop() == 0


@pytest.mark.parametrize("to", ["copy", "data/arbiter.sqlite3"])
def test_where_there_is_no_file_nothing_is_backed_up_and_none_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], to: str
) -> None:
    assert main(["backup", str(tmp_path / to), "--data", str(tmp_path / "data")]) == 1

    assert "there is no" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []
