"""Fifty games of a player on a server that is killed and started again: each is there as it was,
and each deadline holds.
"""

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.core.clocks import DAY_MS
from arbiter.core.pairing import MAX_SLOW_GAMES
from arbiter.nostr.keys import SecretKey
from clients.probes.independent_client import GAME_STATE, REQUEST_TO_PLAY
from clients.probes.raw_socket import Event, opened
from tests.application.world import World
from tests.builders import ALICE, SERVER, a_key
from tests.server.running_server import RunningServer
from tests.server.test_ends import tag

pytestmark = pytest.mark.slow

TIME_MS = 2 * DAY_MS
DUE = 8
"""The games of which the time ends soon after the first start, second by second."""
DUE_MS = 10_000
ANSWER, PATIENCE_SECONDS = 20301, 120


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """A server whose file has Alice's games; the last ones began two days ago."""
    server = RunningServer(tmp_path, "none", {})
    server.data.mkdir()
    (server.data / "server.key").write_text(SERVER.to_nsec())
    (server.data / "server.key").chmod(0o600)
    with Store.open(server.data / "arbiter.sqlite3") as store:
        _begin_games(store, round(time.time() * 1000))
        store.write(lambda _: None)  # what was to be written soon is written now
    server.start()
    yield server
    server.kill()


def _begin_games(store: Store, now_ms: int) -> None:
    world, table = World(), SqliteTable(store)
    world.deps = replace(
        world.deps,
        games=StoredGames(table),
        lobby=StoredLobby(table, world.clock),
        ratings=StoredRatings(table),
        timers=SqliteTimers(store),
    )
    for number in range(MAX_SLOW_GAMES):
        # Those in time for one day more begin so slowly that they are not too many requests.
        soon_ms = DUE_MS + number * 1_000 if number < DUE else DAY_MS + number * 5_000
        world.clock.ms = now_ms - TIME_MS + soon_ms
        table_of = world.start(ALICE, a_key(f"opponent {number}"), ("time", "2d"))
        for move in ("e2e4", "e7e5"):
            table_of.say(move)


async def _listed(server: RunningServer) -> dict[str, Event]:
    """Alice's games, as the answer to her question."""
    async with opened(server.endpoints, _keys(ALICE)) as alice:
        await alice.subscribe("mine", kinds=[ANSWER, GAME_STATE], tag_p=[alice.pubkey])
        asked = alice.signed(REQUEST_TO_PLAY, "state", ["p", server.pubkey])
        assert (await alice.publish(asked))[2]
        games = {}
        while (told := await alice.event("mine", ANSWER, GAME_STATE))["content"] != "end":
            if told["kind"] == GAME_STATE and ["e", asked["id"]] in told["tags"]:
                games[tag(told, "d")] = told
        assert tag(told, "end") == str(len(games))
        return games


def _keys(key: SecretKey) -> Any:
    return nostr_sdk.Keys.parse(key.to_nsec())


async def _moved(server: RunningServer, state: Event) -> Event:
    """The state after a move of White, whoever has it."""
    players = (ALICE, *(a_key(f"opponent {number}") for number in range(MAX_SLOW_GAMES)))
    white = next(key for key in players if key.pubkey == state["tags"][1][1])
    async with opened(server.endpoints, _keys(white)) as player:
        await player.subscribe("game", kinds=[GAME_STATE], tag_d=[tag(state, "d")])
        assert (await player.move(state, "g1f3"))[2]
        while tag(state, "ply") == "2":
            state = await player.event("game", GAME_STATE)
    return state


async def _ended(server: RunningServer, games: list[str]) -> dict[str, Event]:
    """The last state of each of these games."""
    over: dict[str, Event] = {}
    async with opened(server.endpoints) as spectator, asyncio.timeout(PATIENCE_SECONDS):
        shown = await spectator.subscribe("games", kinds=[GAME_STATE], tag_d=games)
        while len(over) < len(games):
            over |= {tag(one, "d"): one for one in shown if _is_over(one)}
            if len(over) < len(games):
                shown = [await spectator.event("games", GAME_STATE)]
    return over


def _is_over(state: Event) -> bool:
    return any(name == "result" for name, *_ in state["tags"])


def _falls_ms(due_ms: int, outages: list[tuple[int, int]]) -> int:
    """When the time ends that would end then: none of it passes while no server runs, nor while
    clients come back.
    """
    counted_to_ms = 0
    for from_ms, until_ms in outages:
        if from_ms < due_ms:
            due_ms += max(0, until_ms - max(from_ms, counted_to_ms))
            counted_to_ms = until_ms
    return due_ms


async def test_fifty_games_outlive_a_server_and_end_at_their_deadlines(
    server: RunningServer,
) -> None:
    first = await _listed(server)
    assert len(first) == MAX_SLOW_GAMES
    due = {game: int(tag(state, "deadline")) for game, state in first.items()}
    soon = sorted(due, key=lambda game: due[game])[:DUE]
    moved: dict[str, Event] = {}
    for game in sorted(due, key=lambda game: due[game])[-2:]:
        server.kill()
        server.start()
        moved[game] = await _moved(server, first[game])

    ends = await _ended(server, soon)
    outages = json.loads((server.data / "starts.json").read_text())
    for game, state in ends.items():
        assert tag(state, "termination") == "timeout"
        assert state["created_at"] * 1000 >= _falls_ms(due[game], outages) - 1000

    again = await _listed(server)
    assert again.keys() == first.keys() - ends.keys()
    for game, state in again.items():
        as_it_was = moved.get(game, first[game])
        for name in ("ply", "version", "deadline"):
            assert tag(state, name) == tag(as_it_was, name)
