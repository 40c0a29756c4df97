"""One loopback port in front of the two APIs: WebSockets go to the gateway, requests to the HTTP
API.

NIP-11 has a relay's document at the relay's own address, and API Gateway has WebSockets and HTTP at
two. In the cloud a CDN joins them; here this does, and hides the emulator's long paths.

Only the head of a request is parsed, and that is bounded; what follows is piped in both directions.
A connection is for one request, so bodies need no parsing. Frames of a WebSocket are parsed too,
since the emulator does not say why it closes one.
"""

import argparse
import asyncio
import contextlib
import resource
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

import uvloop

from local.options_request import ask_function
from local.ports import LOOPBACK
from local.websocket_frames import ClientFrames, read_frame

MAX_HEAD_BYTES = 32_768
HEAD_SECONDS = 10.0
LINGER_SECONDS = 2.0
"""How long a client that was sent a Close frame may take to read it. To close at once, with bytes
unread, would reset the connection and lose the frame.
"""
_CHUNK_BYTES = 65_536
_HEAD_ENDS = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where an API answers: a port of this machine, and the path that all of its paths begin with
    there.
    """

    port: int
    prefix: str


class MalformedFrame(Exception):
    """A client broke RFC 6455, and was sent a Close frame."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request goes nowhere, as a status line says it."""

    status: str

    def to_bytes(self) -> bytes:
        """The whole answer."""
        return f"HTTP/1.1 {self.status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()


_UNREACHABLE = Refusal("502 Bad Gateway")


def forwarded(
    head: bytes, address: str, websocket: Upstream, http: Upstream
) -> tuple[Upstream, bytes] | Refusal:
    """Where a request goes, and its head as it is to arrive there.

    ``head`` is the request line and the headers with the empty line; ``address`` is the client's.
    """
    first, *lines = head.removesuffix(_HEAD_ENDS).split(b"\r\n")
    match first.split(b" "):
        case [method, target, b"HTTP/1.1" | b"HTTP/1.0" as version]:
            path, _, query = _origin_form(target).partition(b"?")
        case _:
            return Refusal("400 Bad Request")
    if not path.startswith(b"/"):
        return Refusal("400 Bad Request")
    headers = _named(lines)
    if _is_upgrade(headers):
        # A relay has one address, so a path says nothing here. API Gateway compresses nothing.
        to, path, dropped = websocket, b"", {b"x-forwarded-for", b"sec-websocket-extensions"}
    else:
        to, dropped = http, {b"x-forwarded-for", b"connection", b"keep-alive"}
        headers.append((b"", b"Connection: close"))
    target = to.prefix.encode() + path + (b"?" + query if query else b"")
    kept = [line for name, line in headers if name not in dropped]
    told = [b"X-Forwarded-For: " + address.encode()]
    return to, b"\r\n".join([b" ".join([method, target, version]), *kept, *told]) + _HEAD_ENDS


