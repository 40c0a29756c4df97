"""Strangers' frames and bodies at the port of a running server; `test_edge` has its limits."""

import asyncio
import json

import pytest
from websockets.asyncio.client import connect

from tests.server.running_server import RunningServer

pytestmark = pytest.mark.slow


async def test_a_binary_frame_is_read_like_a_text(server: RunningServer) -> None:
    async with connect(server.endpoints.websocket) as socket:
        await socket.send(b"\xff\xfe")
        assert json.loads(await socket.recv())[0] == "NOTICE"
        await socket.send(json.dumps(["CLOSE", "x"]).encode())
        await socket.send(json.dumps(["REQ", "s", {"kinds": [30300], "limit": 0}]).encode())
        assert json.loads(await socket.recv()) == ["EOSE", "s"]


async def test_a_body_without_end_is_not_read(server: RunningServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"POST /new-game HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")
    writer.write(b"x" * 200_000)
    await writer.drain()
    assert (await reader.readline()).startswith(b"HTTP/1.1 413")
    writer.close()
