"""Players and spectators of the load test, one socket each, playing the same short game to mate.

Invariant: nothing is requested twice, so that a lost delivery stays lost and is counted.
"""

import asyncio
import contextlib
import itertools
import json
import secrets
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey

# Légal's mate. No move occurs twice, since NIP-100 events have nothing else to differ by.
GAME = tuple("e2e4 e7e5 g1f3 d7d6 f1c4 c8g4 b1c3 g7g6 f3e5 g4d1 c4f7 e8e7 c3d5".split())  # noqa: SIM905
STATES = len(GAME) + 1

REQUEST, RESPONSE, STATE, MOVE, ERROR = range(20300, 20305)
SEARCH, SOCKET_MOVE = 5000, 5001

Event = dict[str, Any]


@dataclass
class Record:
    """What all sockets saw, by the one clock of this process (seconds).

    ``said`` and ``ok`` are when the move that makes a state was sent and accepted, by game and ply;
    ``arrived`` is a list of (game, ply, when); ``trouble`` counts unexpected messages of the
    server.
    """

    said: dict[tuple[str, int], float] = field(default_factory=dict)
    ok: dict[tuple[str, int], float] = field(default_factory=dict)
    arrived: list[tuple[str, int, float]] = field(default_factory=list)
    trouble: Counter[str] = field(default_factory=Counter)
    last_news: float = field(default_factory=time.perf_counter)

    def news(self) -> float:
        """Note that something came; when."""
        self.last_news = time.perf_counter()
        return self.last_news


class Socket(ABC):
    """One socket, and a task that reads it."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.is_lost = False
        self._socket: ClientConnection
        self._shown = asyncio.Event()

    @contextlib.asynccontextmanager
    async def opened(self, url: str) -> AsyncIterator[None]:
        """Be connected until the end of the block."""
        async with connect(
            url, compression=None, ping_interval=None, open_timeout=300, max_queue=None
        ) as self._socket:
            hearing = asyncio.create_task(self._hear())
            try:
                yield
            finally:
                hearing.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await hearing

    async def say(self, *message: object) -> None:
        """Send one message."""
        await self._socket.send(json.dumps(message))

    async def subscribe(self, **wanted: list[Any]) -> None:
        """Open the socket's one subscription, and wait for EOSE."""
        await self.say("REQ", "s", {name.replace("tag_", "#"): of for name, of in wanted.items()})
        await self._shown.wait()

    @abstractmethod
    async def heard(self, message: list[Any]) -> None:
        """Take what the server says."""

    async def _hear(self) -> None:
        async for frame in self._socket:
            message = json.loads(frame)
            if message[0] == "EOSE":
                self._shown.set()
            elif message[0] in {"NOTICE", "CLOSED"}:
                self.record.trouble[str(message[-1])] += 1
            else:
                await self.heard(message)
        self.is_lost = True


def tag(event: Event, name: str) -> str:
    """The value of the first tag of this name."""
    return str(next(tag[1] for tag in event["tags"] if tag[0] == name))


class Spectator(Socket):
    """Hears every state of one game; ``seen`` counts them by version."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.seen: Counter[int] = Counter()

    async def heard(self, message: list[Any]) -> None:
        """Count a state."""
        at, event = self.record.news(), message[2]
        self.seen[int(tag(event, "version"))] += 1
        self.record.arrived.append((tag(event, "d"), int(tag(event, "ply")), at))


class Player(Socket):
    """A player; ``seated`` is set when the game is known, ``over`` when it has ended."""

    def __init__(self, record: Record, server: str, go: asyncio.Event) -> None:
        super().__init__(record)
        self.game = ""
        self.seated = asyncio.Event()
        self.over = asyncio.Event()
        self._key = SecretKey.generate(secrets.token_bytes(32))
        self._server = server
        self._go = go
        self._dates = itertools.count(int(time.time()))
        self._moves: dict[str, tuple[str, int]] = {}
        self._playing: set[asyncio.Task[None]] = set()

    @property
    def pubkey(self) -> str:
        """The player's public key, 64 hex."""
        return self._key.pubkey

    @abstractmethod
    async def search(self) -> None:
        """Ask for a game."""

    @abstractmethod
    def missed(self) -> int:
        """How many expected messages did not arrive."""

    async def send(self, kind: int, content: str, *tags: tuple[str, ...]) -> str:
        """Send an event; its id."""
        template = EventTemplate(kind, tags, content, int(time.time()))
        event = self._key.sign(template)
        await self.say("EVENT", event_to_json(event))
        return event.id

    def play_soon(self, ply: int, *tags: tuple[str, ...], kind: int) -> None:
        """Send the move that makes this ply, as soon as the games have begun."""

        async def play() -> None:
            await self._go.wait()
            self.record.said[self.game, ply] = time.perf_counter()
            self._moves[await self.send(kind, GAME[ply - 1], *tags)] = (self.game, ply)

        task = asyncio.create_task(play())
        self._playing.add(task)
        task.add_done_callback(self._playing.discard)

    def heard_ok(self, message: list[Any]) -> None:
        """Note what became of an event."""
        at = self.record.news()
        if not message[2]:
            self.record.trouble[str(message[3])] += 1
        if message[1] in self._moves:
            self.record.ok[self._moves[message[1]]] = at


