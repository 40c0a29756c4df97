"""Strangers flood a game with words while a player thinks: who pays for it, as a table.

Every stranger signs words for the game (20303, ``state`` or another content) in advance, or each
word for a game of its own that there is not. While White thinks they send them all, to the relay or
to the gateway; White then moves, and Black, who reads the move on the relay, answers as soon as the
arbiter has decided it. `make run` in one terminal, this in another.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.flood --keys 0 40 400
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import secrets
import statistics
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from clients.probes.endpoints import Endpoints, read_endpoints

_OPENING = tuple(
    "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 d2d3 d7d6 c2c3 g8f6 b1d2 a7a6 h2h3 h7h6 a2a4 b7b6 g2g3 g7g6 "  # noqa: SIM905 - forty words are no list
    "b2b3 c8d7 d1c2 d8e7 c1b2 a6a5 c4b5 c6d8 d3d4 c7c6".split()
)
_REQUEST, _RESPONSE, _STATE, _MOVE = 20300, 20301, 20302, 20303
_SOCKETS = 8
_PATIENCE_SECONDS = 240.0
_REST_SECONDS = 4.0
"""Between two moves: until then the strangers' shares at the listener are full again."""

Event = dict[str, Any]


@dataclass
class _Player:
    """One player on one relay. ``came`` are the events they were told, with the time (seconds)."""

    key: SecretKey
    server: str
    socket: ClientConnection
    came: list[tuple[float, Event]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def hear(self) -> None:
        """Read the socket until it is closed."""
        async for frame in self.socket:
            message = json.loads(frame)
            if message[0] == "EVENT":
                self.came.append((time.monotonic(), message[2]))
                self.news.set()

    async def say(self, kind: int, content: str, *tags: tuple[str, ...]) -> str:
        """Sign an event for the arbiter and send it; its id."""
        template = EventTemplate(kind, (("p", self.server), *tags), content, int(time.time()))
        event = self.key.sign(template)
        await self.socket.send(json.dumps(["EVENT", event_to_json(event)]))
        return event.id

    async def until(self, is_it: Callable[[Event], bool]) -> tuple[float, Event]:
        """The first event of this kind, and when it came. TimeoutError if it does not come."""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while True:
                for at, event in self.came:
                    if is_it(event):
                        return at, event
                self.news.clear()
                await self.news.wait()


@dataclass(frozen=True, slots=True)
class _Measured:
    """One move of White's, in seconds: from its sending until it was public and until it was
    decided; and what Black used and was charged for the answer.
    """

    public: float
    decided: float
    used: float
    charged: float


@dataclass(frozen=True, slots=True)
class _Flood:
    """For each move ``events`` words of each of so many keys, sent to this URL. They name the game
    that is played, or each another that there is not.
    """

    url: str
    keys: int
    events: int
    content: str
    is_elsewhere: bool


@contextlib.asynccontextmanager
async def _player(endpoints: Endpoints) -> AsyncIterator[_Player]:
    """A new key, listening on the first relay."""
    async with connect(endpoints.relays[0], compression=None, ping_interval=None) as socket:
        player = _Player(SecretKey.generate(secrets.token_bytes(32)), endpoints.server, socket)
        wanted = {"kinds": [_RESPONSE, _STATE], "#p": [player.key.pubkey]}
        await socket.send(json.dumps(["REQ", "told", wanted]))
        hearing = asyncio.create_task(player.hear())
        try:
            yield player
        finally:
            hearing.cancel()


async def _ask(player: _Player) -> str:
    """Ask for a game of ten minutes, casual; the content of the answer."""
    await player.say(_REQUEST, "", ("time", "600+0"), ("t", secrets.token_hex(4)))
    _, answer = await player.until(lambda event: event["kind"] == _RESPONSE)
    return str(answer["content"])


def _ply_is(ply: int) -> Callable[[Event], bool]:
    return lambda event: event["kind"] == _STATE and _tag(event, "ply") == (str(ply),)


def _id_is(id_: str) -> Callable[[Event], bool]:
    return lambda event: bool(event["id"] == id_)


def _tag(event: Event, name: str) -> tuple[str, ...]:
    return tuple(next((tag[1:] for tag in event["tags"] if tag[0] == name), ()))


def _words(flood: _Flood, keys: Sequence[SecretKey], server: str, game_id: str) -> list[str]:
    """So many words of every key, in turns, no two alike."""
    now = int(time.time())
    frames = []
    for _ in range(flood.events):
        for key in keys:
            named = secrets.token_hex(16) if flood.is_elsewhere else game_id
            tags = (("p", server), ("d", named), ("t", secrets.token_hex(4)))
            event = key.sign(EventTemplate(_MOVE, tags, flood.content, now))
            frames.append(json.dumps(["EVENT", event_to_json(event)]))
    return frames


async def _pour(url: str, frames: Sequence[str], ended: asyncio.Event) -> int:
    """Send these frames; how many were taken."""
    taken = 0
    async with connect(url, compression=None, ping_interval=None, max_queue=None) as socket:

        async def swallow() -> None:
            nonlocal taken
            with contextlib.suppress(ConnectionClosed):
                async for frame in socket:
                    taken += json.loads(frame)[2:3] == [True]

        swallowing = asyncio.create_task(swallow())
        for frame in frames:
            if ended.is_set():
                break
            with contextlib.suppress(ConnectionClosed):
                await socket.send(frame)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REST_SECONDS):
                await ended.wait()
        swallowing.cancel()
    return taken


