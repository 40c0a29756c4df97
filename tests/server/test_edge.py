"""At the port each connection is bounded before its bytes are parsed, and costs no other."""

import asyncio
import contextlib
import logging
import re
import struct
from collections.abc import AsyncIterator, Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest
import uvicorn
from uvicorn.server import ServerState

from arbiter.nostr.nip11 import RelayLimits
from server import edge as edge_module
from server.bounded_http import BoundedHttp
from server.bounded_socket import BoundedSocket
from server.edge import SLICE_BYTES, Edge
from server.http_api import answer, body_of
from server.limits import (
    MAX_ANSWER_SECONDS,
    MAX_BODY_BYTES,
    MAX_BRIDGE_BYTES,
    MAX_CONTROL_FRAMES,
    MAX_HEAD_BYTES,
    MAX_HEADERS,
    MAX_MESSAGE_SECONDS,
    MAX_REQUEST_SECONDS,
    NAMES,
    TABLE,
)
from server.metrics import Metrics
from server.sockets import Session

MASK = b"\0\0\0\0"
PING = b"\x89\x80" + MASK
EMPTY_PONG = b"\x8a\x80" + MASK
HALF_A_TEXT = b"\x01\x81" + MASK + b"x"
EMPTY_FRAGMENT = b"\x00\x80" + MASK
LARGE = 8_000_000
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def a_text(text: bytes) -> bytes:
    return b"\x81" + struct.pack(">BH", 0x80 | 126, len(text)) + MASK + text


def refused(metrics: Metrics) -> dict[str, int]:
    """The number of refusals by each limit; each of them is there, and no other."""
    lines = [line for line in metrics.text().splitlines() if "_Refused{" in line]
    found = {line.split('"')[1]: int(line.split()[-1]) for line in lines}
    assert {*found} == {*NAMES}
    return {name: number for name, number in found.items() if number}


