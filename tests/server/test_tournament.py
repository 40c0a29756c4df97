"""A small Swiss tournament on a server: over sockets, paired in a process of its own, and killed
while it is paired and played.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.independent_client import GAME_STATE, MOVE
from clients.probes.raw_socket import Event, RawSocket, opened, signed
from tests.builders import a_key
from tests.server.running_server import RunningServer, running_server
from tests.server.test_ends import tag

pytestmark = pytest.mark.slow

ANSWER, COMMAND, TOURNAMENT, ROUND, STANDINGS = 20301, 20307, 30327, 30328, 30329
NAMES = ("anna", "ben", "cleo", "dan", "eva")
ROUNDS, PATIENCE_SECONDS = 3, 120


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    with running_server(tmp_path) as running:
        yield running


def keys_of(name: str) -> Any:
    return nostr_sdk.Keys.parse(a_key(name).to_nsec())


async def say(socket: RawSocket, server: RunningServer, event_id: str, word: str) -> None:
    about = ["a", f"{TOURNAMENT}:{server.pubkey}:{event_id}"]
    assert (await socket.publish(socket.signed(COMMAND, word, ["p", server.pubkey], about)))[2]


async def create(server: RunningServer) -> str:
    """The id of a tournament that starts at once."""
    async with opened(server.endpoints, keys_of("organiser")) as socket:
        await socket.subscribe("mine", kinds=[ANSWER], **{"#p": [socket.pubkey]})
        starts = str(int(time.time()) + 12)
        tags = (
            ["p", server.pubkey],
            ["title", "Evening"],
            ["format", "swiss"],
            ["rounds", str(ROUNDS)],
            ["time", "180+0"],
            ["interval", "1"],
            ["starts", starts],
        )
        assert (await socket.publish(socket.signed(COMMAND, "create", *tags)))[2]
        answer = await socket.event("mine", ANSWER)
        assert answer["content"] == "created"
        return tag(answer, "a").rsplit(":", 1)[1]


async def play_one(server: RunningServer, name: str, event_id: str, over: asyncio.Event) -> None:
    """Join, and resign each game after the first move of each; again at each new connection."""
    is_first = True
    while not over.is_set():
        try:
            async with opened(server.endpoints, keys_of(name)) as socket:
                wanted = {"kinds": [ANSWER, GAME_STATE], "#p": [socket.pubkey]}
                await socket.request("mine", wanted)
                if is_first:
                    await say(socket, server, event_id, "join")
                    is_first = False
                asked = ["p", server.pubkey]
                await socket.publish(socket.signed(20300, "state", asked))
                while not over.is_set():
                    event = await socket.event("mine", GAME_STATE)
                    await move(socket, server, event)
        except Exception:  # noqa: BLE001 - the server was killed
            await asyncio.sleep(0.3)


async def move(socket: RawSocket, server: RunningServer, state: Event) -> None:
    """e4 e5, and Black of an even game id resigns, else White."""
    (_, game), (_, white), (_, black) = state["tags"][:3]
    if any(name == "result" for name, *_ in state["tags"]):
        return
    ply = int(tag(state, "ply") or "0")
    loser = white if int(game[-1], 16) % 2 else black
    word = {0: (white, "e2e4"), 1: (black, "e7e5")}.get(ply, (loser, "resign"))
    if word[0] == socket.pubkey:
        tags = [["d", game], ["p", server.pubkey], ["p", white], ["p", black], ["e", state["id"]]]
        await socket.publish(signed(socket.keys, MOVE, word[1], tags))


async def shown(server: RunningServer, event_id: str) -> list[Event]:
    """The tournament, its rounds and its standings as the gateway has them."""
    async with opened(server.endpoints) as socket:
        address = f"{TOURNAMENT}:{server.pubkey}:{event_id}"
        return await socket.request(
            "shown",
            {"kinds": [TOURNAMENT], "#d": [event_id]},
            {"kinds": [ROUND, STANDINGS], "#a": [address]},
        )


async def evening(server: RunningServer) -> list[Event]:
    event_id = await create(server)
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

    rounds = [one for one in events if one["kind"] == ROUND]
    (standings,) = (one for one in events if one["kind"] == STANDINGS)
    boards = [tuple(t) for one in rounds for t in one["tags"] if t[0] == "b"]
    byes = [t for one in rounds for t in one["tags"] if t[0] == "bye"]
    assert (len(rounds), len(boards), len(byes)) == (ROUNDS, ROUNDS * 2, ROUNDS)
    assert {tag(one, "status") for one in rounds} == {"done"}
    assert {board[5] for board in boards} <= {"1-0", "0-1"}
    assert len({board[4] for board in boards}) == len(boards)
    points: Counter[str] = Counter(t[1] for t in byes)
    points.update(white if result == "1-0" else black for _, _, white, black, _, result in boards)
    told = {t[2]: float(t[3]) for t in standings["tags"] if t[0] == "s"}
    assert told == {a_key(name).pubkey: float(points[a_key(name).pubkey]) for name in NAMES}
    assert ["final"] in standings["tags"]
    assert not [line for line in server.log_lines if line.get("level") == "ERROR"]
