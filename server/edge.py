"""The edge at which strangers' bytes come in: uvicorn's two protocols, bounded before they parse.

Invariant: what one connection can have parsed, kept, or kept waiting is bounded before the work is
done, in bytes, frames and seconds; what goes beyond ends that connection alone. uvicorn counts none
of these (docs/decisions/0038-bounds-before-work.md).
"""

import asyncio
import logging
import resource
import time
from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

from server.limits import (
    MAX_ANSWER_SECONDS,
    MAX_BRIDGE_BYTES,
    MAX_CONTROL_FRAMES,
    MAX_HEAD_BYTES,
    MAX_HEADERS,
    MAX_MESSAGE_SECONDS,
    MAX_REQUEST_SECONDS,
    MAX_UNREAD_BYTES_IN_ALL,
    SPARE_DESCRIPTORS,
)
from server.metrics import Metrics

_log = logging.getLogger("arbiter")

READ_BYTES = 4_096
"""Of one connection in one turn; uvloop's own buffer takes 256 kB."""
SLICE_BYTES = 1_024
"""Parsed before frames are counted again: a move whole, or 170 empty pings in two milliseconds."""
_BUFFERED_BYTES = 16_384
"""Written to a client that does not read; the rest waits where it is counted."""
_CONTROL_SECONDS = 10.0
SWEEP_SECONDS = 1.0

_CHUNKED_BYTES = 2 * MAX_BRIDGE_BYTES
"""Of a request with everything around its body: small chunks are mostly that."""

_REFUSALS = {
    408: b"Request Timeout",
    431: b"Request Header Fields Too Large",
}