async def _game(
    endpoints: Endpoints, flood: _Flood, moves: int, think: float
) -> tuple[list[_Measured], int]:
    """Play so many moves of White's under the flood; what was measured, and how many of the
    strangers' words were taken in all.
    """
    strangers = [SecretKey.generate(secrets.token_bytes(32)) for _ in range(flood.keys)]
    async with _player(endpoints) as one, _player(endpoints) as other:
        await _ask(one)
        await other.say(_REQUEST, "", ("time", "600+0"), ("t", secrets.token_hex(4)))
        _, began = await one.until(_ply_is(0))
        game_id = _tag(began, "d")[0]
        players = [tag[1] for tag in began["tags"] if tag[0] == "p"]
        white, black = (one, other) if players[0] == one.key.pubkey else (other, one)
        named = ("d", game_id)
        await black.until(_ply_is(0))
        await black.socket.send(
            json.dumps(["REQ", "game", {"kinds": [_MOVE], "authors": [white.key.pubkey]}])
        )
        measured: list[_Measured] = []
        poured = 0
        for ply in range(0, 2 * moves, 2):
            await white.until(_ply_is(ply))
            frames = _words(flood, strangers, endpoints.server, game_id)
            ended = asyncio.Event()
            pouring = asyncio.gather(
                *(
                    _pour(flood.url, frames[at::_SOCKETS], ended)
                    for at in range(_SOCKETS if frames else 0)
                )
            )
            await asyncio.sleep(think)
            sent = time.monotonic()
            id_ = await white.say(_MOVE, _OPENING[ply], named)
            public, _ = await black.until(_id_is(id_))
            decided, state = await black.until(_ply_is(ply + 1))
            await black.say(_MOVE, _OPENING[ply + 1], named)
            answered = time.monotonic()
            ended.set()
            poured += sum(await pouring)
            _, after = await black.until(_ply_is(ply + 2))
            if ply:  # before both have moved no clock runs
                clocks = [int(_tag(it, "clock")[1]) for it in (state, after)]
                measured.append(
                    _Measured(
                        public - sent,
                        decided - sent,
                        answered - public,
                        (clocks[0] - clocks[1]) / 1000,
                    )
                )
            if strangers:
                await asyncio.sleep(_REST_SECONDS)
        await white.say(_MOVE, "resign", named)
        return measured, poured


def _p99(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(0.99 * len(values)) - 1]


def main() -> None:
    """Measure, and print a line for each number of keys."""
    parser = argparse.ArgumentParser(prog="python -m bench.flood")
    parser.add_argument("--keys", type=int, nargs="+", default=[0, 40, 400])
    parser.add_argument("--events", type=int, default=100, help="of each key, for each move")
    parser.add_argument("--moves", type=int, default=6, help="of White's, the first not counted")
    parser.add_argument("--think", type=float, default=2.0, help="seconds of White's for a move")
    parser.add_argument("--content", default="state", help="what the strangers say")
    parser.add_argument("--gateway", action="store_true", help="they say it at the gateway")
    parser.add_argument("--elsewhere", action="store_true", help="in games that there are not")
    options = parser.parse_args()
    endpoints = read_endpoints(Path(os.environ.get("RUN_DIR") or ".run") / "endpoints.json")
    print(
        "keys | words taken | public: median, p99 | decided: median, p99 "
        "| Black used: median, max | was charged: median, max"
    )
    url = endpoints.websocket if options.gateway else endpoints.relays[0]
    for keys in options.keys:
        flood = _Flood(url, keys, options.events, options.content, options.elsewhere)
        game = _game(endpoints, flood, options.moves, options.think)
        try:
            measured, poured = asyncio.run(game)
        except TimeoutError:
            print(f"{keys} | a move was not decided within {_PATIENCE_SECONDS:.0f} s", flush=True)
            continue
        public, decided = [it.public for it in measured], [it.decided for it in measured]
        used, charged = [it.used for it in measured], [it.charged for it in measured]
        median = statistics.median
        print(
            f"{keys} | {poured} | {median(public):.2f} s, {_p99(public):.2f} s "
            f"| {median(decided):.2f} s, {_p99(decided):.2f} s "
            f"| {median(used):.2f} s, {max(used):.2f} s "
            f"| {median(charged):.2f} s, {max(charged):.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
