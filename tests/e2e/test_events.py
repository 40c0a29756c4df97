"""A small Swiss on a whole arbiter, to its last standings: in the cloud by timers, clock queue and
the pairing function.
"""

import asyncio

import pytest

from clients.probes.raw_socket import Event
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.event_by_sockets import check, create, play_one, shown

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_PLAYERS = ("anna", "ben", "cleo", "dan")
_ROUNDS, _STARTS_SECONDS, _PATIENCE_SECONDS = 2, 45, 400


async def _evening(arbiter: ArbiterRun) -> list[Event]:
    event_id = await create(arbiter, _ROUNDS, _STARTS_SECONDS)
    over = asyncio.Event()
    players = [asyncio.create_task(play_one(arbiter, name, event_id, over)) for name in _PLAYERS]
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while True:
                events = await shown(arbiter, event_id)
                if any(one["tags"].count(["status", "finished"]) for one in events):
                    return events
                await asyncio.sleep(1)
    finally:
        over.set()
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)


async def test_four_players_meet_in_two_rounds_and_have_their_standings(
    arbiter: ArbiterRun,
) -> None:
    check(await _evening(arbiter), _PLAYERS, _ROUNDS)
