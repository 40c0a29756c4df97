"""A client that reloads in mid-game: it subscribes from now on, asks, and is shown the game. Over
relays of three makes, each on its own, and over the arbiter's.
"""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE, RESPONSE
from clients.probes.raw_socket import Event, RawSocket, opened, seated
from tests.e2e.arbiter_run import ArbiterRun, free_port_base
from tests.e2e.foreign_relays import SECOND_RELAYS, bundled
from tests.e2e.within import run_within

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_LIMIT_SECONDS = 60
_GATEWAY = "gateway"
_BUNDLED = "nostr-relay"


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Endpoints]]:
    """One arbiter on all of these relays; where each of them is reached."""
    folder = tmp_path_factory.mktemp("reload")
    port = free_port_base()
    relays = {_BUNDLED: bundled(folder / "relay", port)}
    relays |= {name: make(port + 1 + at) for at, (name, make) in enumerate(SECOND_RELAYS.items())}
    with contextlib.ExitStack() as stopping:
        for relay in relays.values():
            stopping.callback(relay.stop)
            relay.start()
        run = ArbiterRun(folder, [relay.url for relay in relays.values()])
        stopping.callback(run.stop)
        run.start()
        found = {name: replace(run.endpoints, websocket=one.url) for name, one in relays.items()}
        yield {**found, _GATEWAY: run.endpoints}


@pytest.mark.parametrize("door", [_BUNDLED, *SECOND_RELAYS, _GATEWAY])
def test_who_reloads_soon_after_a_move_is_shown_the_game(
    doors: dict[str, Endpoints], door: str
) -> None:
    endpoints = doors[door]

    async def reload() -> None:
        async with seated(endpoints) as (white, black, first):
            await white.move(first, "e2e4")
            last = await _told(black, "1")
            async with opened(endpoints, white.keys) as again:
                await _until_after(last["created_at"])
                now = int(time.time())
                wanted = {"kinds": [RESPONSE, GAME_STATE], "#p": [again.pubkey], "since": now}
                shown = await again.request("mine", wanted)
                await again.ask_to_play()
                response = await again.event("mine", RESPONSE)
                state = await again.event("mine", GAME_STATE)
                assert response["content"].startswith(f"started:{last['tags'][0][1]}:")
                assert state["tags"] == last["tags"]
                # Only the arbiter's own relay shows what stands to whoever subscribes.
                assert [one["tags"] for one in shown] == [last["tags"]] * (door == _GATEWAY)
                for event in (response, state, *shown):
                    assert now <= event["created_at"] <= time.time()
                assert await _told(black, "1")
                await black.move(state, "e7e5")
                assert await _told(black, "2")

    run_within(_LIMIT_SECONDS, reload())


async def _told(player: RawSocket, ply: str) -> Event:
    """The next state that is told him, which is that of this ply."""
    state = await player.event("mine", GAME_STATE)
    assert ["ply", ply] in state["tags"]
    return state


async def _until_after(date: int) -> None:
    """Wait until that second is over: an event is dated in whole seconds, and within one of them a
    state that is told twice is one event.
    """
    await asyncio.sleep(max(0, date + 1 - time.time()))
