"""Players in a process of their own, each on a socket to one gateway or relay, that make random
legal moves without a pause. It is ready once all play, and prints what they saw as JSON.

    python -m bench.serve_players URL SERVER_HEX WIRE PLAYERS SECONDS NUMBER
"""

import asyncio
import contextlib
import json
import random
import secrets
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

import chess
from websockets.asyncio.client import ClientConnection, connect

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from bench.playing import Seen
from bench.serve_browsers import Browser

REQUEST, RESPONSE, STATE, MOVE, ERROR = range(20300, 20305)
SEARCH, SOCKET_MOVE, RESIGN = 5000, 5001, 5003

MAX_PLIES = 160
"""Then White resigns, and both ask for another game."""

_MAX_QUIET_PLIES = 90
_APART_SECONDS = 0.055
_PAIRED_SECONDS = 60.0


def connected(url: str, address: str) -> connect:
    """A socket from this address of the loopback network, on a machine that may be very busy."""
    return connect(
        url,
        compression=None,
        open_timeout=60,
        ping_interval=None,
        max_queue=None,
        local_addr=(address, 0),
    )


class Player(ABC):
    """One player on one socket."""

    def __init__(self, server: str, seen: Seen) -> None:
        self._key = SecretKey.generate(secrets.token_bytes(32))
        self._server = server
        self._seen = seen
        self._random = random.Random(self._key.pubkey)  # noqa: S311 - moves are no secret
        self._sent: dict[int, float] = {}
        self._board = chess.Board()
        self._has_resigned = False
        self._socket: ClientConnection
        self._numbers = iter(range(10**9))
        self.is_open = asyncio.Event()
        self.is_playing = asyncio.Event()

    async def play(self, url: str, address: str) -> None:
        """Play until cancelled, from this address of the loopback network."""
        async with connected(url, address) as self._socket:
            await self.begin()
            self.is_open.set()
            async for frame in self._socket:
                message = json.loads(frame)
                if message[0] in {"NOTICE", "CLOSED"}:
                    self._seen.trouble[str(message[-1])] += 1
                elif message[0] == "OK" and not message[2]:
                    self._seen.trouble[str(message[3])] += 1
                await self.hear(message)

    @abstractmethod
    async def begin(self) -> None: ...

    @abstractmethod
    async def hear(self, message: list[Any]) -> None: ...

    async def send(self, kind: int, content: str, *tags: tuple[str, ...]) -> None:
        unique = (*tags, ("n", str(next(self._numbers))))
        event = self._key.sign(EventTemplate(kind, unique, content, int(time.time())))
        await self._socket.send(json.dumps(["EVENT", event_to_json(event)]))

    def sending(self, ply: int) -> None:
        self._sent[ply] = time.perf_counter()

    def arrived(self, ply: int) -> None:
        self.is_playing.set()
        at = self._sent.pop(ply, None)
        if at is not None:
            self._seen.answer((time.perf_counter() - at) * 1000)

    def chosen(self) -> str:
        """A legal move, if possible one that does not end the game."""
        moves: list[chess.Move] = [*self._board.legal_moves]
        self._random.shuffle(moves)
        for move in moves:
            self._board.push(move)
            ends = self._board.is_game_over() or self._board.halfmove_clock > _MAX_QUIET_PLIES
            self._board.pop()
            if not ends:
                return move.uci()
        return moves[0].uci()


class NativePlayer(Player):
    """Plays by 20303, subscribed to what names it."""

    async def begin(self) -> None:
        wanted = {"kinds": [RESPONSE, STATE, ERROR], "#p": [self._key.pubkey]}
        await self._socket.send(json.dumps(["REQ", "s", wanted]))
        await self.search()

    async def search(self) -> None:
        await self.send(REQUEST, "", ("p", self._server))

    async def hear(self, message: list[Any]) -> None:
        match message:
            case [
                "EVENT",
                _,
                {"kind": 20302, "tags": list(tags), "content": str(fen), "id": str(id_)},
            ]:
                await self._heard_state(tags, fen, id_)
            case ["EVENT", _, {"kind": 20304, "content": text}]:
                self._seen.trouble[text] += 1
            case _:
                pass

    async def _heard_state(self, tags: list[list[str]], fen: str, id_: str) -> None:
        named = {tag[0]: tag[1] for tag in tags}
        players = [tuple(tag) for tag in tags if tag[0] == "p"]
        ply = int(named["ply"])
        self.arrived(ply)
        if "result" in named:
            await self.search()
        elif players[ply % 2][1] == self._key.pubkey and ply not in self._sent:
            self._board = chess.Board(fen)
            game = (("d", named["d"]), ("p", self._server), *players, ("e", id_))
            await self.on_turn(ply, game)

    async def on_turn(self, ply: int, game: Sequence[tuple[str, ...]]) -> None:
        uci = "resign" if ply >= MAX_PLIES else self.chosen()
        self.sending(ply + 1)
        await self.send(MOVE, uci, *game)


