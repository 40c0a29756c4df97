"""One websocket connection to one relay: websocket-client over a stream with one deadline for all
waits and a limit on bytes, as its own timeouts are for each system call.

Invariant: a frame takes ``MAX_PASSED_OVER`` of memory at most. No compression is offered (a bomb),
no redirect and no proxy is followed. Every failure is a ``RelayFailureError``, whose text is ours,
never the relay's, since exceptions are logged. One thread uses a connection; only ``abort`` may be
called from others.
"""

import contextlib
import functools
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

import websocket

from arbiter.nostr.limits import MAX_FRAME_BYTES

MAX_PASSED_OVER = 2 * 1024 * 1024
"""The largest frame that is skipped without disconnecting: relays have their own limits."""

PASSED_OVER = b""
"""Returned in place of a skipped message."""

_MAX_HANDSHAKE_BYTES = 16_384
_READ_AHEAD = 16_384
"""Bytes: websocket-client asks for a frame in three small reads."""
_SEND_SECONDS = 10.0
_GOODBYE_SECONDS = 0.2
_HEALTH_CHECK_SECONDS = 2.0
_DEFAULT_PORTS = {"ws": 80, "wss": 443}


class RelayFailure(StrEnum):
    """Reasons why a connection to a relay is no longer usable."""

    UNREACHABLE = "unreachable"
    """No TCP or TLS connection in time."""
    NO_WEBSOCKET = "no-websocket"
    """An answer that is not a websocket handshake, such as a redirect."""
    ENDED = "ended"
    """The relay closed the connection, or the network lost it."""
    TOO_LARGE = "too-large"
    """A frame larger than any honest relay would pass on."""
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


@dataclass(frozen=True, slots=True)
class Pong:
    """The relay answered the ping with this payload: it has read all that was sent before."""

    payload: bytes


class _Stream:
    """The socket that websocket-client is given. ``limit`` comes before each use."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._ahead = memoryview(b"")
        self._read_by = self._sent_by = 0.0
        self.bytes_left = _MAX_HANDSHAKE_BYTES

    def limit(self, read_seconds: float, send_seconds: float = _SEND_SECONDS) -> None:
        """All reads, and all writes, may take so long together; 0 for what has arrived."""
        now = time.monotonic()
        self._read_by, self._sent_by = now + read_seconds, now + send_seconds

    def recv(self, count: int) -> bytes:
        """Up to ``count`` bytes, b"" at the end. Raises TimeoutError at the deadline."""
        if count > self.bytes_left:
            raise RelayFailureError(RelayFailure.TOO_LARGE)
        if not self._ahead:
            self._ahead = memoryview(self._received())
        data = bytes(self._ahead[:count])
        self._ahead = self._ahead[count:]
        self.bytes_left -= len(data)
        return data

    def send(self, data: bytes) -> int:
        self._sock.settimeout(max(self._sent_by - time.monotonic(), 0.0))
        try:
            return self._sock.send(data)
        except (TimeoutError, BlockingIOError, ssl.SSLWantWriteError):
            raise RelayFailureError(RelayFailure.STUCK) from None

    def gettimeout(self) -> float | None:
        """Called by websocket-client before it reads. Never 0, so that it handles errors itself."""
        return None

    def settimeout(self, _: float | None) -> None:
        """Called by websocket-client. Only our deadlines count."""

    def shutdown(self, how: int) -> None:
        self._sock.shutdown(how)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._sock.close()

    def _received(self) -> bytes:
        self._sock.settimeout(max(self._read_by - time.monotonic(), 0.0))
        try:
            return self._sock.recv(_READ_AHEAD)
        except (BlockingIOError, ssl.SSLWantReadError):
            raise TimeoutError from None


class RelayConnection:
    """An open connection, created by ``connect``."""

    def __init__(self, stream: _Stream, client: websocket.WebSocket) -> None:
        self._stream = stream
        self._client = client
        self._message = bytearray()
        self._is_too_large = False

    def send(self, text: str, timeout_seconds: float = _SEND_SECONDS) -> None:
        """Send one text message. After a failure the connection is unusable."""
        self._send(text.encode(), websocket.ABNF.OPCODE_TEXT, timeout_seconds)

    def ping(self, payload: bytes = b"", timeout_seconds: float = _SEND_SECONDS) -> None:
        """Send a ping; ``receive`` returns the ``Pong``."""
        self._send(payload, websocket.ABNF.OPCODE_PING, timeout_seconds)

    def receive(self, timeout_seconds: float) -> bytes | Pong | None:
        """The next message or pong, None if none was complete in time (0: what has arrived),
        ``PASSED_OVER`` for one of more than ``MAX_FRAME_BYTES``. The next call reads on.
        """
        deadline = time.monotonic() + timeout_seconds
        self._stream.limit(timeout_seconds)
        while True:
            frame = self._frame()
            if frame is None:
                return None
            match frame.opcode:
                case websocket.ABNF.OPCODE_PONG:
                    return Pong(_payload(frame))
                case websocket.ABNF.OPCODE_CLOSE:
                    raise RelayFailureError(RelayFailure.ENDED)
                case websocket.ABNF.OPCODE_PING:
                    pass  # websocket-client has answered it
                case _:
                    message = self._completed_by(frame)
                    if message is not None:
                        return message
            if time.monotonic() >= deadline:
                # Endless pings or empty fragments must not keep the caller here.
                return None

    def close(self) -> None:
        """Send a close frame if that takes no time, and close the socket. Never raises."""
        with contextlib.suppress(RelayFailureError):
            self._send(b"\x03\xe8", websocket.ABNF.OPCODE_CLOSE, _GOODBYE_SECONDS)
        self._stream.close()

    def abort(self) -> None:
        """Shut the stream down, which ends the reads and writes of the other thread."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.shutdown(socket.SHUT_RDWR)

    def _frame(self) -> websocket.ABNF | None:
        """The next frame, one fragment of a message; None if it was not complete in time."""
        try:
            frame: websocket.ABNF = self._client.recv_data_frame(control_frame=True)[1]
        except websocket.WebSocketTimeoutException:
            return None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            raise _in_own_words(error, RelayFailure.NOT_THE_PROTOCOL) from None
        if frame.mask_value:
            # RFC 6455 5.1: "A client MUST close a connection if it detects a masked frame."
            raise RelayFailureError(RelayFailure.NOT_THE_PROTOCOL)
        self._stream.bytes_left = MAX_PASSED_OVER
        return frame

    def _completed_by(self, frame: websocket.ABNF) -> bytes | None:
        self._message += _payload(frame)
        if len(self._message) > MAX_FRAME_BYTES or self._is_too_large:
            self._message.clear()
            self._is_too_large = True
        if not frame.fin:
            return None
        message = PASSED_OVER if self._is_too_large else bytes(self._message)
        self._message.clear()
        self._is_too_large = False
        return message

    def _send(self, payload: bytes, opcode: int, timeout_seconds: float) -> None:
        self._stream.limit(0.0, timeout_seconds)
        try:
            self._client.send(payload, opcode)
        except (websocket.WebSocketException, OSError, ValueError) as error:
            raise _in_own_words(error, RelayFailure.ENDED) from None


