"""Native games over our own gateway while no relay runs, by clients on other people's libraries."""

import asyncio
import datetime as dt
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import (
    GAME_STATE,
    PGN_NOTE,
    RESPONSE,
    IndependentClient,
    Position,
)
from clients.probes.matches import OPERA_GAME, check_note, check_start, check_states, seated
from tests.e2e.arbiter_run import ArbiterRun, running
from tests.e2e.interruptions import OPERA_MATE, play_on_through
from tests.e2e.nip100_client import CHECKMATE
from tests.e2e.nip100_matches import seated as seated_by_the_draft
from tests.e2e.node_client import installed_node_client, node_player, node_spectator
from tests.e2e.within import run_within

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_LIMIT_SECONDS = 120
_FETCH_TIMEOUT = dt.timedelta(seconds=10)


@pytest.fixture(scope="module")
def run_without_relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArbiterRun]:
    with running(tmp_path_factory.mktemp("alone"), ("none",)) as run:
        yield run


@pytest.fixture
def alone(run_without_relay: ArbiterRun) -> ArbiterRun:
    """The same, up and ready whatever the test before did to it."""
    run_without_relay.be_up()
    return run_without_relay


def test_no_relay_runs_and_the_gateway_is_named_as_the_only_one(alone: ArbiterRun) -> None:
    assert "relay" not in alone.parts()
    assert alone.endpoints.relays == (alone.endpoints.websocket,)


def test_the_gateway_says_what_it_is_by_http_at_the_same_address(alone: ArbiterRun) -> None:
    address = alone.endpoints.websocket.replace("ws://", "http://", 1)
    request = urllib.request.Request(address, headers={"Accept": "application/nostr+json"})  # noqa: S310 - our own loopback
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
        document = json.load(answer)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert {1, 11, 42} <= set(document["supported_nips"])
    assert document["limitation"]["max_message_length"] > 0
    assert nostr_sdk.RelayInformationDocument.from_json(json.dumps(document)).name()


def test_two_players_on_nostr_sdk_play_to_mate(alone: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(alone.endpoints, OPERA_GAME) as match:
            await match.play_to(len(OPERA_GAME))
            await match.until_heard(PGN_NOTE)
            check_start(match)
            check_states(match, OPERA_GAME)
            check_note(match, OPERA_GAME, "1-0", "checkmate")
            for player in match.players:
                assert player.errors == ()

    run_within(_LIMIT_SECONDS, play())


def test_two_players_on_nostr_tools_play_to_mate(alone: ArbiterRun) -> None:
    program = installed_node_client()

    async def play() -> None:
        async with (
            node_player(program, alone.endpoints, OPERA_GAME) as first,
            node_player(program, alone.endpoints, OPERA_GAME) as second,
        ):
            codes = await asyncio.gather(first.until_ended(), second.until_ended())
            assert set(codes) == {0}
            for player in (first, second):
                states = [heard for heard in player.heard if heard["kind"] == GAME_STATE]
                assert len(states) == len(OPERA_GAME) + 1
                assert "1-0" in player.heard[-1]["content"]

    run_within(_LIMIT_SECONDS, play())


def test_nostr_tools_plays_nostr_sdk_to_mate(alone: ArbiterRun) -> None:
    program = installed_node_client()

    async def play() -> None:
        endpoints = alone.endpoints
        python = IndependentClient(endpoints.relays, endpoints.server, OPERA_GAME)
        async with (
            node_player(program, endpoints, OPERA_GAME) as node,
            python.connected(),
        ):
            queued = await node.until_heard(RESPONSE)
            assert queued["content"] == "queued"
            await python.ask_to_play()
            await python.play_to(len(OPERA_GAME))
            await python.until_heard(PGN_NOTE)
            assert await node.until_ended() == 0
            assert python.game is not None
            assert python.game.opponent == queued["me"]
            notes = [heard["content"] for heard in node.heard if heard["kind"] == PGN_NOTE]
            assert notes == [note.content for note in python.notes]

    run_within(_LIMIT_SECONDS, play())


def test_a_spectator_who_comes_late_is_shown_the_present_position_first(alone: ArbiterRun) -> None:
    program = installed_node_client("watch.mjs")

    async def play() -> None:
        async with seated(alone.endpoints, OPERA_GAME) as match:
            await match.play_to(9)
            present = match.white.position
            assert present is not None
            async with node_spectator(program, alone.endpoints, match.game_id) as spectator:
                await spectator.until_heard("EOSE")
                stored = [heard for heard in spectator.heard if heard["kind"] == GAME_STATE]
                assert [state["content"] for state in stored] == [present.fen]
                await match.play_to(len(OPERA_GAME))
                assert await spectator.until_ended() == 0
            shown = {heard["content"] for heard in spectator.heard if heard["kind"] == GAME_STATE}
            seen = (position for position in _positions(match.white) if position.ply >= present.ply)
            assert shown == {position.fen for position in seen}

    run_within(_LIMIT_SECONDS, play())


def test_the_present_position_can_be_fetched_without_staying(alone: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(alone.endpoints, OPERA_GAME) as match:
            await match.play_to(5)
            present = match.white.position
            assert present is not None
            filter_ = nostr_sdk.Filter().kind(nostr_sdk.Kind(GAME_STATE)).identifier(match.game_id)
            events = await _fetched(alone.endpoints, filter_)
            assert [event.content() for event in events] == [present.fen]
            assert events[0].author().to_hex() == alone.endpoints.server
            position = match.white.position
            assert position is not None
            await match.white.send_move(position, "quit")
            await match.until_heard(PGN_NOTE)

    run_within(_LIMIT_SECONDS, play())


def test_a_spectator_sees_a_game_of_the_draft_as_a_native_one(alone: ArbiterRun) -> None:
    async def play() -> None:
        async with seated_by_the_draft(alone.endpoints) as table:
            await table.play(OPERA_GAME[:3])
            players = nostr_sdk.PublicKey.parse(table.white.pubkey)
            filter_ = nostr_sdk.Filter().kind(nostr_sdk.Kind(GAME_STATE)).pubkey(players)
            (event,) = await _fetched(alone.endpoints, filter_)
            assert event.content() == table.white.board.fen()
            await table.play(OPERA_GAME[3:])
            assert await table.until_over() == (CHECKMATE, CHECKMATE)

    run_within(_LIMIT_SECONDS, play())


def test_nostr_sdk_proves_its_key_by_itself_when_the_gateway_asks(alone: ArbiterRun) -> None:
    def publish(manner: str) -> str:
        program = Path(__file__).with_name("proving_client.py")
        where = (alone.endpoints.websocket, alone.endpoints.server)
        command = (sys.executable, str(program), *where, manner)
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.strip()

    assert publish("be-silent").startswith("auth-required: ")
    assert publish("prove") == "taken"


def test_a_game_goes_on_after_everything_was_stopped_and_started(alone: ArbiterRun) -> None:
    def stop_and_start() -> None:
        alone.stop()
        alone.start()

    assert play_on_through(alone, stop_and_start) == OPERA_MATE


def _positions(player: IndependentClient) -> list[Position]:
    assert player.game is not None
    return player.game.positions


async def _fetched(endpoints: Endpoints, filter_: Any) -> list[Any]:
    client = nostr_sdk.ClientBuilder().build()
    await client.add_relay(nostr_sdk.RelayUrl.parse(endpoints.websocket))
    await client.try_connect(_FETCH_TIMEOUT)
    try:
        return list(await client.fetch_events(nostr_sdk.ReqTarget.auto([filter_]), _FETCH_TIMEOUT))
    finally:
        await client.shutdown()
