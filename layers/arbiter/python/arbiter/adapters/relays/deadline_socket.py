"""A TCP or TLS stream to one relay with a deadline for all waits and a limit on bytes, and the
error for a relay that cannot be used.

websocket-client gets this in place of a socket, because its own timeouts are for each system call
and its handshake has no size limit: a relay that sends one byte a second, or an endless HTTP
header, would hold it for ever. Dialling here also keeps it from using a proxy of the environment.

Invariant: the text of an exception is one of our words, never the relay's, since exceptions are
logged.
"""

import contextlib
import functools
import socket
import ssl
import time
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit


class RelayFailure(StrEnum):
    """Reasons why a connection to a relay is no longer usable."""

    UNREACHABLE = "unreachable"
    """No TCP or TLS connection in time."""
    NO_WEBSOCKET = "no-websocket"
    """An answer that is not a websocket handshake, such as a redirect."""
    ENDED = "ended"
    """The relay closed the connection, or the network lost it."""
    TOO_LARGE = "too-large"
    """A message larger than any honest relay would pass on."""
    NOT_THE_PROTOCOL = "not-the-protocol"
    """Invalid websocket frames (RFC 6455)."""
    STUCK = "stuck"
    """It did not accept what we sent in time."""
    SILENT = "silent"
    """It left a ping or a subscription unanswered."""
    LOOPBACK_LOST = "probe-lost"
    """It answers, but did not return our loopback probe."""
    HOSTILE = "hostile"
    """It sent more forged events than an honest relay would pass on."""


class RelayFailureError(Exception):
    """A relay cannot be used; ``failure`` says why."""

    def __init__(self, failure: RelayFailure) -> None:
        super().__init__(failure.value)
        self.failure = failure


_DEFAULT_PORTS = {"ws": 80, "wss": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """Host, port and TLS of a relay URL."""

    host: str
    port: int
    is_secure: bool


def address_of(url: str) -> Address:
    """The address in a configured ws:// or wss:// URL; raises ValueError for other text. URLs in
    events are never dialled.
    """
    parts = urlsplit(url)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.username is not None:
        raise ValueError("a relay URL is ws://host[:port]/… or wss://host[:port]/…")
    port = parts.port or _DEFAULT_PORTS[parts.scheme]
    return Address(parts.hostname, port, is_secure=parts.scheme == "wss")


_READ_AHEAD = 16_384
"""Bytes. websocket-client asks for a frame in three small reads, and a busy relay sends many frames
at once.
"""


class DeadlineSocket:
    """The stream. ``limit_seconds`` sets one deadline for all following reads and writes."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._ahead = memoryview(b"")
        self._deadline = 0.0
        self._bytes_left: int | None = None

    def limit_seconds(self, seconds: float) -> None:
        """Following reads and writes may take this long together; 0 for what has arrived."""
        self._deadline = time.monotonic() + seconds

    def limit_bytes(self, count: int | None) -> None:
        """Following reads may return ``count`` bytes; None lifts the limit."""
        self._bytes_left = count

    def recv(self, count: int) -> bytes:
        """Up to ``count`` bytes, b"" at the end. Raises TimeoutError at the deadline."""
        if self._bytes_left is not None and count > self._bytes_left:
            raise ConnectionError("more bytes than were agreed on")
        if not self._ahead:
            self._ahead = memoryview(self._received())
        data = bytes(self._ahead[:count])
        self._ahead = self._ahead[count:]
        if self._bytes_left is not None:
            self._bytes_left -= len(data)
        return data

    def send(self, data: bytes) -> int:
        """Write some of ``data`` and return how much. Raises TimeoutError at the deadline."""
        self._sock.settimeout(self._seconds_left())
        try:
            return self._sock.send(data)
        except (BlockingIOError, ssl.SSLWantWriteError):
            raise TimeoutError from None

    def gettimeout(self) -> float | None:
        """Called by websocket-client before it reads. Never 0, so that it handles errors itself."""
        return None

    def settimeout(self, _: float | None) -> None:
        """Called by websocket-client. Only our deadline counts."""

    def shutdown(self, how: int) -> None:
        """End the stream for all threads."""
        self._sock.shutdown(how)

    def close(self) -> None:
        """Close the socket. Never raises."""
        with contextlib.suppress(OSError):
            self._sock.close()

    def _received(self) -> bytes:
        self._sock.settimeout(self._seconds_left())
        try:
            return self._sock.recv(_READ_AHEAD)
        except (BlockingIOError, ssl.SSLWantReadError):
            raise TimeoutError from None

    def _seconds_left(self) -> float:
        return max(self._deadline - time.monotonic(), 0.0)


def dial(url: str, deadline: float) -> DeadlineSocket:
    """A connected stream to a configured relay, before ``deadline`` (monotonic seconds). Raises
    RelayFailureError. Only a name server that hangs can delay it beyond the deadline.
    """
    address = address_of(url)
    try:
        sock = _connected(address, deadline)
        if address.is_secure:
            sock.settimeout(max(deadline - time.monotonic(), 0.01))
            sock = tls().wrap_socket(sock, server_hostname=address.host)
    except (OSError, UnicodeError):
        # UnicodeError: a host name that IDNA does not allow. ssl's errors are OSErrors.
        raise RelayFailureError(RelayFailure.UNREACHABLE) from None
    return DeadlineSocket(sock)


def _connected(address: Address, deadline: float) -> socket.socket:
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    for position, (family, kind, protocol, _, where) in enumerate(found):
        # An address that drops packets must leave time for the others.
        share = (deadline - time.monotonic()) / (len(found) - position)
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(max(share, 0.01))
            sock.connect(where)
        except OSError:
            sock.close()
        else:
            # A move is one small frame: Nagle's algorithm would only delay it.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
    raise ConnectionError("no address answered")


@functools.cache
def tls() -> ssl.SSLContext:
    """The TLS context, cached because loading the authorities is slow."""
    return ssl.create_default_context()
