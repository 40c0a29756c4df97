"""A small Swiss tournament over sockets: its organiser, and players who resign soon."""

import asyncio
import time
from collections import Counter
from typing import Any, Protocol

import nostr_sdk  # type: ignore[import-untyped]

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE, MOVE
from clients.probes.raw_socket import Event, RawSocket, opened, signed
from tests.builders import a_key
from tests.server.test_ends import tag

ANSWER, COMMAND, TOURNAMENT, ROUND, STANDINGS = 20301, 20307, 30327, 30328, 30329


class Run(Protocol):
    """An arbiter that runs, wherever."""

    @property
    def endpoints(self) -> Endpoints: ...


def keys_of(name: str) -> Any:
    return nostr_sdk.Keys.parse(a_key(name).to_nsec())


async def say(socket: RawSocket, run: Run, event_id: str, word: str) -> None:
    about = ["a", f"{TOURNAMENT}:{run.endpoints.server}:{event_id}"]
    assert (await socket.publish(socket.signed(COMMAND, word, ["p", run.endpoints.server], about)))[
        2
    ]


async def create(run: Run, rounds: int, in_seconds: int) -> str:
    """The id of a Swiss tournament that starts so soon."""
    async with opened(run.endpoints, keys_of("organiser")) as socket:
        await socket.subscribe("mine", kinds=[ANSWER], **{"#p": [socket.pubkey]})
        starts = str(int(time.time()) + in_seconds)
        tags = (
            ["p", run.endpoints.server],
            ["title", "Evening"],
            ["format", "swiss"],
            ["rounds", str(rounds)],
            ["time", "180+0"],
            ["interval", "1"],
            ["starts", starts],
        )
        assert (await socket.publish(socket.signed(COMMAND, "create", *tags)))[2]
        answer = await socket.event("mine", ANSWER)
        assert answer["content"] == "created"
        return tag(answer, "a").rsplit(":", 1)[1]


async def play_one(run: Run, name: str, event_id: str, over: asyncio.Event) -> None:
    """Join, and resign each game after the first move of each; again at each new connection."""
    is_first = True
    while not over.is_set():
        try:
            async with opened(run.endpoints, keys_of(name)) as socket:
                wanted = {"kinds": [ANSWER, GAME_STATE], "#p": [socket.pubkey]}
                await socket.request("mine", wanted)
                if is_first:
                    await say(socket, run, event_id, "join")
                    is_first = False
                asked = ["p", run.endpoints.server]
                await socket.publish(socket.signed(20300, "state", asked))
                while not over.is_set():
                    event = await socket.event("mine", GAME_STATE)
                    await move(socket, run, event)
        except Exception:  # noqa: BLE001 - the server was killed
            await asyncio.sleep(0.3)


async def move(socket: RawSocket, run: Run, state: Event) -> None:
    """e4 e5, and Black of an even game id resigns, else White."""
    (_, game), (_, white), (_, black) = state["tags"][:3]
    if any(name == "result" for name, *_ in state["tags"]):
        return
    ply = int(tag(state, "ply") or "0")
    loser = white if int(game[-1], 16) % 2 else black
    word = {0: (white, "e2e4"), 1: (black, "e7e5")}.get(ply, (loser, "resign"))
    if word[0] == socket.pubkey:
        tags = [
            ["d", game],
            ["p", run.endpoints.server],
            ["p", white],
            ["p", black],
            ["e", state["id"]],
        ]
        await socket.publish(signed(socket.keys, MOVE, word[1], tags))


async def shown(run: Run, event_id: str) -> list[Event]:
    """The tournament, its rounds and its standings as the gateway has them."""
    async with opened(run.endpoints) as socket:
        address = f"{TOURNAMENT}:{run.endpoints.server}:{event_id}"
        return await socket.request(
            "shown",
            {"kinds": [TOURNAMENT], "#d": [event_id]},
            {"kinds": [ROUND, STANDINGS], "#a": [address]},
        )


def check(events: list[Event], players: tuple[str, ...], rounds: int) -> None:
    """All rounds are played, no game is lost or counts twice, and the standings are their sum."""
    of_rounds = [one for one in events if one["kind"] == ROUND]
    (standings,) = (one for one in events if one["kind"] == STANDINGS)
    boards = [tuple(t) for one in of_rounds for t in one["tags"] if t[0] == "b"]
    byes = [t for one in of_rounds for t in one["tags"] if t[0] == "bye"]
    assert (len(of_rounds), len(boards), len(byes)) == (
        rounds,
        rounds * (len(players) // 2),
        rounds * (len(players) % 2),
    )
    assert {tag(one, "status") for one in of_rounds} == {"done"}
    assert {tag(one, "engine").split()[0] for one in of_rounds} == {"gacrux"}
    assert {board[5] for board in boards} <= {"1-0", "0-1"}
    assert len({board[4] for board in boards}) == len(boards)
    points: Counter[str] = Counter(t[1] for t in byes)
    points.update(white if result == "1-0" else black for _, _, white, black, _, result in boards)
    told = {t[2]: float(t[3]) for t in standings["tags"] if t[0] == "s"}
    assert told == {a_key(name).pubkey: float(points[a_key(name).pubkey]) for name in players}
    assert ["final"] in standings["tags"]
