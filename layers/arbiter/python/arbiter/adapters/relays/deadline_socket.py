"""The one exception of this package: a relay cannot be used right now.

The law: its text is one of our words. What the relay said, its headers included, never gets into an
exception, for exceptions get into logs.

A TCP or TLS stream to one relay in which every wait ends and every byte is counted.

The law: websocket-client sees this in place of a socket, because its own time limits are per
system call and it has no limit on bytes: a relay that sends one byte a second, or an endless HTTP
header, would hold it for good. We also dial ourselves, so that no proxy is taken from the
environment.
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
    """Why a connection to a relay is of no more use."""

    UNREACHABLE = "unreachable"
    """No TCP or TLS connection came about in time."""
    NO_WEBSOCKET = "no-websocket"
    """Something answered, but not with a websocket handshake; a redirect is this too."""
    ENDED = "ended"
    """The relay closed the connection, or the network lost it."""
    TOO_LARGE = "too-large"
    """A message was announced that no honest relay would pass on, for its size."""
    NOT_THE_PROTOCOL = "not-the-protocol"
    """The frames are not RFC 6455's."""
    STUCK = "stuck"
    """It did not take what we sent in time."""
    SILENT = "silent"
    """It left a ping or a subscription unanswered."""
    LOOPBACK_LOST = "canary-lost"
    """It answers, and did not bring back what was published there to see whether it would."""
    HOSTILE = "hostile"
    """It sent more junk than an honest relay would pass on."""


class RelayFailureError(Exception):
    """A relay cannot be used right now; ``trouble`` says in one word why."""

    def __init__(self, trouble: RelayFailure) -> None:
        super().__init__(trouble.value)
        self.trouble = trouble


_DEFAULT_PORTS = {"ws": 80, "wss": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a relay URL leads."""

    host: str
    port: int
    is_secure: bool


def address_of(url: str) -> Address:
    """The address in a configured ws:// or wss:// URL; ValueError if it is not one.

    A relay URL found in an event is never dialled, so a bad one here is our configuration's fault.
    """
    parts = urlsplit(url)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.username is not None:
        raise ValueError("a relay URL is ws://host[:port]/… or wss://host[:port]/…")
    port = parts.port or _DEFAULT_PORTS[parts.scheme]
    return Address(parts.hostname, port, is_secure=parts.scheme == "wss")


class DeadlineSocket:
    """The stream. ``limit_seconds`` gives all reads and writes after it one common deadline."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._deadline = 0.0
        self._bytes_left: int | None = None

    def limit_seconds(self, seconds: float) -> None:
        """From now on, reads and writes together may take this long; 0 means: what is there."""
        self._deadline = time.monotonic() + seconds

    def limit_bytes(self, count: int | None) -> None:
        """From now on, at most ``count`` bytes are read; None lifts the limit."""
        self._bytes_left = count

    def recv(self, count: int) -> bytes:
        """Up to ``count`` bytes, b"" at the end. TimeoutError at the deadline."""
        if self._bytes_left is not None and count > self._bytes_left:
            raise ConnectionError("more bytes than were agreed on")
        self._sock.settimeout(self._seconds_left())
        try:
            data = self._sock.recv(count)
        except (BlockingIOError, ssl.SSLWantReadError):
            raise TimeoutError from None
        if self._bytes_left is not None:
            self._bytes_left -= len(data)
        return data

    def send(self, data: bytes) -> int:
        """Write some of ``data`` and say how much. TimeoutError at the deadline."""
        self._sock.settimeout(self._seconds_left())
        try:
            return self._sock.send(data)
        except (BlockingIOError, ssl.SSLWantWriteError):
            raise TimeoutError from None

    def gettimeout(self) -> float | None:
        """What websocket-client asks before it reads: never 0, so that it handles errors itself."""
        return None

    def settimeout(self, _: float | None) -> None:
        """What websocket-client may want; only our deadline counts."""

    def shutdown(self, how: int) -> None:
        """End the stream under whoever is reading it, in any thread."""
        self._sock.shutdown(how)

    def close(self) -> None:
        """Let go of the socket; closing twice is harmless."""
        with contextlib.suppress(OSError):
            self._sock.close()

    def _seconds_left(self) -> float:
        return max(self._deadline - time.monotonic(), 0.0)


def dial(url: str, deadline: float) -> DeadlineSocket:
    """A connected stream to a configured relay, before the monotonic ``deadline`` (seconds).

    Raises RelayTroubleError. Only a name server that hangs can make it later than the deadline.
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
        # An address that swallows packets leaves their share of the time to those after it.
        share = (deadline - time.monotonic()) / (len(found) - position)
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(max(share, 0.01))
            sock.connect(where)
        except OSError:
            sock.close()
        else:
            # A move is one small frame: waiting to fill a packet would only delay it.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
    raise ConnectionError("no address answered")


@functools.cache
def tls() -> ssl.SSLContext:
    """Certificates and names checked, as ever; loading the authorities is the slow part."""
    return ssl.create_default_context()