Dial = Callable[[tuple[str, int], float], socket.socket]
"""A connected socket to this host and port, within so many seconds. Raises OSError."""


def connect(
    url: str, timeout_seconds: float, dial: Dial = socket.create_connection
) -> RelayConnection:
    """A connection to a relay; ``dial`` may refuse a private one. Raises RelayFailureError."""
    deadline = time.monotonic() + timeout_seconds
    stream = _Stream(_dialled(url, deadline, dial))
    left = max(deadline - time.monotonic(), 0.0)
    stream.limit(left, left)
    client = websocket.WebSocket(
        skip_utf8_validation=True, enable_multithread=False, fire_cont_frame=True
    )
    try:
        client.connect(  # type: ignore[no-untyped-call]
            url, socket=stream, redirect_limit=0, suppress_origin=True
        )
    except Exception:  # noqa: BLE001 - the handshake parses a stranger's bytes: cookies, numbers …
        stream.close()
        raise RelayFailureError(RelayFailure.NO_WEBSOCKET) from None
    stream.bytes_left = MAX_PASSED_OVER
    return RelayConnection(stream, client)


def address_of(url: str) -> tuple[str, int, bool]:
    """Host, port, and whether TLS is used, of a ws:// or wss:// URL. Raises ValueError."""
    parts = urlsplit(url)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.username is not None:
        raise ValueError("a relay URL is ws://host[:port]/… or wss://host[:port]/…")
    return parts.hostname, parts.port or _DEFAULT_PORTS[parts.scheme], parts.scheme == "wss"


def trouble_with(url: str, timeout_seconds: float = _HEALTH_CHECK_SECONDS) -> RelayFailure | None:
    """Return the reason why this relay accepts no websocket connection in time; None if it does."""
    try:
        connect(url, timeout_seconds).close()
    except RelayFailureError as error:
        return error.failure
    except ValueError:  # the configured URL is invalid
        return RelayFailure.UNREACHABLE
    return None


@functools.cache
def tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _dialled(url: str, deadline: float, dial: Dial) -> socket.socket:
    """A connected socket, with TLS for wss. Only a name server can delay it much."""
    host, port, is_secure = address_of(url)
    try:
        # An address that drops packets must leave time for the next one.
        half = max((deadline - time.monotonic()) / 2, 0.01)
        sock = dial((host, port), half)
        # A move is one small frame: Nagle's algorithm would only delay it.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if is_secure:
            sock.settimeout(max(deadline - time.monotonic(), 0.01))
            sock = tls().wrap_socket(sock, server_hostname=host)
    except (OSError, UnicodeError):
        # UnicodeError: a host name that IDNA does not allow. ssl's errors are OSErrors.
        raise RelayFailureError(RelayFailure.UNREACHABLE) from None
    return sock


def _in_own_words(error: Exception, otherwise: RelayFailure) -> RelayFailureError:
    """Our own error: the library's text may quote the relay."""
    has_ended = isinstance(error, OSError | websocket.WebSocketConnectionClosedException)
    return RelayFailureError(RelayFailure.ENDED if has_ended else otherwise)


def _payload(frame: websocket.ABNF) -> bytes:
    return frame.data if isinstance(frame.data, bytes) else frame.data.encode()
