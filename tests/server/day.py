"""A server's parts in virtual time: players come, move, leave, and let their flags fall, and the
process is killed now and then.

A kill leaves what is on the disk: the next process opens a copy of the files as they are at some
moment, also within a transaction.
"""

import asyncio
import json
import random
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import chess

from arbiter.adapters.sqlite.store import Store
from arbiter.core.game import Game
from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from server.settings import read_settings
from server.wiring import Parts, make_parts
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock

TIMES = ("60+1", "300+3", "900+10", "1d", None)
LINKS = 5
"""At most so many jobs follow from each other: an old timer sets the present one, that one another
behind the events of the side to move, and the flag falls.
"""
KEY = SecretKey.generate(bytes([7]) * 32)


class Player:
    """One player with one socket, who remembers what they were told."""

    def __init__(self, number: int, clock: FakeClock) -> None:
        self.key = SecretKey.generate(number.to_bytes(32, "big"))
        self._clock = clock
        self._numbers = iter(range(10**9))
        self.states: dict[str, dict[str, Any]] = {}
        self.accepted: list[str] = []
        self.refusals: Counter[str] = Counter()
        self.frames: asyncio.Queue[dict[str, Any]]

    def connect(self, parts: Parts) -> "asyncio.Task[None]":
        """Open a socket there, and ask for what names this player from now on."""
        self.frames = asyncio.Queue()
        self.frames.put_nowait({"type": "websocket.connect"})
        scope = {"client": (f"127.0.0.{self.key.pubkey[:2]}", 1)}
        serving = asyncio.create_task(parts.gateway.serve(scope, self.frames.get, self._hear))
        self._say(["REQ", "s", {"kinds": [20301, 20302, 20304], "#p": [self.key.pubkey]}])
        return serving

    def ask(self, time: str | None) -> None:
        """Ask for a game by this time control."""
        self._send(20300, "", *([("time", time)] if time else []))

    def send(self, game_id: str, content: str) -> None:
        """Say this in a game, of the state that this player saw last."""
        state = self.states[game_id]
        seats = [tuple(tag) for tag in state["tags"] if tag[0] == "p"]
        self._send(20303, content, ("d", game_id), *seats, ("e", state["id"]))

    def look(self, game_id: str) -> None:
        """Ask for a game's state."""
        self._send(20303, "state", ("d", game_id))

    def turns(self) -> Iterable[tuple[str, chess.Board]]:
        """The games in which this player is to move, by what they saw."""
        for game_id, state in self.states.items():
            board = chess.Board(state["content"])
            seats = [tag[1] for tag in state["tags"] if tag[0] == "p"]
            is_over = any(tag[0] == "result" for tag in state["tags"])
            if not is_over and seats[board.turn == chess.BLACK] == self.key.pubkey:
                yield game_id, board

    async def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] != "websocket.send":
            return
        match json.loads(message["text"]):
            case ["OK", id_, True, *_]:
                self.accepted.append(id_)
            case ["OK", _, False, reason]:
                self.refusals[reason] += 1
            case ["EVENT", _, {"kind": 20302, "tags": tags} as state]:
                game_id = next(tag[1] for tag in tags if tag[0] == "d")
                if version_of(state) >= version_of(self.states.get(game_id)):
                    self.states[game_id] = state
            case ["EVENT", _, {"kind": 20304, "content": text}]:
                self.refusals[text.partition(":")[0]] += 1
            case _:
                pass

    def _send(self, kind: int, content: str, *tags: tuple[str, ...]) -> None:
        unique = (("p", KEY.pubkey), *tags, ("n", str(next(self._numbers))))
        event = self.key.sign(EventTemplate(kind, unique, content, self._clock.now_ms() // 1000))
        self._say(["EVENT", event_to_json(event)])

    def _say(self, message: list[Any]) -> None:
        self.frames.put_nowait({"type": "websocket.receive", "text": json.dumps(message)})


def version_of(state: dict[str, Any] | None) -> int:
    """The number of a state; 0 for none."""
    return int(next(tag[1] for tag in state["tags"] if tag[0] == "version")) if state else 0


class Day:
    """The players and the server, whose process is another after each kill."""

    def __init__(self, folder: Path, seed: int, players: int) -> None:
        self.chance = random.Random(seed)
        self.clock = FakeClock(NOW_MS)
        self.players = [Player(number + 1, self.clock) for number in range(players)]
        self.kills = 0
        self._folder = folder
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, database: Path) -> None:
        """Serve the games of this file, which the players come back to."""
        self.store = Store.open(database)
        settings = read_settings({}, UNLIMITED)
        self.parts = make_parts(settings, KEY, self.store, self.clock)
        self.parts.processing.take_unfinished()
        self._tasks = [
            asyncio.create_task(self.parts.transactions.serve()),
            asyncio.create_task(self.parts.timekeeper.serve()),
        ]
        self._tasks += [player.connect(self.parts) for player in self.players]
        await self.settle()

    async def stop(self) -> None:
        """End in order."""
        await self.settle()
        await self._end()
        self.parts.transactions.flush()
        self.store.close()

    async def kill(self) -> None:
        """Go on with the files as they are at this moment."""
        self.kills += 1
        after = self._folder / f"killed-{self.kills}"
        after.mkdir()
        database = self.store.path
        # Nothing is committed meanwhile; what this group holds is lost.
        with self.store.group():
            for name in (database.name, f"{database.name}-wal"):
                shutil.copy(database.with_name(name), after / name)
        told = [dict(player.states) for player in self.players]
        await self._end()
        self.store.close()
        for player, states in zip(self.players, told, strict=True):
            player.states = states
        await self.start(after / database.name)

    async def settle(self) -> None:
        """Look once what is due, and wait until all that follows from it, and from what was said,
        is done.
        """
        self.parts.timekeeper.look()
        while any(not player.frames.empty() for player in self.players):
            await _rounds(1)
        await _rounds(20)
        for _ in range(LINKS):
            await self.parts.transactions.wait_idle()
            await _rounds(20)

    async def step(self, seconds: float) -> None:
        """Let this time pass, in which some players do something."""
        self.clock.advance(seconds)
        for player in self.chance.sample(self.players, len(self.players) // 3):
            for game_id, board in [*player.turns()]:
                self._act(player, game_id, board)
            if self.chance.random() < 0.05:
                player.ask(self.chance.choice(TIMES))
        if self.chance.random() < 0.01:
            await _rounds(self.chance.randrange(30))
            await self.kill()
        await self.settle()

    def games(self) -> dict[str, Game]:
        """Every game that some player saw, as it is stored."""
        names = {game_id for player in self.players for game_id in player.states}
        stored = {name: self.parts.arbiter.games.load(name) for name in names}
        return {name: game for name, game in stored.items() if game}

    def _act(self, player: Player, game_id: str, board: chess.Board) -> None:
        draw = self.chance.random()
        if draw < 0.9:
            moves = sorted(move.uci() for move in board.legal_moves)
            player.send(game_id, self.chance.choice(moves))
        elif draw < 0.93:
            player.send(game_id, self.chance.choice(("draw", "takeback", "resign", "a1a9", "e1e8")))

    async def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _rounds(count: int) -> None:
    """Let every task go on so many times."""
    for _ in range(count):
        await asyncio.sleep(0)


UNLIMITED = {
    "ARBITER_GATEWAY_FRAMES_PER_TEN_SECONDS": "1000000",
    "ARBITER_GATEWAY_EVENTS_PER_TEN_SECONDS": "1000000",
    "ARBITER_GATEWAY_ADDRESS_FRAMES_PER_TEN_SECONDS": "1000000",
}
