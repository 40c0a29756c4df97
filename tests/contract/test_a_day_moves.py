"""A day's worth of play in a server's file goes on in a table."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.games import DynamoDbGames, DynamoDbLobby
from arbiter.adapters.dynamodb.ratings import DynamoDbRatings
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.timers import QueueTimers
from server import moving, wiring
from server.moving_file import FileItems
from server.moving_table import TableItems
from tests.contract.conftest import make_table
from tests.server.day import Day
from tests.server.test_a_day import lost, unlike

TABLE = "moved"
STEPS, LATER_STEPS = 300, 150


@pytest.mark.slow
@pytest.mark.parametrize("name", ["simulated", "ministack"])
def test_a_days_games_go_on_in_a_table_and_nothing_is_lost(
    name: str,
    endpoint: Callable[[str], AwsClients],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clients = endpoint(name)
    make_table(clients, TABLE)
    queue = clients.sqs().create_queue(QueueName=f"clock-{TABLE}")["QueueUrl"]

    async def play() -> None:
        day = Day(tmp_path, seed=3, players=12)
        await day.start(tmp_path / "arbiter.sqlite3")
        for _ in range(STEPS):
            await day.step(day.chance.uniform(0, 60.0))
        games = day.games()
        await day.stop()

        timers = QueueTimers(clients.sqs, queue)
        table = TableItems(clients.dynamodb(), TABLE, timers, None, day.clock)
        with Store.open(day.store.path) as store:
            sent = moving.export_to(tmp_path / "export", FileItems(store))
        assert moving.import_from(tmp_path / "export", table, is_replacing=False) == sent.items

        # Sockets and what is received stay in the process; games, players and ratings do not.
        for kept, in_table in (
            ("SqliteGames", lambda *_: DynamoDbGames(clients.dynamodb, TABLE)),
            ("SqliteLobby", lambda _, clock: DynamoDbLobby(clients.dynamodb, TABLE, clock)),
            ("SqliteRatings", lambda _: DynamoDbRatings(clients.dynamodb, TABLE)),
        ):
            monkeypatch.setattr(wiring, kept, in_table)
        await day.start(tmp_path / "empty.sqlite3")
        assert day.games() == games
        live = {name: game for name, game in games.items() if not game.outcome}
        for _ in range(LATER_STEPS):
            await day.step(1.0)
        later = day.games()
        assert not lost(day, later)
        assert not unlike(day, later)
        assert any(later[name].ply > game.ply for name, game in live.items())
        assert later.keys() - games.keys()
        await day.stop()

    asyncio.run(play())
