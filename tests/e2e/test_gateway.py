"""The gateway of an arbiter that has no relay: whole games, and what is left of sockets that are
gone.
"""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.independent_client import GAME_STATE
from clients.probes.matches import OPERA_GAME, play_out
from clients.probes.matches import seated as seated_by_nostr_sdk
from tests.e2e.arbiter_run import SERVE, ArbiterRun
from tests.e2e.games import nostr_tools_plays_nostr_sdk, play_on_through
from tests.e2e.node_client import installed_node_client, node_client

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]


def test_the_gateway_is_named_as_the_only_relay_and_describes_itself(alone: ArbiterRun) -> None:
    assert "relay" not in alone.parts()
    assert alone.endpoints.relays == (alone.endpoints.websocket,)
    address = alone.endpoints.websocket.replace("ws://", "http://", 1)
    request = urllib.request.Request(address, headers={"Accept": "application/nostr+json"})  # noqa: S310 - our own loopback
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
        document = json.load(answer)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert {1, 11, 42} <= set(document["supported_nips"])
    assert document["limitation"]["max_message_length"] > 0
    assert nostr_sdk.RelayInformationDocument.from_json(json.dumps(document)).name()


async def test_nostr_tools_plays_nostr_sdk(alone: ArbiterRun) -> None:
    await nostr_tools_plays_nostr_sdk(alone.endpoints)


async def test_a_spectator_is_shown_the_present_position_first(alone: ArbiterRun) -> None:
    program = installed_node_client("watch.mjs")
    async with seated_by_nostr_sdk(alone.endpoints, OPERA_GAME) as match:
        await match.play_to(9)
        present = match.white.position
        assert present is not None
        async with node_client(program, alone.endpoints, match.game_id) as spectator:
            await spectator.until_heard("EOSE")
            assert spectator.contents(GAME_STATE) == [present.fen]
            await play_out(match, OPERA_GAME, "1-0")
            assert await spectator.until_ended() == 0
        assert match.white.game is not None
        seen = (each for each in match.white.game.positions if each.ply >= present.ply)
        assert set(spectator.contents(GAME_STATE)) == {position.fen for position in seen}


# The cloud as a whole is killed and deployed again in test_games.py.
@pytest.mark.wiring(SERVE)
async def test_a_game_goes_on_after_everything_was_stopped_and_started(alone: ArbiterRun) -> None:
    def stop_and_start() -> None:
        alone.stop()
        alone.start()

    await play_on_through(alone, stop_and_start)


def test_nostr_sdk_proves_its_key_by_itself_when_the_gateway_asks(alone: ArbiterRun) -> None:
    def publish(manner: str) -> str:
        program = Path(__file__).with_name("authenticating_client.py")
        where = (alone.endpoints.websocket, alone.endpoints.server)
        command = (sys.executable, str(program), *where, manner)
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.strip()

    assert publish("be-silent").startswith("auth-required: ")
    assert publish("prove") == "taken"
