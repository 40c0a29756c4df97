"""The transcript of a game on a server that is killed in the middle of it and at its end."""

import asyncio
from pathlib import Path

import pytest

from clients.probes.matches import OPERA_GAME
from server.game_proof import verify_game
from tests.server.running_server import running_server
from tests.server.test_ends import begun, new_keys, play, tag

pytestmark = pytest.mark.slow


async def test_a_game_through_two_kills_is_proven_whole_from_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_server(tmp_path) as server:
        keys = new_keys()
        game_id = await begun(server.endpoints, keys, ["time", "60+0"])
        await play(server.endpoints, keys, game_id, 20)
        server.kill()
        server.start()
        state = await play(server.endpoints, keys, game_id, len(OPERA_GAME) - 20)
        server.kill()
        server.start()

        page = f"{server.endpoints.http}/g/{game_id}"
        assert await asyncio.to_thread(verify_game, page) == 0

    told, plies = capsys.readouterr().out.splitlines(), len(OPERA_GAME)
    assert told[1:5] == [
        "proven: the arbiter signed this history, and its result",
        f"proven: the players signed {plies + 2} of {plies + 2} lines, for this game",
        f"proven: {plies} half-moves are legal, in this order",
        f"proven: the result is {tag(state, 'result')}, by checkmate",
    ]
    assert not any(line.startswith(("missing", "wrong")) for line in told)
