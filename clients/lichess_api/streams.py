"""Streams of lines, as lichess sends them: a chunk a line, and an empty line in silence.

Invariant: a stream's clean end says that nothing more will come; what ends for any other reason is
dropped. A program that sees the end of a game's stream leaves the game.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum, auto
from typing import Any

import orjson

from clients.lichess_api.asgi import Receive, Send

SILENCE_SECONDS = 5.0
"""Programs take a stream for dead after nine seconds and more."""

MAX_WAITING = 10_000
"""Lines that a program has not read; one that is that slow is dropped."""

_NDJSON = [(b"content-type", b"application/x-ndjson"), (b"cache-control", b"no-store")]


class End(Enum):
    """The end of a stream."""

    CLEAN = auto()
    DROPPED = auto()


class Stream:
    """Lines for one request; the first is awaited before anything is sent."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._end: End | None = None

    @property
    def is_open(self) -> bool:
        return self._end is None

    def put(self, line: Mapping[str, object] | None) -> None:
        """Send this; None is an empty line."""
        if self._end is None:
            self._lines.append(b"\n" if line is None else orjson.dumps(line) + b"\n")
            self._news.set()
            if len(self._lines) > MAX_WAITING:
                self.drop()

    def end(self) -> None:
        """End once all lines are sent."""
        self._end = self._end or End.CLEAN
        self._news.set()

    def drop(self) -> None:
        """Break off now."""
        self._lines.clear()
        self._end = End.DROPPED
        self._news.set()

    async def next(self) -> bytes | End:
        """The next line, or the end."""
        while not self._lines and self._end is None:
            self._news.clear()
            await self._news.wait()
        return self._lines.popleft() if self._lines else self._end or End.CLEAN


async def pump(stream: Stream, receive: Receive, send: Send, closed: Callable[[], None]) -> None:
    """Send the stream's lines until it ends, or the program goes; ``closed`` is told of either."""
    leaving = asyncio.create_task(_until_gone(receive, stream))
    try:
        await _send_all(stream, send)
    finally:
        leaving.cancel()
        stream.drop()
        closed()


async def _send_all(stream: Stream, send: Send) -> None:
    line = await stream.next()
    if line is End.DROPPED:
        return
    await send({"type": "http.response.start", "status": 200, "headers": _NDJSON})
    while isinstance(line, bytes):
        await send({"type": "http.response.body", "body": line, "more_body": True})
        waiting = asyncio.ensure_future(stream.next())
        while not (await asyncio.wait({waiting}, timeout=SILENCE_SECONDS))[0]:
            await send({"type": "http.response.body", "body": b"\n", "more_body": True})
        line = waiting.result()
    if line is End.CLEAN:
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    # Without its last chunk the server closes the connection, which is what a drop is.


async def _until_gone(receive: Receive, stream: Stream) -> None:
    message: dict[str, Any] = {}
    with suppress(OSError):
        while message.get("type") != "http.disconnect":
            message = await receive()
    stream.drop()