def _named(lines: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    return [(line.partition(b":")[0].strip().lower(), line) for line in lines]


def _is_upgrade(headers: Sequence[tuple[bytes, bytes]]) -> bool:
    return any(name == b"upgrade" and b"websocket" in line.lower() for name, line in headers)


def _origin_form(target: bytes) -> bytes:
    """A proxy's client may name the whole URL; what counts is what follows the host."""
    if not target.lower().startswith((b"http://", b"https://")):
        return target
    return b"/" + target.split(b"/", 3)[3] if target.count(b"/") > 2 else b"/"  # noqa: PLR2004


class Proxy:
    """Serves one port until it is stopped."""

    def __init__(
        self, websocket: Upstream, http: Upstream, options: Callable[[bytes, str], bytes | None]
    ) -> None:
        """``options(head, address)`` answers a request for that method, or cannot (None).

        Nothing is opened yet.
        """
        self._websocket = websocket
        self._http = http
        self._options = options
        # The event loop holds tasks weakly: one that waits for a connection of its own would be
        # garbage-collected once its client has sent everything.
        self._serving: set[asyncio.Task[None] | None] = set()

    async def open(self, port: int) -> asyncio.Server:
        """Listen on a port of this machine (0: any that is free)."""
        return await asyncio.start_server(self._serve, LOOPBACK, port, limit=MAX_HEAD_BYTES)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._serving.add(task)
        try:
            await self._answer(reader, writer)
        finally:
            self._serving.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Either side may disconnect at any time, and no other task awaits this one.
        gone = (OSError, asyncio.CancelledError)
        with contextlib.closing(writer), contextlib.suppress(*gone):
            refusal = await self._pass_on(reader, writer)
            if refusal is not None:
                writer.write(refusal.to_bytes())
                await writer.drain()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Refusal | None:
        try:
            head = await asyncio.wait_for(reader.readuntil(_HEAD_ENDS), HEAD_SECONDS)
        except asyncio.LimitOverrunError:
            return Refusal("431 Request Header Fields Too Large")
        except (asyncio.IncompleteReadError, TimeoutError):
            return None  # it has gone, or has nothing to say
        address: str = writer.get_extra_info("peername")[0]
        going = forwarded(head, address, self._websocket, self._http)
        if isinstance(going, Refusal):
            return going
        if head.startswith(b"OPTIONS "):
            answer = await asyncio.to_thread(self._options, head, address)
            writer.write(answer or _UNREACHABLE.to_bytes())
            await writer.drain()
            return None
        to, new_head = going
        try:
            there, back = await asyncio.open_connection(LOOPBACK, to.port)
        except OSError:
            return _UNREACHABLE
        with contextlib.closing(back):
            back.write(new_head)
            if not _is_upgrade(_named(head.split(b"\r\n"))):
                await _converse(_pipe(reader, back), _pipe(there, writer))
                return None
            frames = ClientFrames()
            asking = _pipe_judged(reader, back, writer, frames)
            await _converse(asking, _pipe_frames(there, writer))
        if frames.are_refused:
            writer.write_eof()
            await _read_away(reader)
        return None


async def _converse(
    asking: Coroutine[None, None, None], answering: Coroutine[None, None, None]
) -> None:
    """Pipe both ways until the answer ends or the client is gone; the API must see that its client
    disconnected.
    """
    asked, answered = asyncio.create_task(asking), asyncio.create_task(answering)
    try:
        await asyncio.wait({asked, answered}, return_when=asyncio.FIRST_COMPLETED)
        if not answered.done() and asked.exception() is None:
            await asyncio.wait({answered})
    finally:
        for pipe in (asked, answered):
            pipe.cancel()
        await asyncio.gather(asked, answered, return_exceptions=True)


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes until no more does, no faster than it is taken."""
    while chunk := await reader.read(_CHUNK_BYTES):
        writer.write(chunk)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def _pipe_judged(
    reader: asyncio.StreamReader,
    back: asyncio.StreamWriter,
    writer: asyncio.StreamWriter,
    frames: ClientFrames,
) -> None:
    """Pass on what the client of a WebSocket sends. The first malformed frame is answered with a
    Close frame, and raises ``MalformedFrame``.
    """
    while chunk := await reader.read(_CHUNK_BYTES):
        # What came before a malformed frame, in the same bytes, still counts.
        back.write(chunk)
        if close := frames.refuse(chunk):
            writer.write(close)
            raise MalformedFrame
        await back.drain()
    if back.can_write_eof():
        back.write_eof()


async def _read_away(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while await reader.read(_CHUNK_BYTES):
                pass


async def _pipe_frames(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what a server sends over a WebSocket, each frame at once: a Close frame of ours may
    come between two of them, and within none.
    """
    head = await reader.readuntil(_HEAD_ENDS)
    writer.write(head)
    if head.split(b" ")[1:2] != [b"101"]:
        await _pipe(reader, writer)
        return
    while frame := await read_frame(reader):
        writer.write(frame)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


def upstream(url: str) -> Upstream:
    """An API's URL on this machine as what is needed of it. ValueError for one without a port."""
    parts = urlsplit(url)
    if parts.port is None:
        raise ValueError("an API on this machine has a port")
    return Upstream(parts.port, parts.path.rstrip("/"))


async def _run(port: int, proxy: Proxy) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = await proxy.open(port)
    await stop.wait()
    server.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--websocket", type=upstream, required=True, help="the WebSocket API's URL")
    parser.add_argument("--http", type=upstream, required=True, help="the HTTP API's URL")
    parser.add_argument("--http-function", required=True, help="the name of what answers there")
    options = parser.parse_args(arguments)
    allow_many_sockets()
    asked = partial(ask_function, options.http.port, options.http_function)
    proxy = Proxy(options.websocket, options.http, asked)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(options.port, proxy))
    return 0


def allow_many_sockets() -> None:
    """As many open files as the machine lets us have: each socket through us is two."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


if __name__ == "__main__":
    sys.exit(main())
