"""One loopback port for WebSockets (to the gateway) and requests (to the HTTP API), as NIP-11 wants
and a CDN does in the cloud. It hides the emulator's long paths.

Only a request's bounded head is parsed; the rest is piped. A connection is for one request.
"""

import asyncio
import contextlib
import resource
import signal
import sys
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

import websocket

from local.deploy import Stack, execute_api
from local.environment import bare_environment, our_code
from local.ports import LOOPBACK
from local.processes import Part, Supervisor
from local.settings import Settings

PROXY = "proxy"
MAX_HEAD_BYTES = 32_768
HEAD_SECONDS = 10.0
_CHUNK_BYTES = 65_536
_HEAD_ENDS = b"\r\n\r\n"
_START_TIMEOUT_SECONDS = 30.0
_STOP_TIMEOUT_SECONDS = 5.0
_CONNECT_SECONDS = 10.0
_MALFORMED = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where an API answers: a port of this machine, and the path before all of its paths."""

    port: int
    prefix: str


def proxy_part(settings: Settings, stack: Stack) -> Part:
    base, ids = execute_api(settings), stack.outputs
    return Part(
        name=PROXY,
        command=(
            *(sys.executable, "-m", "local.proxy"),
            str(settings.ports.arbiter),
            *(f"{base}/{ids['GatewayApiId']}/v1", f"{base}/{ids['HttpApiId']}/$default"),
        ),
        environment={**bare_environment(settings), "PYTHONPATH": our_code()},
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
    )


def await_proxy(settings: Settings, supervisor: Supervisor) -> None:
    """Wait until both APIs answer, which warms their functions up. Raises PartFailed."""
    supervisor.wait_for_http(PROXY, settings.ports.arbiter)
    is_open = partial(_websocket_answers, settings)
    supervisor.wait_until(PROXY, is_open, _START_TIMEOUT_SECONDS)


def _websocket_answers(settings: Settings) -> bool:
    try:
        connection = websocket.create_connection(
            settings.websocket_url, timeout=_CONNECT_SECONDS, http_no_proxy=[LOOPBACK]
        )
    except (OSError, websocket.WebSocketException):
        return False
    connection.close()
    return True


def forwarded(
    head: bytes, address: str, websocket: Upstream, http: Upstream
) -> tuple[Upstream, bytes] | None:
    """Where a request goes, and its head there; None if malformed. ``address`` is the client's."""
    first, *lines = head.removesuffix(_HEAD_ENDS).split(b"\r\n")
    match first.split(b" "):
        case [method, target, b"HTTP/1.1" | b"HTTP/1.0" as version]:
            path, _, query = target.partition(b"?")
        case _:
            return None
    if not path.startswith(b"/"):
        return None
    headers = [(line.partition(b":")[0].strip().lower(), line) for line in lines]
    if any(name == b"upgrade" and b"websocket" in line.lower() for name, line in headers):
        # A relay has one address, so a path says nothing here. API Gateway compresses nothing.
        to, path, dropped = websocket, b"", {b"x-forwarded-for", b"sec-websocket-extensions"}
    else:
        to, dropped = http, {b"x-forwarded-for", b"connection", b"keep-alive"}
        headers.append((b"", b"Connection: close"))
    target = to.prefix.encode() + path + (b"?" + query if query else b"")
    kept = [line for name, line in headers if name not in dropped]
    told = [b"X-Forwarded-For: " + address.encode()]
    return to, b"\r\n".join([b" ".join([method, target, version]), *kept, *told]) + _HEAD_ENDS


class Proxy:
    """Serves one port until it is stopped."""

    def __init__(self, websocket: Upstream, http: Upstream) -> None:
        self._websocket = websocket
        self._http = http
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
            # Either side may disconnect at any time, and no other task awaits this one.
            with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.CancelledError):
                await self._pass_on(reader, writer)
        finally:
            self._serving.discard(task)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(_HEAD_ENDS), HEAD_SECONDS)
        except (asyncio.LimitOverrunError, asyncio.IncompleteReadError, TimeoutError):
            return
        address: str = writer.get_extra_info("peername")[0]
        going = forwarded(head, address, self._websocket, self._http)
        if going is None:
            writer.write(_MALFORMED)
            await writer.drain()
            return
        to, new_head = going
        there, back = await asyncio.open_connection(LOOPBACK, to.port)
        with contextlib.closing(back):
            back.write(new_head)
            await _converse((reader, back), (there, writer))


_Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _converse(asking: _Ends, answering: _Ends) -> None:
    """Pipe both ways until the answer ends or the client is gone, which the API must see."""
    asked, answered = asyncio.create_task(_pipe(*asking)), asyncio.create_task(_pipe(*answering))
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


def upstream(url: str) -> Upstream:
    """An API's URL on this machine as what is needed of it."""
    parts = urlsplit(url)
    return Upstream(int(parts.port or 0), parts.path.rstrip("/"))


async def _run(port: int, proxy: Proxy) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = await proxy.open(port)
    await stop.wait()
    server.close()


def main() -> None:
    """Serve a port, for a WebSocket API and an HTTP API at these URLs, until SIGTERM."""
    port, *urls = sys.argv[1:]
    # As many sockets as the machine lets us have: each through us is two.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(_run(int(port), Proxy(*map(upstream, urls))))


if __name__ == "__main__":
    main()
