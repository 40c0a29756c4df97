"""HTTP as uvicorn speaks it, bounded before it is parsed
(docs/decisions/0038-bounds-before-work.md).
"""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from server.edge import SLICE_BYTES, Bounded, Edge, Reader
from server.limits import (
    MAX_ANSWER_SECONDS,
    MAX_BRIDGE_BYTES,
    MAX_HEAD_BYTES,
    MAX_HEADERS,
    MAX_REQUEST_SECONDS,
)

_BUFFERED_BYTES = 16_384
"""Written to a client that does not read; the rest waits where it is counted."""

_CHUNKED_BYTES = 2 * MAX_BRIDGE_BYTES
"""Of a request with everything around its body: small chunks are mostly that."""

_REFUSALS = {408: b"Request Timeout", 431: b"Request Header Fields Too Large"}


class BoundedHttp(HttpToolsProtocol):
    """HTTP with bounds: of a request's head, of its time and its answer's, and one at a time."""

    def __init__(self, edge: Edge, **given: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(**given)
        self._edge = edge
        self._bytes = 0
        self._is_in_head = False
        self._is_over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast("asyncio.Transport", transport))
        self.transport.set_protocol(Reader(self))
        self.transport.set_write_buffer_limits(_BUFFERED_BYTES)
        self._edge.expect(self, MAX_REQUEST_SECONDS)
        self._edge.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
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
        super().on_header(name, value)
        if len(self.headers) > MAX_HEADERS:
            self._refuse(431, "headers")
            raise ValueError

    def on_headers_complete(self) -> None:
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
        self.transport.set_protocol(Reader(cast("Bounded", self.transport.get_protocol())))

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
