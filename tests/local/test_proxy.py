"""The front door: who is sent where, and that bytes pass both ways until both sides are done."""

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


def test_an_upgrade_goes_to_the_gateway_whatever_its_path() -> None:
    sent = _sent(
        "GET /any?x=1 HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\n"
        "Upgrade: WebSocket\r\n\r\n"
    )

    assert sent == (
        _WEBSOCKET,
        [
            "GET /apis/ws/v1?x=1 HTTP/1.1",
            "Host: a",
            "Connection: keep-alive, Upgrade",
            "Upgrade: WebSocket",
            "X-Forwarded-For: 127.0.0.1",
        ],
    )


def test_everything_else_goes_to_the_http_api_one_request_a_connection() -> None:
    sent = _sent(
        "POST /games/a%20b?x=1 HTTP/1.1\r\nHost: a\r\nconnection: keep-alive\r\n"
        "browser_id: me\r\nX-Forwarded-For: 6.6.6.6\r\nContent-Length: 3\r\n\r\n"
    )

    assert sent == (
        _HTTP,
        [
            "POST /apis/http/$default/games/a%20b?x=1 HTTP/1.1",
            "Host: a",
            "browser_id: me",
            "Content-Length: 3",
            "Connection: close",
            "X-Forwarded-For: 127.0.0.1",
        ],
    )


def test_a_whole_url_is_its_path() -> None:
    sent = _sent("GET http://a.example/games HTTP/1.1\r\nHost: a.example\r\n\r\n")

    assert not isinstance(sent, Refusal)
    assert sent[1][0] == "GET /apis/http/$default/games HTTP/1.1"


@pytest.mark.parametrize(
    "first",
    ["GET", "GET / HTTP/2", "GET relative HTTP/1.1", "OPTIONS * HTTP/1.1", "GET  / HTTP/1.1"],
)
def test_what_is_no_request_goes_nowhere(first: str) -> None:
    assert _sent(f"{first}\r\nHost: a\r\n\r\n") == Refusal("400 Bad Request")


def test_an_upstream_is_read_from_its_url() -> None:
    assert upstream("http://127.0.0.1:7101/apis/x/$default/") == Upstream(7101, "/apis/x/$default")
    with pytest.raises(ValueError, match="port"):
        upstream("http://127.0.0.1/apis")


_Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _echo_and_say_goodbye(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An API that answers with what it was sent, once all of it is there."""
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + await reader.read())
    writer.write(b"goodbye")
    writer.close()


async def _through_the_door(serve: _Serve, request: bytes) -> bytes:
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


def test_a_body_of_any_size_arrives_and_so_does_the_answer() -> None:
    body = bytes(range(256)) * 4096

    answer = asyncio.run(
        _through_the_door(_echo_and_say_goodbye, b"POST / HTTP/1.1\r\nHost: a\r\n\r\n" + body)
    )

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n\r\nPOST /api/ HTTP/1.1\r\n")
    assert answer.endswith(body + b"goodbye")


def test_an_api_is_told_when_its_client_is_gone_without_a_word() -> None:
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
            # To linger for no time is to reset the connection instead of ending it.
            at_once = struct.pack("ii", 1, 0)
            connection = writer.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            writer.transport.abort()
            return await asyncio.wait_for(gone.wait(), 10)

    assert asyncio.run(is_told())


def test_an_answer_arrives_however_long_it_takes_after_all_was_asked() -> None:
    async def ponder(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        # Python forgets a task that only waits for a connection that only the task knows.
        gc.collect()
        writer.write(b"42")
        writer.close()

    request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    assert asyncio.run(_through_the_door(ponder, request)) == b"42"


def test_a_head_that_does_not_end_is_refused() -> None:
    endless = b"GET / HTTP/1.1\r\nX: " + b"x" * (2 * MAX_HEAD_BYTES)

    answer = asyncio.run(_through_the_door(_echo_and_say_goodbye, endless))

    assert answer.startswith(b"HTTP/1.1 431 ")


def test_an_api_that_is_away_is_a_bad_gateway() -> None:
    async def knock() -> bytes:
        closed = await asyncio.start_server(_echo_and_say_goodbye, LOOPBACK, 0)
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


def test_options_are_asked_of_the_function_itself() -> None:
    head = b"OPTIONS /move HTTP/1.1\r\nHost: a\r\n\r\n"

    assert asyncio.run(_through_the_door(_echo_and_say_goodbye, head)) == b"options " + head


def test_the_function_is_asked_as_api_gateway_would() -> None:
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
def test_what_the_function_returns_is_an_answer(returned: dict[str, Any], answer: str) -> None:
    assert answer_of(json.loads(json.dumps(returned))) == answer.encode()
