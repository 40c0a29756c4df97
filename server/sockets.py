"""The open WebSockets of the gateway, as `connections.Sockets`: frames out, without waiting."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

from server.limits import MAX_UNREAD_BYTES

BEHIND_BYTES = 64_000
"""A client that has so much to read is not read from."""

JOINED_BYTES = 16_000
"""Frames that wait for one client leave in one write until they are so many: an OK and the state
that follows cost as much as one.
"""

TOO_SLOW = 1013
"""Try again later (RFC 6455's registry of close codes)."""

Send = Callable[[dict[str, Any]], Awaitable[None]]


class Connection(Protocol):
    """The connection under a socket: `server.bounded_socket.BoundedSocket`."""

    @property
    def is_stuck(self) -> bool:
        """Whether the client does not read."""
        ...

    def note_unread(self, number: int) -> None:
        """Note the bytes that wait for a client that does not read."""
        ...

    def drop(self, limit: str) -> None:
        """End it for this limit, if the client does not take leave in time."""
        ...


class Session:
    """One open socket. Frames leave in the order of `write`."""

    __slots__ = (
        "_bytes",
        "_connection",
        "_flushing",
        "_frames",
        "_is_noted",
        "_send",
        "bytes_sent",
        "is_closed",
    )

    def __init__(self, send: Send, connection: Connection | None = None) -> None:
        self._send = send
        self._connection = connection
        self._is_noted = False
        self._frames: deque[dict[str, Any]] = deque()
        self._bytes = 0
        self._flushing: asyncio.Task[None] | None = None
        self.is_closed = False
        self.bytes_sent = 0

    def write(self, text: str) -> None:
        """Send one text frame as soon as the client takes it."""
        if self.is_closed:
            return
        self._bytes += len(text)
        self.bytes_sent += len(text)
        if self._bytes > MAX_UNREAD_BYTES:
            self._frames.clear()
            self._bytes = 0
            self.close(TOO_SLOW)
            if self._connection is not None:
                self._connection.note_unread(0)
                self._connection.drop("unread_bytes")
            return
        self._put({"type": "websocket.send", "text": text})
        if self._connection is not None and self._connection.is_stuck:
            self._is_noted = True
            self._connection.note_unread(self._bytes)

    def close(self, code: int = 1000) -> None:
        """Say goodbye after what was written."""
        if not self.is_closed:
            self.is_closed = True
            self._put({"type": "websocket.close", "code": code})

    @property
    def is_behind(self) -> bool:
        """Whether the client should read before it is read from."""
        return self._bytes > BEHIND_BYTES

    async def wait_drained(self) -> None:
        """Wait until all that was written is on its way."""
        if self._flushing is not None:
            await asyncio.shield(self._flushing)

    def _put(self, message: dict[str, Any]) -> None:
        self._frames.append(message)
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().create_task(self._flush())

    async def _flush(self) -> None:
        joined = 0
        try:
            while self._frames:
                message = self._frames.popleft()
                joined += len(message.get("text", ""))
                if self._frames and joined < JOINED_BYTES:
                    message["more"] = True
                else:
                    joined = 0
                await self._send(message)
                self._bytes -= len(message.get("text", ""))
                if self._is_noted and self._connection is not None:
                    self._is_noted = bool(self._frames)
                    self._connection.note_unread(self._bytes if self._frames else 0)
        except OSError:  # ASGI: the client is gone
            self.is_closed = True
            self._frames.clear()
        finally:
            self._flushing = None


class LocalSockets:
    """All of them. While ``held`` is a list, frames wait in it instead."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._sent_before = 0
        self.held: list[Callable[[], object]] | None = None

    def __len__(self) -> int:
        return len(self._sessions)

    def add(self, connection_id: str, session: Session) -> None:
        self._sessions[connection_id] = session

    def remove(self, connection_id: str) -> None:
        if session := self._sessions.pop(connection_id, None):
            self._sent_before += session.bytes_sent

    def bytes_sent(self) -> int:
        """All that was written to sockets since the start."""
        return self._sent_before + sum(it.bytes_sent for it in self._sessions.values())

    def send(self, connection_id: str, text: str) -> bool:
        session = self._sessions.get(connection_id)
        if session is None or session.is_closed:
            return False
        if self.held is None:
            session.write(text)
        else:
            self.held.append(partial(session.write, text))
        return True

    def close(self, connection_id: str) -> None:
        if session := self._sessions.get(connection_id):
            session.close()
