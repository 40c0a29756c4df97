"""A small Swiss tournament on a server: over sockets, paired in a process of its own, and killed
while it is paired and played.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.probes.raw_socket import Event
from tests.server.event_by_sockets import ROUND, check, create, play_one, shown
from tests.server.running_server import RunningServer, running_server

pytestmark = pytest.mark.slow

NAMES = ("anna", "ben", "cleo", "dan", "eva")
ROUNDS, PATIENCE_SECONDS = 3, 120


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    with running_server(tmp_path) as running:
        yield running


async def evening(server: RunningServer) -> list[Event]:
    event_id = await create(server, ROUNDS, 12)
    over = asyncio.Event()
    players = [asyncio.create_task(play_one(server, name, event_id, over)) for name in NAMES]
    kills = 0
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                await asyncio.sleep(1)
                events = await shown(server, event_id)
                rounds = sum(one["kind"] == ROUND for one in events)
                if any(tuple(t) == ("status", "finished") for one in events for t in one["tags"]):
                    return events
                if rounds > kills:
                    # Within the second in which its games are made or played.
                    kills += 1
                    await asyncio.to_thread(server.kill)
                    await asyncio.to_thread(server.start)
    finally:
        over.set()
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)


def test_a_tournament_outlives_a_server_that_is_killed_in_each_round(server: RunningServer) -> None:
    events = asyncio.run(evening(server))

    check(events, NAMES, ROUNDS)
    assert not [line for line in server.log_lines if line.get("level") == "ERROR"]