class NativePlayer(Player):
    """Plays by 20303, subscribed to its own events; ``seen`` counts states by version."""

    def __init__(self, record: Record, server: str, go: asyncio.Event) -> None:
        super().__init__(record, server, go)
        self.seen: Counter[int] = Counter()

    async def search(self) -> None:
        """Subscribe, and ask for a game."""
        await self.subscribe(kinds=[RESPONSE, STATE, ERROR], tag_p=[self.pubkey])
        await self.send(REQUEST, "", ("p", self._server))

    def missed(self) -> int:
        """The states that did not come."""
        return STATES - len(self.seen)

    async def heard(self, message: list[Any]) -> None:
        """Answer a state with the player to move."""
        match message:
            case ["OK", *_]:
                self.heard_ok(message)
            case ["EVENT", _, {"kind": 20302} as event]:
                self._heard_state(event)
            case ["EVENT", _, {"kind": 20304} as event]:
                self.record.trouble[event["content"]] += 1
            case _:
                pass

    def _heard_state(self, event: Event) -> None:
        at = self.record.news()
        version, ply = int(tag(event, "version")), int(tag(event, "ply"))
        self.game = tag(event, "d")
        self.seen[version] += 1
        self.record.arrived.append((self.game, ply, at))
        self.seated.set()
        if ply == len(GAME):
            self.over.set()
        elif self.seen[version] == 1 and event["tags"][1 + ply % 2][1] == self.pubkey:
            players = tuple(tuple(pair) for pair in event["tags"][1:3])
            self.play_soon(
                ply + 1,
                ("d", self.game),
                ("p", self._server),
                *players,
                ("e", event["id"]),
                kind=MOVE,
            )


class SocketPlayer(Player):
    """Plays by NIP-100; ``told`` counts the opponent's moves."""

    def __init__(self, record: Record, server: str, go: asyncio.Event) -> None:
        super().__init__(record, server, go)
        self.told: Counter[str] = Counter()
        self._is_white = False

    async def search(self) -> None:
        """Ask for a game."""
        await self.send(SEARCH, "connect", ("p", self._server))

    def missed(self) -> int:
        """The opponent's moves that did not come, and the end if that did not."""
        theirs = GAME[1::2] if self._is_white else GAME[::2]
        return len(set(theirs) - set(self.told)) + (not self.over.is_set())

    async def heard(self, message: list[Any]) -> None:
        """Answer a move."""
        match message:
            case ["OK", _, True, "white" | "black" as color]:
                self.record.news()
                self._is_white = color == "white"
                self.seated.set()
                if self._is_white:
                    self.play_soon(1, kind=SOCKET_MOVE)
            case ["OK", *_]:
                self.heard_ok(message)
            case ["EVENT", 5000, {"content": "gameisfound"} as event]:
                self.game = tag(event, "d")
            case ["EVENT", 5000, _]:
                self.record.news()
                self.over.set()
            case ["EVENT", 5002, {"content": uci}]:
                at, ply = self.record.news(), GAME.index(uci) + 1
                self.record.arrived.append((self.game, ply, at))
                self.told[uci] += 1
                if self.told[uci] == 1 and ply < len(GAME):
                    self.play_soon(ply + 1, kind=SOCKET_MOVE)
            case _:
                pass
