"""One arbiter on relays of three makes and its own gateway.

Players are on one socket each, since libraries hide what a relay says.
"""

import asyncio
import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE, MOVE, RESPONSE
from clients.probes.matches import OPERA_GAME, play_out
from clients.probes.matches import seated as seated_on_relays
from clients.probes.raw_socket import Event, RawSocket, opened, seated, signed
from tests.e2e.arbiter_run import ArbiterRun, free_port_base
from tests.e2e.foreign_relays import SECOND_RELAYS, ForeignRelay, bundled

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_GATEWAY = "gateway"
_BUNDLED = "nostr-relay"
_EVERYWHERE = pytest.mark.parametrize("relay_name", [_GATEWAY, _BUNDLED, *sorted(SECOND_RELAYS)])


@dataclass(frozen=True, slots=True)
class Served:
    """An arbiter, and the relays that it listens and answers on, by their make."""

    arbiter: ArbiterRun
    relays: Mapping[str, ForeignRelay]

    def relay(self, make: str) -> ForeignRelay:
        """The relay of this make; skips where it cannot be built."""
        if make not in self.relays:
            pytest.skip(f"{make} cannot be built on this machine")
        return self.relays[make]

    def endpoints(self, relay_name: str) -> Endpoints:
        """The arbiter's endpoints, with this relay or the gateway for sockets."""
        if relay_name == _GATEWAY:
            return self.arbiter.endpoints
        return replace(self.arbiter.endpoints, websocket=self.relay(relay_name).url)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("relays")
    port = free_port_base()
    with contextlib.ExitStack() as running:
        relays = {_BUNDLED: bundled(folder / "relay", port)}
        for number, (make, build) in enumerate(sorted(SECOND_RELAYS.items()), 1):
            with contextlib.suppress(pytest.skip.Exception):
                relays[make] = build(port + number)
        for relay in relays.values():
            running.callback(relay.stop)
            relay.start()
        arbiter = ArbiterRun(folder, [relay.url for relay in relays.values()])
        running.callback(arbiter.stop)
        arbiter.start()
        yield Served(arbiter, relays)


def _a_move(player: RawSocket, state: Event, uci: str, minutes_old: int) -> Event:
    (_, game), (_, white), (_, black) = state["tags"][:3]
    named = [["d", game], ["p", state["pubkey"]], ["p", white], ["p", black], ["e", state["id"]]]
    return signed(player.keys, MOVE, uci, named, age_seconds=60 * minutes_old)


@_EVERYWHERE
async def test_a_move_from_a_slow_clock_is_played_and_a_copy_gets_its_own_ok(
    served: Served, relay_name: str
) -> None:
    async with seated(served.endpoints(relay_name)) as (white, black, start):
        move = _a_move(white, start, "e2e4", 10)
        assert (await white.publish(move))[2] is True
        assert len(await white.publish(move)) == 4
        state = await black.event("mine", GAME_STATE)
        assert (await black.publish(_a_move(black, state, "e7e5", 0)))[2] is True
        while ["moves", "e2e4", "e7e5"] not in state["tags"]:
            assert ["moves", "e2e4"] in state["tags"]
            state = await black.event("mine", GAME_STATE)


@_EVERYWHERE
async def test_a_player_who_reloads_soon_after_a_move_is_shown_the_game(
    served: Served, relay_name: str
) -> None:
    endpoints = served.endpoints(relay_name)
    async with seated(endpoints) as (white, black, first):
        await white.move(first, "e2e4")
        last = await _state_at(black, "1")
        async with opened(endpoints, white.keys) as again:
            # Events are dated in seconds: within one, a state that is sent twice is one event.
            await asyncio.sleep(max(0, last["created_at"] + 1 - time.time()))
            now = int(time.time())
            wanted = {"kinds": [RESPONSE, GAME_STATE], "#p": [again.pubkey], "since": now}
            shown = await again.request("mine", wanted)
            await again.ask_to_play()
            # In either order: khatru takes each event in a goroutine of its own.
            both = [await again.event("mine", RESPONSE, GAME_STATE) for _ in range(2)]
            response, state = sorted(both, key=lambda event: event["kind"] != RESPONSE)
            assert response["content"].startswith(f"started:{last['tags'][0][1]}:")
            assert state["tags"] == [*last["tags"], ["e", again.sent]]
            # Only the arbiter's own relay shows the present position to subscribers.
            assert [one["tags"] for one in shown] == [last["tags"]] * (relay_name == _GATEWAY)
            for event in (response, state, *shown):
                assert now <= event["created_at"] <= time.time()
            assert await _state_at(black, "1")
            await black.move(state, "e7e5")
            assert await _state_at(black, "2")


async def _state_at(player: RawSocket, ply: str) -> Event:
    """The player's next state, which is that of this ply."""
    state = await player.event("mine", GAME_STATE)
    assert ["ply", ply] in state["tags"]
    return state


@pytest.mark.parametrize("make", sorted(SECOND_RELAYS))
async def test_players_who_share_no_relay_play_each_other(served: Served, make: str) -> None:
    apart: Any = ((served.relay(_BUNDLED).url,), (served.relay(make).url,))
    async with seated_on_relays(
        served.arbiter.endpoints, OPERA_GAME, relays_of_each=apart
    ) as match:
        await play_out(match, OPERA_GAME, "1-0")


# Last: the relays are stopped, and the arbiter comes back to them a while later.
@pytest.mark.parametrize("make", sorted(SECOND_RELAYS))
async def test_a_game_outlives_the_absence_of_one_relay_and_then_of_the_other(
    served: Served, make: str
) -> None:
    first, second = served.relay(_BUNDLED), served.relay(make)
    both = (first.url, second.url)
    async with seated_on_relays(
        served.arbiter.endpoints, OPERA_GAME, relays_of_each=(both, both)
    ) as match:
        await match.play_to(8)
        await asyncio.to_thread(second.stop)
        await match.play_to(16)
        await asyncio.to_thread(second.start)
        await match.play_to(20)
        await asyncio.to_thread(first.stop)
        # From here on everything goes through the relay that was away.
        await match.play_to(28)
        await asyncio.to_thread(first.start)
        await play_out(match, OPERA_GAME, "1-0")