class PacedPlayer(NativePlayer):
    """Plays below the 20 events a second of one player in one game that a listener takes."""

    _may_move_at = 0.0

    async def on_turn(self, ply: int, game: Sequence[tuple[str, ...]]) -> None:
        await asyncio.sleep(max(0.0, self._may_move_at - time.perf_counter()))
        self._may_move_at = time.perf_counter() + _APART_SECONDS
        await super().on_turn(ply, game)


class PersonAtTheBoard(NativePlayer):
    """Thinks for two seconds."""

    async def on_turn(self, ply: int, game: Sequence[tuple[str, ...]]) -> None:
        await asyncio.sleep(2.0)
        await super().on_turn(ply, game)


class TimedPlayer(NativePlayer):
    """Thinks for a quarter of a second, uncharged; those of one ``number`` may meet."""

    def __init__(self, server: str, seen: Seen, number: int = 0) -> None:
        super().__init__(server, seen)
        self._base_seconds = 600 + number

    async def search(self) -> None:
        time_control = f"{self._base_seconds}+0"
        await self.send(REQUEST, "", ("p", self._server), ("time", time_control))

    async def _heard_state(self, tags: list[list[str]], fen: str, id_: str) -> None:
        players = [tag[1] for tag in tags if tag[0] == "p"]
        left = next(tag[1:] for tag in tags if tag[0] == "clock")
        charged_ms = 1000 * self._base_seconds - int(left[players.index(self._key.pubkey)])
        self._seen.charged_ms = max(self._seen.charged_ms, charged_ms)
        await super()._heard_state(tags, fen, id_)

    async def on_turn(self, ply: int, game: Sequence[tuple[str, ...]]) -> None:
        await asyncio.sleep(0.25)
        await super().on_turn(ply, game)


class Echo(Player):
    """Sends itself events over a relay, each when the one before is back: no arbiter is asked."""

    async def begin(self) -> None:
        wanted = {"kinds": [STATE], "authors": [self._key.pubkey]}
        await self._socket.send(json.dumps(["REQ", "s", wanted]))
        await self._next(0)

    async def hear(self, message: list[Any]) -> None:
        match message:
            case ["EVENT", _, {"content": number}]:
                self.arrived(int(number))
                await self._next(int(number) + 1)
            case _:
                pass

    async def _next(self, number: int) -> None:
        self.sending(number)
        await self.send(STATE, str(number), ("p", self._server))


class SocketPlayer(Player):
    """Plays by NIP-100."""

    async def begin(self) -> None:
        await self.send(SEARCH, "connect", ("p", self._server))

    async def hear(self, message: list[Any]) -> None:
        match message:
            case ["OK", _, True, "white" | "black" as color]:
                self._board = chess.Board()
                if color == "white":
                    await self._move()
            case ["OK", _, True, *_]:
                self.arrived(self._board.ply())
                if self._has_resigned:
                    self._has_resigned = False
                    await self.begin()
            case ["EVENT", 5002, {"content": uci}]:
                self._board.push_uci(uci)
                await self._move()
            case ["EVENT", 5000, {"content": content}] if content != "gameisfound":
                await self.begin()
            case _:
                pass

    async def _move(self) -> None:
        if self._board.ply() >= MAX_PLIES:
            self._has_resigned = True
            await self.send(RESIGN, "resign")
            return
        uci = self.chosen()
        self._board.push_uci(uci)
        self.sending(self._board.ply())
        await self.send(SOCKET_MOVE, uci)


_KINDS: dict[str, type[Player | Browser]] = {
    "native": NativePlayer,
    "relay": PacedPlayer,
    "board": PersonAtTheBoard,
    "timed": TimedPlayer,
    "nip100": SocketPlayer,
    "echo": Echo,
    "http": Browser,
}


async def _main(
    url: str, server: str, wire: str, players: int, seconds: float, number: int
) -> None:
    seen = Seen()
    kind = _KINDS[wire]
    made = partial(TimedPlayer, number=number) if kind is TimedPlayer else kind
    players_here = [made(server, seen) for _ in range(players)]
    playing = [
        asyncio.create_task(one.play(url, f"127.{number + 1}.{at // 250}.{at % 250 + 1}"))
        for at, one in enumerate(players_here)
    ]
    await asyncio.sleep(1.5)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PAIRED_SECONDS):
            for one in players_here:
                await one.is_playing.wait()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    seen.is_counting = True
    await asyncio.sleep(seconds)
    seen.is_counting = False
    for task in playing:
        if task.done():
            seen.trouble[f"lost: {task.exception() or 'closed'}"] += 1
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    told = {"took_ms": seen.took_ms, "trouble": seen.trouble, "charged_ms": seen.charged_ms}
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    there, who, which, count, duration, at = sys.argv[1:]
    asyncio.run(_main(there, who, which, int(count), float(duration), int(at)))
