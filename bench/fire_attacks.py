"""The attacks of `bench.fire`, in a process of their own: each is a flood from a few addresses of
the loopback network, bounded in sockets and bytes, until it is killed.

    python -m bench.fire_attacks NAME TARGET_JSON
"""

import asyncio
import contextlib
import json
import logging
import random
import secrets
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import chess
from websockets.asyncio.client import ClientConnection, connect

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey

BYTES_A_SECOND = 2_000_000
"""Of one attack, over all its sockets."""

_FRAME = 16_000
_MANY = 500
_FEW = 8
_PAUSE_SECONDS = 0.05
_PING = b"\x89\x80\0\0\0\0"
"""An empty ping, masked by zeros (RFC 6455, 5.2)."""

WALLED = "8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/8 w - - 0 1"
"""With kings and bishops behind it, a wall where a search for a helpmate takes up to 200 ms. The
result for one position is kept.
"""


def walled() -> str:
    """One of some thousand positions behind that wall."""
    board = chess.Board(WALLED)
    places = random.sample(range(56, 64), 2) + random.sample(range(8), 2)
    for square, man in zip(places, "bkBK", strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(man))
    return board.fen()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The server under attack. ``games`` are ids of long games that are over, ``victim`` is a
    player (64 hex), and the attack comes from so many ``addresses``.
    """

    http: str
    websocket: str
    relay: str
    server: str
    games: Sequence[str]
    victim: str
    addresses: int


class Attack:
    """Sockets from the attacker's addresses, and what goes over them."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._numbers = count()

    def address(self) -> tuple[str, int]:
        """The next of the attacker's addresses, to connect from."""
        return f"127.9.0.{next(self._numbers) % self.target.addresses + 1}", 0

    @contextlib.asynccontextmanager
    async def socket(self, url: str = "") -> AsyncIterator[ClientConnection]:
        """A WebSocket to the gateway, or to this URL."""
        async with connect(
            url or self.target.websocket,
            compression=None,
            ping_interval=None,
            max_queue=None,
            max_size=None,
            open_timeout=30,
            close_timeout=1,
            local_addr=self.address(),
        ) as socket:
            yield socket

    @contextlib.asynccontextmanager
    async def stream(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A TCP connection to the HTTP port."""
        there = urlsplit(self.target.http)
        reader, writer = await asyncio.open_connection(
            there.hostname, there.port, local_addr=self.address()
        )
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    def signed(self, key: SecretKey, kind: int, content: str, *tags: tuple[str, ...]) -> str:
        """An EVENT frame to the server."""
        named = (("p", self.target.server), *tags)
        event = key.sign(EventTemplate(kind, named, content, int(time.time())))
        return json.dumps(["EVENT", event_to_json(event)])

    async def many(self, number: int, one: Callable[[], Awaitable[None]]) -> None:
        """Run this number at once, each begun anew when it ends or is cut off."""

        async def again() -> None:
            while True:
                with contextlib.suppress(Exception):
                    await one()
                await asyncio.sleep(_PAUSE_SECONDS)

        await asyncio.gather(*(again() for _ in range(number)))

    async def notes(self) -> None:
        """Ask for the notes of long games, again when they are there."""
        async with self.socket() as socket:
            for number in count():
                wanted = {"kinds": [64], "#d": list(self.target.games)}
                await socket.send(json.dumps(["REQ", f"n{number % 4}", wanted]))
                while json.loads(await socket.recv())[0] not in {"EOSE", "CLOSED", "NOTICE"}:
                    pass

    async def unread_notes(self) -> None:
        """Ask for them, and read nothing."""
        async with self.socket() as socket:
            socket.transport.pause_reading()
            for number in count():
                wanted = {"kinds": [64], "#d": list(self.target.games)}
                await socket.send(json.dumps(["REQ", f"n{number % 4}", wanted]))
                await asyncio.sleep(2)

    async def pings(self) -> None:
        """Ping, and read the pongs."""
        await self._ping(is_read=True)

    async def unread_pings(self) -> None:
        """Ping, and read nothing."""
        await self._ping(is_read=False)

    async def _ping(self, *, is_read: bool) -> None:
        async with self.socket() as socket:
            if not is_read:
                socket.transport.pause_reading()
            while True:
                socket.transport.write(_PING * (BYTES_A_SECOND // 20 // len(_PING) // 10))
                await socket.ping()
                await asyncio.sleep(0.1)

    async def endless_header(self) -> None:
        """Send a header that never ends."""
        async with self.stream() as (_, writer):
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
            while True:
                writer.write(b"x" * (BYTES_A_SECOND // 20))
                await writer.drain()
                await asyncio.sleep(0.05)

    async def unfinished(self) -> None:
        """Begin a request, and send no more."""
        async with self.stream() as (reader, writer):
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
            await reader.read()

    async def unfinished_body(self) -> None:
        """Announce a body, and send it byte by byte."""
        async with self.stream() as (_, writer):
            writer.write(b"POST /games HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n")
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(1)

    async def fragments(self) -> None:
        """Send a message whose last fragment never comes."""
        async with self.socket() as socket:
            first = b"\x01"
            while True:
                size = _FRAME.to_bytes(2)
                socket.transport.write(first + b"\xfe" + size + b"\0\0\0\0" + b"x" * _FRAME)
                first = b"\x00"
                await asyncio.sleep(1)

    async def flooded_relay(self) -> None:
        """Send junk to the relay that the arbiter listens to."""
        async with self.socket(self.target.relay) as socket:
            while True:
                await socket.send(json.dumps(["EVENT", {"content": "x" * _FRAME}]))
                await asyncio.sleep(_FRAME * _FEW / BYTES_A_SECOND)

    async def challenges(self) -> None:
        """Challenge one player by fresh keys: in kind 30, where the game begins, and natively."""
        async with self.socket() as socket:
            for number in count():
                key = SecretKey.generate(secrets.token_bytes(32))
                dialect = (("dialect", "jester"),) if number % 2 else ()
                named = (("challenge", self.target.victim), *dialect)
                await socket.send(self.signed(key, 20300, "", *named))
                await asyncio.sleep(0.02)

    async def flawed_starts(self) -> None:
        """Have refusals written that relays keep, by starts of kind 30 of fresh keys."""
        async with self.socket(self.target.relay) as socket:
            while True:
                key = SecretKey.generate(secrets.token_bytes(32))
                await socket.send(self.signed(key, 30, '{"version":"0","kind":0,"history":["e4"]}'))
                await asyncio.sleep(_PAUSE_SECONDS)

    async def filters(self) -> None:
        """Send requests of ten thousand filters."""
        async with self.socket() as socket:
            frame = f'["REQ","x",{",".join(["{}"] * 10_900)}]'
            while True:
                await socket.send(frame)
                await asyncio.sleep(len(frame) * _FEW / BYTES_A_SECOND)

    async def helpmates(self) -> None:
        """Lose games on purpose where it is hard to say whether the opponent could mate."""
        async with self.socket() as socket:
            one, other = (SecretKey.generate(secrets.token_bytes(32)) for _ in range(2))
            wanted = {"kinds": [20301, 20302, 20304], "#p": [one.pubkey]}
            await socket.send(json.dumps(["REQ", "s", wanted]))
            terms = (("challenge", other.pubkey), ("start", walled()), ("color", "white"))
            await socket.send(self.signed(one, 20300, "", *terms))
            async with asyncio.timeout(20):
                while True:
                    await self._lose(socket, one, other, json.loads(await socket.recv()))

    async def _lose(
        self, socket: ClientConnection, one: SecretKey, other: SecretKey, message: list[Any]
    ) -> None:
        match message:
            case ["EVENT", _, {"kind": 20301, "tags": list(tags), "content": "queued"}]:
                (challenge,) = (tag[1] for tag in tags if tag[0] == "challenge")
                await socket.send(self.signed(other, 20300, f"accept:{challenge}"))
            case ["EVENT", _, {"kind": 20302, "tags": list(tags)}]:
                names = {tag[0] for tag in tags}
                if "result" in names:
                    raise ConnectionError("lost")
                game = [tuple(tag) for tag in tags if tag[0] in {"d", "p"}]
                for word in ("a1a8", "a1a7", "a1a6"):
                    await socket.send(self.signed(one, 20303, word, *game))
            case _:
                pass

    async def pages(self) -> None:
        """Read long games as PGN and as pages."""
        for game in self.target.games:
            for path in (f"/games/{game}.pgn", f"/games/{game}"):
                await self.read(path)

    async def read(self, path: str) -> bytes:
        """The server's answer to a GET of this path."""
        async with self.stream() as (reader, writer):
            asked = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            writer.write(asked.encode())
            return await reader.read()

    async def lists(self) -> None:
        """Read pictures, transcripts, exports of a player's games, and lists."""
        for game in self.target.games:
            shown = json.loads((await self.read(f"/games/{game}")).partition(b"\r\n\r\n")[2])
            player = shown["white"]["pubkey"]
            of_game = (f"/games/{game}/board.png", f"/games/{game}/transcript", f"/g/{game}")
            of_player = (f"/players/{player}/games.pgn", f"/players/{player}/games")
            for path in (*of_game, *of_player, "/live", "/leaderboard/blitz", "/events"):
                await self.read(path)

    async def forgeries(self) -> None:
        """Send events whose signature is wrong."""
        async with self.socket() as socket:
            key = SecretKey.generate(secrets.token_bytes(32))
            frame = self.signed(key, 20300, "")
            forged = frame[: frame.rindex('"sig"')] + f'"sig": "{"ab" * 64}"}}]'
            while True:
                await socket.send(forged)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def copies(self) -> None:
        """Bring the moves of others again, on sockets that send too little to be counted."""
        sources = (self.target.websocket, self.target.relay)
        async with self.socket(sources[next(self._numbers) % 2]) as source:
            await source.send(json.dumps(["REQ", "m", {"kinds": [20303]}]))
            async for text in source:
                if (message := json.loads(text))[0] == "EVENT":
                    async with self.socket() as socket:
                        for _ in range(9):
                            await socket.send(json.dumps(["EVENT", message[2]]))
                        for _ in range(9):
                            await socket.recv()

    async def entries(self) -> None:
        """Make an event, and enter it by fresh keys."""
        async with self.socket() as socket:
            event = await self._made(socket)
            while True:
                await self._join(socket, event)
                await asyncio.sleep(0.02)

    async def _made(self, socket: ClientConnection) -> tuple[str, ...]:
        """The tag that names an event of a fresh key."""
        key = SecretKey.generate(secrets.token_bytes(32))
        await socket.send(json.dumps(["REQ", "e", {"kinds": [20301], "#p": [key.pubkey]}]))
        starts = ("starts", str(int(time.time()) + 3600))
        terms = (("title", "x"), ("format", "swiss"), ("rounds", "9"), ("time", "180+2"))
        await socket.send(self.signed(key, 20307, "create", *terms, starts))
        while (message := json.loads(await socket.recv()))[0] != "EVENT":
            pass
        (event,) = (tuple(tag) for tag in message[2]["tags"] if tag[0] == "a")
        return event

    async def _join(self, socket: ClientConnection, event: tuple[str, ...]) -> None:
        key = SecretKey.generate(secrets.token_bytes(32))
        await socket.send(self.signed(key, 20307, "join", event))

    async def event_pages(self) -> None:
        """Make an event, enter it by fresh keys, and read all that shows it, over and over."""
        async with self.socket() as socket:
            event = await self._made(socket)
            for _ in range(60):
                await self._join(socket, event)
                await asyncio.sleep(0.02)
            name = event[1].rpartition(":")[2]
            while True:
                for view in ("", "?view=poster", "?view=embed", "/trf", "/pgn"):
                    await self.read(f"/events/{name}{view}")
                wanted = ({"kinds": [30327, 30328, 30329], "#d": [name]}, {"#a": [event[1]]})
                await socket.send(json.dumps(["REQ", "p", *wanted]))

    async def moves_of_starts(self) -> None:
        """Begin games of kind 30 by fresh keys, and move in them: relays keep and bring all."""
        async with self.socket(self.target.relay) as socket:
            while True:
                key = SecretKey.generate(secrets.token_bytes(32))
                start = self.signed(key, 30, '{"version":"0","kind":0,"history":[]}')
                await socket.send(start)
                began = ("e", json.loads(start)[1]["id"])
                for number in range(9):
                    said = {"version": "0", "kind": 1, "move": "e4", "history": ["e4"], "n": number}
                    await socket.send(self.signed(key, 30, json.dumps(said), began, began))
                    await asyncio.sleep(_PAUSE_SECONDS)

    async def chatter(self, pause_seconds: float = 1) -> None:
        """Subscribe to a game by all that its chat may name, and talk there by fresh keys."""
        game, others = self.target.games[0], [f"{number:064x}" for number in range(1, 20)]
        filters = [{"#d": [game]}, *({"#p": [it]} for it in others)]
        async with self.socket() as socket:
            for number, wanted in enumerate(filters):
                await socket.send(json.dumps(["REQ", f"c{number}", wanted]))
            while True:
                key = SecretKey.generate(secrets.token_bytes(32))
                tags = (("d", game), *(("p", it) for it in others))
                await socket.send(self.signed(key, 20306, "x", *tags))
                await asyncio.sleep(pause_seconds)

    async def ten_lines(self) -> None:
        """Such talk at ten lines a second in all, which is cheap to send and dear to deliver."""
        await self.chatter(_SOCKETS[Attack.chatter] / 10)

    async def closes(self, pause_seconds: float = 0.04) -> None:
        """End subscriptions that there never were."""
        async with self.socket() as socket:
            while True:
                await socket.send('["CLOSE","s"]')
                await asyncio.sleep(pause_seconds)

    async def forty_closes(self) -> None:
        """Such frames at forty a second in all: as many as the small profile's stage takes."""
        await self.closes(_SOCKETS[Attack.closes] / 40)

    async def comings(self) -> None:
        """Open sockets, and lose them at once."""
        async with self.socket() as socket:
            socket.transport.abort()


_SOCKETS = {
    Attack.notes: _FEW,
    Attack.unread_notes: 100,
    Attack.pings: 20,
    Attack.unread_pings: 20,
    Attack.endless_header: 1,
    Attack.unfinished: _MANY,
    Attack.unfinished_body: _MANY,
    Attack.fragments: 100,
    Attack.flooded_relay: _FEW,
    Attack.challenges: 4,
    Attack.flawed_starts: 4,
    Attack.filters: _FEW,
    Attack.helpmates: _FEW,
    Attack.pages: 16,
    Attack.forgeries: 50,
    Attack.comings: 20,
    Attack.chatter: 110,
    Attack.ten_lines: 110,
    Attack.closes: 110,
    Attack.forty_closes: 110,
    Attack.copies: 100,
    Attack.entries: 4,
    Attack.event_pages: _FEW,
    Attack.lists: 16,
    Attack.moves_of_starts: 4,
}

ATTACKS = {attack.__name__: attack for attack in _SOCKETS}


async def _main(name: str, target: Target) -> None:
    attack, method = Attack(target), ATTACKS[name]
    await attack.many(_SOCKETS[method], lambda: method(attack))


if __name__ == "__main__":
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # a socket that is cut off is no news
    asyncio.run(_main(sys.argv[1], Target(**json.loads(sys.argv[2]))))
