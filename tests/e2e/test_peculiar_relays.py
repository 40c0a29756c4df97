"""An arbiter whose only relay does what NIP-01 does not have: a whole game, a reload, spectators.

Each event of the arbiter is to be sent once, for a relay that is silent or has it already too.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE, MOVE, PGN_NOTE, REQUEST_TO_PLAY
from clients.probes.matches import FOOLS_MATE, play_out
from clients.probes.matches import seated as seated_on_relays
from clients.probes.raw_socket import Event, RawSocket, opened
from tests.e2e.arbiter_run import ArbiterRun, free_port_base
from tests.e2e.foreign_relays import PECULIAR_RELAYS

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]


@pytest.fixture(scope="module", params=PECULIAR_RELAYS)
def arbiter_there(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ArbiterRun]:
    relay = PECULIAR_RELAYS[request.param](free_port_base())
    relay.start()
    arbiter = ArbiterRun(tmp_path_factory.mktemp("peculiar"), [relay.url])
    try:
        arbiter.start()
        yield arbiter
    finally:
        arbiter.stop()
        relay.stop()


@pytest.fixture
def there(arbiter_there: ArbiterRun) -> Endpoints:
    """The arbiter's endpoints, with its relay for sockets."""
    endpoints = arbiter_there.endpoints
    return replace(endpoints, websocket=endpoints.relays[0])


async def _say(
    player: RawSocket, endpoints: Endpoints, kind: int, content: str, *tags: list[str]
) -> None:
    """Send an event, and wait for no OK: it may never come."""
    await player.say("EVENT", player.signed(kind, content, ["p", endpoints.server], *tags))


async def _beginning_of_a_second() -> None:
    await asyncio.sleep(1 - time.time() % 1)


async def _heard_until_the_note(witness: RawSocket) -> list[Event]:
    heard: list[Event] = []
    while not heard or heard[-1]["kind"] != PGN_NOTE:
        heard.append((await witness.until("EVENT", "all"))[2])
    return heard


async def test_a_whole_game_is_played_and_nothing_is_sent_twice(
    arbiter_there: ArbiterRun, there: Endpoints
) -> None:
    async with opened(there) as witness:
        kinds = [GAME_STATE, PGN_NOTE]
        await witness.subscribe("all", authors=[there.server], kinds=kinds)
        hearing = asyncio.create_task(_heard_until_the_note(witness))
        async with seated_on_relays(there, FOOLS_MATE) as match:
            await play_out(match, FOOLS_MATE, "0-1")
        heard = await hearing
    tags = [{tag[0]: tag[1] for tag in event["tags"]} for event in heard[:-1]]
    assert Counter(state["ply"] for state in tags) == Counter("01234")
    log = (arbiter_there.run_dir / "logs" / "server.log").read_text(encoding="utf-8")
    for trouble in ("untaken", "unpublished", "published-again", "not-announced", "relay-unfit"):
        assert f'"{trouble}"' not in log, log


async def test_a_player_who_reloads_within_a_second_of_a_move_and_two_spectators_are_each_shown_it(
    there: Endpoints,
) -> None:
    async with opened(there) as one, opened(there) as other:
        for player in (one, other):
            await player.subscribe("mine", authors=[there.server], tag_p=[player.pubkey])
            await _say(player, there, REQUEST_TO_PLAY, "", ["time", "7200+11"])
        states = [await player.event("mine", GAME_STATE) for player in (one, other)]
        white, black = (one, other) if states[0]["tags"][1][1] == one.pubkey else (other, one)
        game = states[0]["tags"][0]
        await _beginning_of_a_second()
        await _say(white, there, MOVE, "e2e4", game, ["e", states[0]["id"]])
        moved = await black.event("mine", GAME_STATE)
        shown: list[Event] = []
        for keys in (black.keys, None, None):
            async with opened(there, keys) as again:
                wanted = {"#p": [again.pubkey]} if keys else {"#d": [game[1]]}
                await again.request("shown", {"kinds": [GAME_STATE], **wanted})
                await _say(again, there, MOVE, "state", game)
                shown.append(await again.event("shown", GAME_STATE))
        assert len({moved["id"], *(state["id"] for state in shown)}) == 4
        assert [["ply", "1"] in state["tags"] for state in shown] == [True] * 3
        await _say(black, there, MOVE, "e7e5", game, ["e", shown[0]["id"]])
        while ["ply", "2"] not in moved["tags"]:
            moved = await black.event("mine", GAME_STATE)
