"""Hot-seat games of `bench.serve_players`."""

import asyncio
import json
import random
import time
from urllib.parse import urlsplit

import chess

from bench.playing import Seen

MAX_PLIES = 160
_WARM_PLIES = 3


class Browser:
    """One browser with its game: random legal moves over one connection, if the server keeps it."""

    def __init__(self, server: str, seen: Seen) -> None:
        del server
        self._kept: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._seen = seen
        self.is_playing = asyncio.Event()

    async def play(self, url: str, address: str) -> None:
        """Play until cancelled; ``address`` seeds the moves."""
        chance = random.Random(address)  # noqa: S311 - moves are no secret
        while True:
            _, body = await self._ask(url, "POST", "/new-game")
            browser_id = json.loads(body)["game"]["browser_id"]
            board = chess.Board()
            while board.ply() < MAX_PLIES and not board.is_game_over():
                # The API has no promotions.
                known = [move for move in board.legal_moves if not move.promotion]
                if not known:
                    break
                move = chance.choice(known)
                uci = move.uci()
                began = time.perf_counter()
                path = f"/make-move/{uci[:2]}/{uci[2:]}"
                status, body = await self._ask(url, "GET", path, browser_id)
                self._seen.answer((time.perf_counter() - began) * 1000)
                if status != 200:  # noqa: PLR2004 - as HTTP has it
                    self._seen.trouble[f"{status} {body[:60]!r}"] += 1
                    break
                board.push(move)
                if board.ply() > _WARM_PLIES:
                    self.is_playing.set()

    async def _ask(
        self, url: str, method: str, path: str, browser_id: str = ""
    ) -> tuple[int, bytes]:
        """Status and body; over the connection before, if the server keeps it."""
        parts = urlsplit(url)
        reader, writer = self._kept or await asyncio.open_connection(parts.hostname, parts.port)
        named = f"browser_id: {browser_id}\r\n" if browser_id else ""
        length = "Content-Length: 0\r\n" if method == "POST" else ""
        writer.write(f"{method} {path} HTTP/1.1\r\nHost: bench\r\n{named}{length}\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        body = await reader.readexactly(size)
        self._kept = (reader, writer)
        if b"connection: close" in head:
            writer.close()
            self._kept = None
        return int(head.split(b" ")[1]), body
