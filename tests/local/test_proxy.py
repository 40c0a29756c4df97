"""The proxy: where a request goes, and that bytes are piped until both sides are done."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from local.ports import LOOPBACK
from local.proxy import Proxy, Upstream, forwarded

_WEBSOCKET = Upstream(7101, "/apis/ws/v1")
_HTTP = Upstream(7101, "/apis/http/$default")


def _sent(head: str) -> tuple[Upstream, list[str]] | None:
    going = forwarded(head.encode(), "127.0.0.1", _WEBSOCKET, _HTTP)
    if going is None:
        return None
    to, arriving = going
    assert arriving.endswith(b"\r\n\r\n")
    return to, arriving.decode().removesuffix("\r\n\r\n").split("\r\n")


_UPGRADE = """GET /any?x=1 HTTP/1.1
Host: a
Connection: keep-alive, Upgrade
Upgrade: WebSocket"""
_UPGRADED = """GET /apis/ws/v1?x=1 HTTP/1.1
Host: a
Connection: keep-alive, Upgrade
Upgrade: WebSocket
X-Forwarded-For: 127.0.0.1"""
_REQUEST = """POST /games/a%20b?x=1 HTTP/1.1
Host: a
connection: keep-alive
browser_id: me
X-Forwarded-For: 6.6.6.6
Content-Length: 3"""
_REQUESTED = """POST /apis/http/$default/games/a%20b?x=1 HTTP/1.1
Host: a
browser_id: me
Content-Length: 3
Connection: close
X-Forwarded-For: 127.0.0.1"""


@pytest.mark.parametrize(
    ("head", "to", "arriving"),
    [
        (_UPGRADE, _WEBSOCKET, _UPGRADED),
        (_REQUEST, _HTTP, _REQUESTED),
    ],
    ids=["an upgrade, whatever its path", "a request"],
)
def test_an_upgrade_goes_to_the_gateway_and_a_request_to_the_http_api(
    head: str, to: Upstream, arriving: str
) -> None:
    assert _sent(head.replace("\n", "\r\n") + "\r\n\r\n") == (to, arriving.splitlines())


@pytest.mark.parametrize(
    "first",
    ["GET", "GET / HTTP/2", "GET relative HTTP/1.1", "OPTIONS * HTTP/1.1", "GET  / HTTP/1.1"],
)
def test_a_malformed_request_line_is_refused(first: str) -> None:
    assert _sent(f"{first}\r\nHost: a\r\n\r\n") is None


_Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An API that repeats a whole request."""
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + await reader.read())
    writer.write(b"end")
    writer.close()


async def _through_the_proxy(serve: _Serve, request: bytes) -> bytes:
    there = await asyncio.start_server(serve, LOOPBACK, 0)
    to = Upstream(there.sockets[0].getsockname()[1], "/api")
    server = await Proxy(to, to).open(0)
    async with there, server:
        reader, writer = await asyncio.open_connection(LOOPBACK, server.sockets[0].getsockname()[1])
        writer.write(request)
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), 10)
        writer.close()
        return answer


def test_a_large_body_and_its_answer_are_piped() -> None:
    body = bytes(range(256)) * 4096

    answer = asyncio.run(_through_the_proxy(_echo, b"POST / HTTP/1.1\r\nHost: a\r\n\r\n" + body))

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n\r\nPOST /api/ HTTP/1.1\r\n")
    assert answer.endswith(body + b"end")
