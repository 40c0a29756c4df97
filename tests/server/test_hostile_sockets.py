"""Strangers' frames at the server's port cost them their socket, and others nothing."""

import asyncio
import json
import os
import struct

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from clients.probes.raw_socket import opened
from tests.server.running_server import RunningServer

pytestmark = pytest.mark.slow


async def _is_well(server: RunningServer) -> bool:
    """Whether a newcomer is answered."""
    async with opened(server.endpoints) as socket:
        return (await socket.ask_to_play(["time", f"{1000 + os.getpid() % 1000}+7"]))[2] is True


async def _shaken(server: RunningServer) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A TCP connection after the WebSocket handshake."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
    return reader, writer


async def test_a_message_that_is_too_large_ends_its_socket_with_1009(server: RunningServer) -> None:
    async with connect(server.endpoints.websocket) as socket:
        await socket.send("x" * 200_000)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
    assert await _is_well(server)


async def test_a_binary_frame_is_read_like_a_text(server: RunningServer) -> None:
    async with connect(server.endpoints.websocket) as socket:
        await socket.send(b"\xff\xfe")
        assert json.loads(await socket.recv())[0] == "NOTICE"
        await socket.send(json.dumps(["CLOSE", "x"]).encode())
        await socket.send(json.dumps(["REQ", "s", {"kinds": [30300], "limit": 0}]).encode())
        assert json.loads(await socket.recv()) == ["EOSE", "s"]


async def test_half_a_frame_keeps_no_other_socket_waiting(server: RunningServer) -> None:
    _, writer = await _shaken(server)
    writer.write(b"\x81\xfe" + struct.pack(">H", 5000) + b"\0\0\0\0[")
    await writer.drain()
    assert await _is_well(server)
    writer.close()


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(b"\x81\x02hi", id="not-masked"),
        pytest.param(b"\xf1\x80\0\0\0\0", id="reserved-bits"),
        pytest.param(b"\x83\x80\0\0\0\0", id="reserved-opcode"),
        pytest.param(b"\x81\x82\0\0\0\0\xff\xff", id="no-utf-8"),
        pytest.param(b"\x89\xfe\x01\x00\0\0\0\0" + bytes(256), id="long-ping"),
    ],
)
async def test_a_malformed_frame_ends_its_socket_alone(server: RunningServer, frame: bytes) -> None:
    reader, writer = await _shaken(server)
    writer.write(frame)
    await writer.drain()
    answer = await reader.read()
    assert answer[:1] == b"\x88"
    writer.close()
    assert await _is_well(server)


async def test_what_is_no_http_is_refused(server: RunningServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"\x16\x03\x01\x02\x00 hello\r\n\r\n")
    await writer.drain()
    assert (await reader.read()).startswith(b"HTTP/1.1 400")
    writer.close()


async def test_a_body_without_end_is_not_read(server: RunningServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"POST /new-game HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")
    writer.write(b"x" * 200_000)
    await writer.drain()
    assert (await reader.readline()).startswith(b"HTTP/1.1 413")
    writer.close()
