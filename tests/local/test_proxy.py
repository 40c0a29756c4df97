"""The proxy: where a request goes, and that bytes are piped until both sides are done."""

import asyncio
import gc
import json
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from local.options_request import answer_of, invocation_of
from local.ports import LOOPBACK
from local.proxy import MAX_HEAD_BYTES, FrontDoor, Refusal, Upstream, forwarded, upstream

_WEBSOCKET = Upstream(7101, "/apis/ws/v1")
_HTTP = Upstream(7101, "/apis/http/$default")


def _sent(head: str) -> tuple[Upstream, list[str]] | Refusal:
    going = forwarded(head.encode(), "127.0.0.1", _WEBSOCKET, _HTTP)
    if isinstance(going, Refusal):
        return going
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
_WHOLE_URL = "GET http://a.example/games HTTP/1.1\nHost: a.example"
_ITS_PATH = """GET /apis/http/$default/games HTTP/1.1
Host: a.example
Connection: close
X-Forwarded-For: 127.0.0.1"""


@pytest.mark.parametrize(
    ("head", "to", "arriving"),
    [
        (_UPGRADE, _WEBSOCKET, _UPGRADED),
        (_REQUEST, _HTTP, _REQUESTED),
        (_WHOLE_URL, _HTTP, _ITS_PATH),
    ],
    ids=["an upgrade, whatever its path", "a request", "a whole URL"],
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
    assert _sent(f"{first}\r\nHost: a\r\n\r\n") == Refusal("400 Bad Request")


def test_an_upstream_is_parsed_from_its_url() -> None:
    assert upstream("http://127.0.0.1:7101/apis/x/$default/") == Upstream(7101, "/apis/x/$default")
    with pytest.raises(ValueError, match="port"):
        upstream("http://127.0.0.1/apis")


_Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An API that repeats a whole request."""
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + await reader.read())
    writer.write(b"end")
    writer.close()


async def _through_the_proxy(serve: _Serve, request: bytes) -> bytes:
    there = await asyncio.start_server(serve, LOOPBACK, 0)
    to = Upstream(there.sockets[0].getsockname()[1], "/api")
    server = await FrontDoor(to, to, lambda head, address: b"options " + head).open(0)
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


def test_the_api_notices_a_client_that_resets_its_connection() -> None:
    async def is_told() -> bool:
        came, gone = asyncio.Event(), asyncio.Event()

        async def wait_for_more(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            came.set()
            await reader.read()
            gone.set()
            writer.close()

        there = await asyncio.start_server(wait_for_more, LOOPBACK, 0)
        to = Upstream(there.sockets[0].getsockname()[1], "")
        server = await FrontDoor(to, to, lambda *_: None).open(0)
        async with there, server:
            where = server.sockets[0].getsockname()[1]
            _, writer = await asyncio.open_connection(LOOPBACK, where)
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n")
            await came.wait()
            # Zero seconds to linger: reset the connection instead of closing it.
            at_once = struct.pack("ii", 1, 0)
            connection = writer.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            writer.transport.abort()
            return await asyncio.wait_for(gone.wait(), 10)

    assert asyncio.run(is_told())


def test_an_answer_may_come_after_the_client_has_sent_everything() -> None:
    async def ponder(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        # The event loop holds tasks weakly.
        gc.collect()
        writer.write(b"42")
        writer.close()

    request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    assert asyncio.run(_through_the_proxy(ponder, request)) == b"42"


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (b"GET / HTTP/1.1\r\nX: " + b"x" * (2 * MAX_HEAD_BYTES), b"HTTP/1.1 431 "),
        (b"OPTIONS /x HTTP/1.1\r\nHost: a\r\n\r\n", b"options OPTIONS /x HTTP/1.1\r\n"),
    ],
    ids=["an endless head", "OPTIONS"],
)
def test_an_endless_head_is_refused_and_options_go_to_the_function(
    request_: bytes, answer: bytes
) -> None:
    assert asyncio.run(_through_the_proxy(_echo, request_)).startswith(answer)


def test_an_unreachable_api_is_a_bad_gateway() -> None:
    async def knock() -> bytes:
        closed = await asyncio.start_server(_echo, LOOPBACK, 0)
        port = closed.sockets[0].getsockname()[1]
        closed.close()
        await closed.wait_closed()
        server = await FrontDoor(Upstream(port, ""), Upstream(port, ""), lambda *_: None).open(0)
        async with server:
            where = server.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection(LOOPBACK, where)
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            answer = await asyncio.wait_for(reader.read(), 10)
            writer.close()
            return answer

    assert asyncio.run(knock()).startswith(b"HTTP/1.1 502 ")


def test_the_function_gets_payload_format_2() -> None:
    invocation = invocation_of(
        b"OPTIONS /games/a%20b?x=%20 HTTP/1.1\r\nHost: a.example\r\nOrigin: http://b\r\n\r\n",
        "127.0.0.1",
    )

    assert invocation["version"] == "2.0"
    assert invocation["rawPath"] == "/games/a b"
    assert invocation["rawQueryString"] == "x=%20"
    assert invocation["headers"] == {"host": "a.example", "origin": "http://b"}
    assert invocation["requestContext"]["http"]["method"] == "OPTIONS"
    assert invocation["requestContext"]["http"]["sourceIp"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("returned", "answer"),
    [
        (
            {"statusCode": 404, "headers": {"a": "b"}},
            "HTTP/1.1 404 Not Found\r\nA: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        ),
        (
            {"statusCode": 200, "body": "aGk=", "isBase64Encoded": True},
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
        ),
    ],
)
def test_the_functions_result_becomes_an_http_answer(returned: dict[str, Any], answer: str) -> None:
    assert answer_of(json.loads(json.dumps(returned))) == answer.encode()