class Port:
    """A port of this process; its clock goes when told."""

    def __init__(self, edge: Edge, port: int) -> None:
        self.edge, self.port, self.now = edge, port, 0.0
        self.heard: list[str] = []
        self.is_answering = asyncio.Event()
        self.is_answering.set()
        self.is_full = False
        self.sessions: list[Session] = []
        self.clients: list[asyncio.StreamWriter] = []
        self.came: set[object] = set()

    async def app(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answers a request with as many bytes as its path says, and a text with itself."""
        if scope["type"] == "http":
            if await body_of(receive, MAX_BODY_BYTES) is None:
                await answer(send, 413, [], b"")
            else:
                await answer(send, 200, [], b"x" * int(scope["path"][1:] or 1))
            return
        await receive()
        if self.is_full:
            await send({"type": "websocket.http.response.start", "status": 429, "headers": []})
            await send({"type": "websocket.http.response.body", "body": b""})
            return
        await send({"type": "websocket.accept"})
        session = Session(send, scope["extensions"]["arbiter.edge"])
        self.sessions.append(session)
        while (message := await receive())["type"] == "websocket.receive":
            self.heard.append(message["text"])
            await self.is_answering.wait()
            session.write(message["text"])

    async def client(self, said: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
        self.clients.append(writer)
        writer.write(said)
        await until(lambda: writer.get_extra_info("sockname") in self.came)
        return reader, writer

    async def socket(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await self.client(UPGRADE)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        return reader, writer

    @property
    def open(self) -> list[Any]:
        return [*self.edge._open]

    def of(self, writer: asyncio.StreamWriter) -> Any:
        """The server's end of this connection."""
        name = writer.get_extra_info("sockname")
        return next(it for it in self.open if it.client == name)

    @property
    def refused(self) -> dict[str, int]:
        return refused(self.edge.metrics)

    def after(self, seconds: float) -> None:
        self.now += seconds
        self.edge.sweep()


class _SeenEdge(Edge):
    def __init__(self, port: Port, most_open: int) -> None:
        super().__init__(Metrics(), most_open, seconds=lambda: port.now)
        self._port = port

    def opened(self, one: Any) -> None:
        self._port.came.add(one.client)
        super().opened(one)


async def until(is_so: Callable[[], object]) -> None:
    """Let the loop run until it is so."""
    async with asyncio.timeout(5):
        while not is_so():  # noqa: ASYNC110 - what it waits for tells nobody
            await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def a_port(most_open: int = 100) -> AsyncIterator[Port]:
    port = Port(cast("Edge", None), 0)
    edge = port.edge = _SeenEdge(port, most_open)
    config = uvicorn.Config(
        port.app,
        ws=cast("type[asyncio.Protocol]", partial(BoundedSocket, edge)),
        log_config=None,
        log_level="error",
        interface="asgi3",
        ws_per_message_deflate=False,
        timeout_keep_alive=10_000,
    )
    config.load()
    make = partial(BoundedHttp, edge, config=config, server_state=ServerState(), app_state={})
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    port.port = server.sockets[0].getsockname()[1]
    try:
        yield port
    finally:
        server.close()
        for one in port.open:
            one.transport.abort()
        await until(lambda: not port.open)
        for writer in port.clients:
            writer.transport.abort()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def read(reader: asyncio.StreamReader) -> bytes:
    """All until the end, whichever way it ends."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while part := await reader.read(2**16):
            found += part
    return found


@pytest.mark.parametrize(
    ("limit", "said", "answered"),
    [
        ("header_bytes", b"GET / HTTP/1.1\r\nX: " + b"x" * (MAX_HEAD_BYTES + 300), b"HTTP/1.1 431"),
        ("header_bytes", b"GET /" + b"x" * (MAX_HEAD_BYTES + 300), b"HTTP/1.1 431"),
        ("headers", b"GET / HTTP/1.1\r\n" + (MAX_HEADERS + 2) * b"a:\r\n", b"HTTP/1.1 431"),
        ("no_http", b"\x16\x03\x01 hello\r\n\r\n", b"HTTP/1.1 400"),
        ("requests_at_once", GET * 3, b"HTTP/1.1 200"),
        (
            "body_bytes",
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            + b"1\r\nx\r\n" * (MAX_BRIDGE_BYTES // 2),
            b"",
        ),
    ],
)  # fmt: skip
async def test_a_request_that_is_too_much_is_refused_once_and_alone(
    limit: str, said: bytes, answered: bytes
) -> None:
    async with a_port() as port:
        reader, _ = await port.client(said)
        heard = await read(reader)
        assert heard.startswith(answered)
        assert heard.count(b"HTTP/1.1") <= 1
        assert port.refused == {limit: 1}
        assert (await (await port.client(GET))[0].readline()).startswith(b"HTTP/1.1 200")


async def test_requests_one_after_the_other_are_answered_on_one_connection() -> None:
    async with a_port() as port:
        reader, writer = await port.client()
        for _ in range(3):
            head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n"
            writer.write(head + b"X: " + b"x" * 9_000 + b"\r\n\r\n" + b"y" * 3_000)
            assert (await reader.readuntil(b"\r\n\r\nx")).startswith(b"HTTP/1.1 200")
            port.after(MAX_ANSWER_SECONDS + 1)
        assert port.refused == {}


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        (b"", b""),
        (GET[:20], b"HTTP/1.1 408"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx", b""),
    ],
)
async def test_a_request_that_does_not_end_is_ended(said: bytes, answered: bytes) -> None:
    async with a_port() as port:
        reader, writer = await port.client(said)
        await until(lambda: port.of(writer)._bytes == len(said))
        port.after(MAX_REQUEST_SECONDS - 1)
        assert port.refused == {}
        writer.write(said[:1])
        await until(lambda: port.of(writer)._bytes == len(said + said[:1]))
        port.after(1)
        assert (await read(reader)).startswith(answered)
        assert port.refused == {"request_seconds": 1}


async def test_a_second_request_that_does_not_end_is_ended() -> None:
    async with a_port() as port:
        reader, writer = await port.client(GET)
        assert (await reader.readuntil(b"\r\n\r\nx")).startswith(b"HTTP/1.1 200")
        writer.write(GET[:20])
        await until(lambda: port.edge.deadlines)
        port.after(MAX_REQUEST_SECONDS)
        assert (await read(reader)).startswith(b"HTTP/1.1 408")


async def test_an_answer_that_is_not_read_is_not_kept() -> None:
    async with a_port() as port:
        reader, writer = await port.client(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % LARGE)
        await until(lambda: port.edge.unread_bytes)
        cast("Any", writer.transport).pause_reading()
        port.after(MAX_ANSWER_SECONDS)
        await until(lambda: not port.open)
        assert (port.edge.unread_bytes, port.refused) == (0, {"answer_seconds": 1})
        cast("Any", writer.transport).resume_reading()
        assert len(await read(reader)) < LARGE


@pytest.mark.parametrize(
    ("begun", "again"), [(b"", PING), (b"", EMPTY_PONG), (HALF_A_TEXT, EMPTY_FRAGMENT)]
)
async def test_control_frames_and_fragments_are_counted_and_end_their_socket(
    begun: bytes, again: bytes
) -> None:
    async with a_port() as port:
        reader, writer = await port.socket()
        writer.write(begun + again * 20_000)
        heard = await read(reader)
        assert heard.endswith(b"\x88\x02" + struct.pack(">H", 1008))
        assert heard.count(b"\x8a\x00") <= MAX_CONTROL_FRAMES + SLICE_BYTES // len(PING) + 1
        assert port.refused == {"control_frames": 1}


async def test_pings_within_the_rate_are_answered_for_ever() -> None:
    async with a_port() as port:
        reader, writer = await port.socket()
        for _ in range(3):
            writer.write(PING * MAX_CONTROL_FRAMES)
            assert (
                await reader.readexactly(2 * MAX_CONTROL_FRAMES) == b"\x8a\0" * MAX_CONTROL_FRAMES
            )
            port.after(10)
        assert port.refused == {}


async def test_pongs_that_are_not_read_are_not_kept() -> None:
    async with a_port() as port:
        end, _, client = await _stuck(port)
        kept = end.transport.get_write_buffer_size()
        client.write(PING * MAX_CONTROL_FRAMES)
        await until(lambda: end._control == MAX_CONTROL_FRAMES)
        assert end.transport.get_write_buffer_size() <= kept


async def test_frames_that_leave_together_arrive_whole_and_in_one_write() -> None:
    async with a_port() as port:
        reader, writer = await port.socket()
        writer.write(a_text(b"a"))
        assert await reader.readexactly(3) == b"\x81\x01a"
        (session,), end = port.sessions, port.of(writer)
        end.transport = Mock(wraps=end.transport)
        for text in "bcd":
            session.write(text)
        session.close()
        sent = b"\x81\x01b\x81\x01c\x81\x01d\x88\x02\x03\xe8"
        assert await reader.readexactly(len(sent)) == sent
        end.transport.write.assert_called_once_with(sent)


async def test_frames_that_come_at_once_are_parsed_as_they_are_answered() -> None:
    async with a_port() as port:
        reader, writer = await port.socket()
        texts = [b"%05d" % number * 40 for number in range(600)]
        port.is_answering.clear()
        writer.write(b"".join(map(a_text, texts)))
        await until(lambda: port.heard)
        assert port.of(writer).queue.qsize() <= SLICE_BYTES // len(a_text(texts[0])) + 1
        assert 0 < len(port.of(writer)._rest) <= 4_096
        port.is_answering.set()
        for text in texts:
            assert (await reader.readexactly(4 + len(text)))[4:] == text
        assert port.refused == {}


def _owes(port: Port, writer: asyncio.StreamWriter) -> bool:
    return port.of(writer) in port.edge.deadlines


async def test_half_a_message_is_ended_and_one_that_is_whole_in_time_is_not() -> None:
    async with a_port() as port:
        reader, writer = await port.socket()
        for part in (a_text(b"x" * 900)[:500], HALF_A_TEXT):
            other, half = await port.socket()
            half.write(part)
            await until(partial(_owes, port, half))
            writer.write(part)
            await until(partial(_owes, port, writer))
            writer.write(a_text(b"x" * 900)[500:] if part[0] == 0x81 else b"\x80\x80" + MASK)
            await until(lambda: not _owes(port, writer))
            port.after(MAX_MESSAGE_SECONDS)
            assert await read(other) == b""
        assert port.refused == {"message_seconds": 2}
        assert reader.at_eof() is False


@pytest.mark.parametrize(
    ("frame", "code", "limit"),
    [
        (b"\x81\x82" + MASK + b"\xff\xff", 1007, "websocket"),
        (b"\x81\x02hi", 1002, "websocket"),
        (b"\xf1\x80" + MASK, 1002, "websocket"),
        (b"\x83\x80" + MASK, 1002, "websocket"),
        (b"\x89\xfe\x01\x00" + MASK + bytes(256), 1002, "websocket"),
        (b"\x81\xff" + struct.pack(">Q", 2**40) + MASK, 1009, "frame_bytes"),
    ],
)
async def test_a_frame_that_is_none_ends_its_socket_without_a_line(
    frame: bytes, code: int, limit: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with a_port() as port:
        reader, writer = await port.socket()
        writer.write(frame)
        assert (await read(reader))[2:4] == struct.pack(">H", code)
        assert port.refused == {limit: 1}
    assert [it for it in caplog.records if it.levelno >= logging.WARNING] == []


async def test_a_socket_that_is_not_let_in_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    async with a_port() as port:
        port.is_full = True
        reader, _ = await port.client(UPGRADE)
        assert (await read(reader)).startswith(b"HTTP/1.1 429")
        await until(lambda: not port.open)
    assert [it.getMessage() for it in caplog.records if it.levelno >= logging.WARNING] == []


async def _stuck(port: Port) -> tuple[Any, Session, Any]:
    """A socket whose client does not read: the server's end, its session, the client's end."""
    _, writer = await port.socket()
    client, end, session = cast("Any", writer.transport), port.of(writer), port.sessions[-1]
    client.pause_reading()
    while not end.is_stuck:
        session.write("x" * 60_000)
        await asyncio.sleep(0)
    return end, session, client


async def test_what_is_written_to_a_socket_that_is_being_closed_is_no_fault() -> None:
    async with a_port() as port:
        end, session, _ = await _stuck(port)
        end.keepalive_timeout()
        session.write("too late")
        flushing = session._flushing
        assert flushing is not None
        await asyncio.sleep(0)
        end.resume_writing()  # a part was read
        await flushing
        assert session.is_closed


async def test_a_socket_that_was_closed_and_does_not_read_is_cut_off() -> None:
    async with a_port() as port:
        end, _, _ = await _stuck(port)
        end.keepalive_timeout()
        for _ in range(2):
            port.after(MAX_MESSAGE_SECONDS)
        await until(lambda: not port.open)


async def test_the_slowest_readers_go_first_when_all_have_too_much_to_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_port() as port:
        ends, _, clients = zip(*[await _stuck(port) for _ in range(3)], strict=True)
        for session, number in zip(port.sessions, (50_000, 200_000, 10_000), strict=True):
            session.write("y" * number)
        kept = port.edge.unread_bytes
        assert kept >= 260_000
        monkeypatch.setattr(edge_module, "MAX_UNREAD_BYTES_IN_ALL", kept)
        port.sessions[2].write("z")
        await until(lambda: ends[1] not in port.open)
        assert [end in port.open for end in ends] == [True, False, True]
        assert port.edge.unread_bytes < kept - 190_000
        assert port.refused == {"unread_bytes_in_all": 1}
        clients[2].resume_reading()
        await until(lambda: ends[2] not in port.edge._unread)


async def test_a_client_that_never_reads_its_farewell_is_cut_off() -> None:
    async with a_port() as port:
        _, writer = await port.socket()
        cast("Any", writer.transport).pause_reading()
        (session,) = port.sessions
        while not session.is_closed:
            session.write("x" * 300_000)
            await asyncio.sleep(0)
        assert (port.edge.unread_bytes, port.refused) == (0, {"unread_bytes": 1})
        port.after(MAX_MESSAGE_SECONDS)
        await until(lambda: not port.open)


async def test_a_connection_that_was_closed_and_does_not_read_is_cut_off() -> None:
    async with a_port() as port:
        _, writer = await port.client(b"GET /%d HTTP/1.0\r\n\r\n" % LARGE)
        cast("Any", writer.transport).pause_reading()
        end = port.of(writer)
        await until(end.transport.is_closing)
        for _ in range(2):
            port.after(MAX_ANSWER_SECONDS)
        await until(lambda: not port.open)


async def test_an_honest_client_is_served_though_hardly_a_descriptor_is_left(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with a_port(most_open=3) as port:
        silent = [await port.client() for _ in range(3)]
        for gone, _ in silent:
            reader, writer = await port.client(GET)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            assert await read(gone) == b""
            writer.close()
            await until(lambda: len(port.open) < 3)
            await port.client()
        assert port.refused == {"spare_descriptors": 3}
    lines = [cast("Any", it.msg) for it in caplog.records if it.levelno == logging.WARNING]
    assert [line["status"] for line in lines] == ["full"]


async def test_the_latest_stranger_goes_for_a_newcomer_and_no_player_does() -> None:
    async with a_port(most_open=3) as port:
        _, first = await port.socket()
        stranger, _ = await port.socket()
        _, player = await port.socket()
        port.of(player).is_known()
        kept = [port.of(writer) for writer in (first, player)]
        await port.client(GET)
        assert await read(stranger) == b""
        assert [it in port.open for it in kept] == [True, True]


async def test_a_newcomer_is_refused_where_only_players_are() -> None:
    async with a_port(most_open=2) as port:
        for _ in range(2):
            _, writer = await port.socket()
            port.of(writer).is_known()
        reader, _ = await port.client()
        assert await read(reader) == b""
        assert len(port.open) == 2


def test_the_page_of_the_gateway_shows_the_table_of_limits() -> None:
    page = (Path(__file__).parents[2] / "docs/gateway.md").read_text(encoding="utf-8")
    assert f"\n\n{TABLE}\n" in page, f"docs/gateway.md lacks this table:\n{TABLE}"
    assert {field.name for field in fields(RelayLimits)} - {*NAMES} == {
        *("events", "games_read", "plies_shown")  # they shorten an answer and refuse nothing
    }


def test_each_limit_of_the_table_is_named_where_it_refuses_and_in_a_test() -> None:
    """Those of messages: in `tests/application/gateway/test_limits.py`."""
    here = {*NAMES} - {field.name for field in fields(RelayLimits)}
    root = Path(__file__).parents[2]
    for folder in (root / "server", root / "tests/server"):
        files = (it for it in sorted(folder.glob("*.py")) if it.name != "limits.py")
        text = "".join(it.read_text("utf-8") for it in files)
        assert here - {*re.findall(r'["^]([a-z_]+)["$]', text)} == set(), folder
        counted = re.findall(r'(?:limit=|\.refused\(|drop\()"([a-z_]+)"', text)
        assert {*counted} <= {*NAMES}, folder