class Edge:
    """All open connections of the server's port. For one thread."""

    def __init__(
        self,
        metrics: Metrics,
        most_open: int | None = None,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """``seconds`` is a clock that never goes back."""
        self.metrics = metrics
        self.seconds = seconds
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._most_open = files - SPARE_DESCRIPTORS if most_open is None else most_open
        self._open: dict[_Bounded, None] = {}
        self._unread: dict[_Bounded, int] = {}
        self.unread_bytes = 0
        self._is_told = False
        self.deadlines: dict[_Bounded, float] = {}
        """When each that owes something is ended; those that owe it longest come first."""
        self.strangers: dict[BoundedSocket, None] = {}
        """Open WebSockets whose client did nothing yet, in the order in which they came."""

    def __len__(self) -> int:
        """The number of open connections."""
        return len(self._open)

    async def serve(self) -> None:
        """Sweep until cancelled."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.sweep()

    def sweep(self) -> None:
        """End the connections whose time is over, and those that were closed and do not read what
        they were sent last.
        """
        now = self.seconds()
        for one in [one for one, ends_at in self.deadlines.items() if ends_at <= now]:
            self.expect(one, MAX_MESSAGE_SECONDS)
            one.overdue()
        for one in self._open:
            if one not in self.deadlines and one.transport.is_closing():
                self.expect(one, MAX_MESSAGE_SECONDS)

    def refused(self, limit: str) -> None:
        """Count what a limit of `server.limits` refused."""
        self.metrics.count("Refused", limit=limit)

    def expect(self, one: "_Bounded", seconds: float) -> None:
        """End this connection unless it does within so many seconds what it owes."""
        self.deadlines.pop(one, None)
        self.deadlines[one] = self.seconds() + seconds

    def opened(self, one: "_Bounded") -> None:
        """Take in a connection; where hardly a descriptor is left, another one goes for it: that
        which has kept us waiting longest for its request, else the latest stranger.
        """
        self._open[one] = None
        if len(self._open) <= self._most_open:
            return
        self.refused("spare_descriptors")
        if not self._is_told:
            self._is_told = True
            _log.warning({"status": "full", "connections": len(self._open)})
        unfinished = (it for it in self.deadlines if it is not one)
        gone = next(unfinished, None) or next(reversed(self.strangers), one)
        gone.transport.abort()
        self.closed(gone)

    def closed(self, one: "_Bounded") -> None:
        """Forget a connection."""
        self._open.pop(one, None)
        self.deadlines.pop(one, None)
        self.note_unread(one, 0)
        self.strangers.pop(cast("BoundedSocket", one), None)
        if len(self._open) < self._most_open * 9 // 10:
            self._is_told = False

    def note_unread(self, one: "_Bounded", number: int) -> None:
        """Note that so many bytes wait for a client that does not read. Where all have too many,
        the slowest reader goes first.
        """
        self.unread_bytes += number - self._unread.pop(one, 0)
        if number:
            self._unread[one] = number
        while self.unread_bytes > MAX_UNREAD_BYTES_IN_ALL:
            slowest = max(self._unread, key=self._unread.__getitem__)
            self.refused("unread_bytes_in_all")
            self.note_unread(slowest, 0)
            slowest.transport.abort()


class _Reader(asyncio.BufferedProtocol):
    """Reads a few bytes a turn for a protocol, which would be given a quarter of a megabyte."""

    _buffer = memoryview(bytearray(READ_BYTES))

    def __init__(self, protocol: "_Bounded") -> None:
        self._protocol = protocol
        self.connection_lost = protocol.connection_lost  # type: ignore[method-assign]
        self.pause_writing = protocol.pause_writing  # type: ignore[method-assign]
        self.resume_writing = protocol.resume_writing  # type: ignore[method-assign]

    def get_buffer(self, sizehint: int) -> memoryview:
        """The buffer of all of them: what is in it is taken at once."""
        del sizehint
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Hand on what was read."""
        self._protocol.data_received(bytes(self._buffer[:nbytes]))


class BoundedHttp(HttpToolsProtocol):
    """HTTP with bounds: of a request's head, of its time and its answer's, and one at a time."""

    def __init__(self, edge: Edge, **given: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(**given)
        self._edge = edge
        self._bytes = 0
        self._is_in_head = False
        self._is_over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take in a connection, which owes a request."""
        super().connection_made(cast("asyncio.Transport", transport))
        self.transport.set_protocol(_Reader(self))
        self.transport.set_write_buffer_limits(_BUFFERED_BYTES)
        self._edge.expect(self, MAX_REQUEST_SECONDS)
        self._edge.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._edge.closed(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse a little at a time, and no more than a request may have."""
        if self not in self._edge.deadlines:
            self._edge.expect(self, MAX_REQUEST_SECONDS)
        for at in range(0, len(data), SLICE_BYTES):
            if self._is_over or self.transport.is_closing():
                return
            piece = data[at : at + SLICE_BYTES]
            self._bytes += len(piece)
            super().data_received(piece)
            if self._is_in_head and self._bytes > MAX_HEAD_BYTES:
                self._refuse(431, "header_bytes")
            elif self._bytes > MAX_HEAD_BYTES + _CHUNKED_BYTES:
                self._edge.refused("body_bytes")
                self._is_over = True
                self.transport.close()

    def on_message_begin(self) -> None:
        """Begin a request; a client that did not wait for the answer before gets that alone."""
        if (last := self._last) is not None and not last.response_complete:
            self._edge.refused("requests_at_once")
            last.keep_alive = False
            self._is_over = True
            self.flow.pause_reading()
            raise ValueError
        super().on_message_begin()
        self._is_in_head = True

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take in a header field."""
        super().on_header(name, value)
        if len(self.headers) > MAX_HEADERS:
            self._refuse(431, "headers")
            raise ValueError

    def on_headers_complete(self) -> None:
        """Begin to read the body."""
        self._is_in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Owe no more than to read the answer."""
        super().on_message_complete()
        self._bytes = 0
        self._edge.expect(self, MAX_ANSWER_SECONDS)

    def on_response_complete(self) -> None:
        """Owe nothing, once the answer is read."""
        super().on_response_complete()
        if unread := self.transport.get_write_buffer_size():
            self._edge.note_unread(self, unread)
        elif not self.cycle.more_body:
            self._edge.deadlines.pop(self, None)

    def resume_writing(self) -> None:
        """Go on with a client that reads."""
        super().resume_writing()
        self._edge.note_unread(self, 0)
        if (last := self._last) is not None and last.response_complete and not last.more_body:
            self._edge.deadlines.pop(self, None)

    def handle_websocket_upgrade(self) -> None:
        """Become a WebSocket."""
        self._edge.closed(self)
        self._is_over = True
        super().handle_websocket_upgrade()
        self.transport.set_protocol(_Reader(cast("_Bounded", self.transport.get_protocol())))

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, unless it was refused already."""
        if not self._is_over:
            self._edge.refused("no_http")
            super().send_400_response(msg)

    def overdue(self) -> None:
        """End it: the request, or the reading of the answer, took too long."""
        if self._is_in_head:
            self._refuse(408, "request_seconds")
            return
        is_answered = (last := self._last) is not None and not last.more_body
        self._edge.refused("answer_seconds" if is_answered else "request_seconds")
        self.transport.abort()

    @property
    def _last(self) -> RequestResponseCycle | None:
        """The last request; None before the first."""
        return self.cycle

    def _refuse(self, status: int, limit: str) -> None:
        self._edge.refused(limit)
        self._is_over = True
        head = f"HTTP/1.1 {status} ".encode() + _REFUSALS[status]
        self.transport.write(head + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()


class BoundedSocket(WebSocketsSansIOProtocol):
    """A WebSocket with bounds: of control frames and fragments, of the time of a message, and of
    what is parsed before the frame before was answered.
    """

    def __init__(self, edge: Edge, **given: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(**given)
        self._edge = edge
        self._rest = b""
        self._control = 0
        self._counted_from = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take in a connection that was an HTTP request."""
        super().connection_made(transport)
        self._edge.strangers[self] = None
        self._edge.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._edge.closed(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse a little at a time, until there is a message."""
        self._rest += data
        self._parse()

    async def receive(self) -> Any:  # noqa: ANN401 - ASGI has no types of its own
        """The next message; what came after it is parsed only now."""
        message = await super().receive()
        if self._rest:
            self._parse()
        return message

    async def send(self, message: Any) -> None:  # noqa: ANN401 - ASGI has no types of its own
        """Send one message. Raises OSError when the client is gone, also where uvicorn would call
        it a mistake of ours: the client may go at any time.
        """
        if not self.writable.is_set():
            await self.writable.wait()
        if self.handshake_complete and (self.close_sent or self.transport.is_closing()):
            raise ClientDisconnected
        await super().send(message)

    def handle_connect(self, event: Any) -> None:  # noqa: ANN401 - websockets' Request
        """Let the application know the connection."""
        super().handle_connect(event)
        if self.handshake_initiated and not self.handshake_complete:
            cast("dict[str, Any]", self.scope["extensions"])["arbiter.edge"] = self

    def handle_ping(self) -> None:
        """Answer a ping; the pongs that a client does not read are not kept. RFC 6455, 5.5.3: it
        suffices to answer "only the most recently processed Ping frame".
        """
        self._count()
        pongs = self.conn.data_to_send()
        if self.writable.is_set() and not self.close_sent:
            self.transport.write(b"".join(pongs))

    def handle_pong(self, event: Frame) -> None:
        """Take note of a pong."""
        self._count()
        super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Go on with a message."""
        self._count()
        super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Hand on a message. RFC 6455, 8.1: a text that is no UTF-8 ends the connection."""
        if self.curr_msg_data_type == "text":
            self.frames = [b"".join(self.frames)]
            try:
                self.frames[0].decode()
            except UnicodeDecodeError:
                self._fail(CloseCode.INVALID_DATA, "websocket")
                return
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """End a connection whose bytes are no frames of RFC 6455, or too many for one."""
        if self.conn.parser_exc is not None and self.conn.close_sent is not None:
            is_long = self.conn.close_sent.code == CloseCode.MESSAGE_TOO_BIG
            self._edge.refused("frame_bytes" if is_long else "websocket")
        super().handle_parser_exception()

    @property
    def is_stuck(self) -> bool:
        """Whether the client does not read."""
        return not self.writable.is_set()

    def note_unread(self, number: int) -> None:
        """Note the bytes that wait for a client that does not read."""
        self._edge.note_unread(self, number)

    def drop(self, limit: str) -> None:
        """End it for this limit, if the client does not take leave in time."""
        self._edge.refused(limit)
        self._edge.expect(self, MAX_MESSAGE_SECONDS)

    def is_known(self) -> None:
        """Do not take it for a stranger's any more."""
        self._edge.strangers.pop(self, None)

    def overdue(self) -> None:
        """End it: its message, or its farewell, took too long."""
        self._edge.refused("message_seconds")
        self.transport.abort()

    def _parse(self) -> None:
        while self._rest and not self.read_paused and not self.transport.is_closing():
            piece, self._rest = self._rest[:SLICE_BYTES], self._rest[SLICE_BYTES:]
            super().data_received(piece)
        if self.close_sent:
            return
        if self.frames or self.conn.reader.buffer:
            if self not in self._edge.deadlines:
                self._edge.expect(self, MAX_MESSAGE_SECONDS)
        elif self._edge.deadlines:
            self._edge.deadlines.pop(self, None)

    def _count(self) -> None:
        now = self._edge.seconds()
        if now - self._counted_from >= _CONTROL_SECONDS:
            self._counted_from, self._control = now, 0
        self._control += 1
        if self._control > MAX_CONTROL_FRAMES and not self.close_sent:
            self._fail(CloseCode.POLICY_VIOLATION, "control_frames")

    def _fail(self, code: CloseCode, limit: str) -> None:
        self._edge.refused(limit)
        self.frames, self._rest = [], b""
        self.conn.data_to_send()
        self.conn.fail(code)
        self.handle_parser_exception()


_Bounded = BoundedHttp | BoundedSocket
