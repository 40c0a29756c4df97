"""The edge at which strangers' bytes come in: all connections of the port, each bounded before its
bytes are parsed (`bounded_http`, `bounded_socket`).

Invariant: what one connection can have parsed, kept, or kept waiting is bounded before the work is
done, in bytes, frames and seconds; what goes beyond ends that connection alone. uvicorn counts none
of these (docs/decisions/0038-bounds-before-work.md).
"""

import asyncio
import logging
import resource
import time
from collections.abc import Callable
from typing import Protocol

from server.limits import MAX_MESSAGE_SECONDS, MAX_UNREAD_BYTES_IN_ALL, SPARE_DESCRIPTORS
from server.metrics import Metrics

_log = logging.getLogger("arbiter")

READ_BYTES = 4_096
"""Of one connection in one turn; uvloop's own buffer takes 256 kB."""
SLICE_BYTES = 1_024
"""Parsed before frames are counted again: a move whole, or 170 empty pings in two milliseconds."""
SWEEP_SECONDS = 1.0


class Bounded(Protocol):
    """A connection with bounds."""

    transport: asyncio.Transport

    def overdue(self) -> None:
        """End it: what it owes took too long."""
        ...

    def data_received(self, data: bytes) -> None: ...

    def connection_lost(self, exc: Exception | None) -> None: ...

    def pause_writing(self) -> None:
        """Wait for a client that does not read."""
        ...

    def resume_writing(self) -> None:
        """Go on with a client that reads."""
        ...


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
        self._open: dict[Bounded, None] = {}
        self._unread: dict[Bounded, int] = {}
        self.unread_bytes = 0
        self._is_told = False
        self.deadlines: dict[Bounded, float] = {}
        """When each that owes something is ended; those that owe it longest come first."""
        self.strangers: dict[Bounded, None] = {}
        """Open WebSockets whose client did nothing yet, in the order in which they came."""

    def __len__(self) -> int:
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

    def expect(self, one: Bounded, seconds: float) -> None:
        """End this connection unless it does within so many seconds what it owes."""
        self.deadlines.pop(one, None)
        self.deadlines[one] = self.seconds() + seconds

    def opened(self, one: Bounded) -> None:
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

    def closed(self, one: Bounded) -> None:
        self._open.pop(one, None)
        self.deadlines.pop(one, None)
        self.note_unread(one, 0)
        self.strangers.pop(one, None)
        if len(self._open) < self._most_open * 9 // 10:
            self._is_told = False

    def note_unread(self, one: Bounded, number: int) -> None:
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


class Reader(asyncio.BufferedProtocol):
    """Reads a few bytes a turn for a protocol, which would be given a quarter of a megabyte."""

    _buffer = memoryview(bytearray(READ_BYTES))

    def __init__(self, protocol: Bounded) -> None:
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
