"""Hot-seat games of `bench.serve`, in a process of their own: each browser makes random legal moves
over one connection, if the server keeps it, without a pause. Prints what they saw as JSON.

    python -m bench.serve_browsers URL - http BROWSERS SECONDS NUMBER
"""

import asyncio
import contextlib
import json
import random
import sys
import time
from collections import Counter
from urllib.parse import urlsplit

import chess

MAX_PLIES = 160
_WARM_PLIES = 3
_WARM_SECONDS = 60.0


class Browser:
    """One browser with its game."""

    def __init__(self, url: str, number: int) -> None:
        parts = urlsplit(url)
        self._at = (parts.hostname or "", parts.port or 80)
        self._kept: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._random = random.Random(number)  # noqa: S311 - moves are no secret
        self.took_ms: list[float] = []
        self.trouble: Counter[str] = Counter()
        self.is_counting = False
        self.is_warm = asyncio.Event()

    async def play(self) -> None:
        """Play until cancelled."""
        while True:
            _, body = await self._ask("POST", "/new-game")
            browser_id = json.loads(body)["game"]["browser_id"]
            board = chess.Board()
            while board.ply() < MAX_PLIES and not board.is_game_over():
                known = [move for move in board.legal_moves if _is_plain(board, move)]
                if not known:
                    break
                move = self._random.choice(known)
                names = [chess.square_name(at) for at in (move.from_square, move.to_square)]
                began = time.perf_counter()
                path = f"/make-move/{names[0]}/{names[1]}"
                status, body = await self._ask("GET", path, browser_id)
                if self.is_counting:
                    self.took_ms.append((time.perf_counter() - began) * 1000)
                if status != 200:  # noqa: PLR2004 - as HTTP has it
                    self.trouble[f"{status} {body[:60]!r}"] += 1
                    break
                board.push(move)
                if board.ply() > _WARM_PLIES:
                    self.is_warm.set()

    async def _ask(self, method: str, path: str, browser_id: str = "") -> tuple[int, bytes]:
        """Status and body; over the connection before, if the server keeps it."""
        reader, writer = self._kept or await asyncio.open_connection(*self._at)
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


def _is_plain(board: chess.Board, move: chess.Move) -> bool:
    """Whether the chessgame-backend makes this move too."""
    return not (
        move.promotion
        or move.to_square == chess.A8
        or board.is_castling(move)
        or board.is_en_passant(move)
    )


async def _main(url: str, browsers: int, seconds: float, number: int) -> None:
    playing = [Browser(url, 1000 * number + at) for at in range(browsers)]
    tasks = [asyncio.create_task(one.play()) for one in playing]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_WARM_SECONDS):
            for one in playing:
                await one.is_warm.wait()
    await asyncio.sleep(1)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for one in playing:
        one.is_counting = True
    await asyncio.sleep(seconds)
    for one in playing:
        one.is_counting = False
    trouble = sum((one.trouble for one in playing), Counter[str]())
    for task in tasks:
        if task.done():
            trouble[repr(task.exception())] += 1
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    took_ms = [ms for one in playing for ms in one.took_ms]
    print(json.dumps({"took_ms": took_ms, "trouble": trouble}), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])))
