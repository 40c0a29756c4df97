"""WebSockets as uvicorn and websockets speak them, bounded before they are parsed
(docs/decisions/0038-bounds-before-work.md).
"""

import asyncio
from typing import Any, cast

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

from server.edge import SLICE_BYTES, Edge
from server.limits import MAX_CONTROL_FRAMES, MAX_MESSAGE_SECONDS

_CONTROL_SECONDS = 10.0


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
        """Send one message, or keep it for the next where ``more`` says that one follows at once.
        Raises OSError when the client is gone, also where uvicorn would call it a mistake of ours:
        the client may go at any time.
        """
        if not self.writable.is_set():
            await self.writable.wait()
        if self.handshake_complete and (self.close_sent or self.transport.is_closing()):
            raise ClientDisconnected
        if message["type"] == "websocket.send":
            self.conn.send_text(message["text"].encode())
            if not message.get("more"):
                self.transport.write(b"".join(self.conn.data_to_send()))
            return
        await super().send(message)
        # uvicorn logs an error where a handshake is refused with a status.
        self.handshake_complete = self.handshake_complete or self.close_sent

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
        self._count()
        super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
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
