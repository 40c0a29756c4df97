"""One websocket connection to one relay.

Invariant: a frame's size is known before its payload is read, and nothing of a message that is too
large is kept. websocket-client 1.9 has no limit of its own, so its frame buffer is driven from here
and messages are assembled here. No compression is offered (it could be a bomb), and no redirect is
followed. Every failure is a ``RelayFailureError``.

One thread uses a connection; only ``abort`` may be called from others.
"""

import contextlib
import socket
import time
from dataclasses import dataclass
from typing import NoReturn

import websocket

from arbiter.adapters.relays.deadline_socket import (
    DeadlineSocket,
    RelayFailure,
    RelayFailureError,
    dial,
)
from arbiter.nostr.limits import MAX_FRAME_BYTES

MAX_PASSED_OVER = 16 * 1024 * 1024
"""The largest message, in bytes, that is skipped without disconnecting. Relays choose their own
limits, so an honest relay may pass on events that are too large for us.
"""

PASSED_OVER = b""
"""Returned in place of a skipped message."""

_MAX_HANDSHAKE_BYTES = 16_384
_PASSED_OVER_AT_ONCE = 16_384
_SEND_SECONDS = 10.0
_GOODBYE_SECONDS = 0.2
_HEALTH_CHECK_SECONDS = 2.0
_CLOSE_NORMAL = b"\x03\xe8"

_TEXT = websocket.ABNF.OPCODE_TEXT
_CONTINUED = websocket.ABNF.OPCODE_CONT
_CLOSE = websocket.ABNF.OPCODE_CLOSE
_PING = websocket.ABNF.OPCODE_PING
_PONG = websocket.ABNF.OPCODE_PONG
_OPCODE_AT = 4
"""The index of the opcode in websocket-client's frame header."""


@dataclass(frozen=True, slots=True)
class Pong:
    """The relay answered the ping with this payload: it has read all that was sent before."""

    payload: bytes


class RelayConnection:
    """An open connection, created by ``connect``."""

    def __init__(self, stream: DeadlineSocket, client: websocket.WebSocket) -> None:
        self._stream = stream
        self._client = client
        self._message = bytearray()
        self._announced_bytes = 0
        self._is_midway = False

    def send(self, text: str, timeout_seconds: float = _SEND_SECONDS) -> None:
        """Send one text message. After a failure the connection is unusable."""
        self._send(text.encode(), _TEXT, timeout_seconds)

    def ping(self, payload: bytes = b"", timeout_seconds: float = _SEND_SECONDS) -> None:
        """Send a ping; ``receive`` returns the ``Pong``."""
        self._send(payload, _PING, timeout_seconds)

    def receive(self, timeout_seconds: float) -> bytes | Pong | None:
        """The next message or pong; None if none was complete in time (0: what has arrived).
        ``PASSED_OVER`` for a message of more than ``MAX_FRAME_BYTES``.

        A frame that is incomplete at the timeout is read on by the next call.
        """
        deadline = time.monotonic() + timeout_seconds
        while True:
            frame = self._frame(deadline)
            if frame is None:
                return None
            match frame.opcode:
                case websocket.ABNF.OPCODE_PING:
                    self._send(_payload(frame), _PONG, _SEND_SECONDS)
                case websocket.ABNF.OPCODE_PONG:
                    return Pong(_payload(frame))
                case websocket.ABNF.OPCODE_CLOSE:
                    raise RelayFailureError(RelayFailure.ENDED)
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
            self._send(_CLOSE_NORMAL, _CLOSE, _GOODBYE_SECONDS)
        self._stream.close()

    def abort(self) -> None:
        """Shut the stream down, which ends the reads and writes of the other thread."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.shutdown(socket.SHUT_RDWR)

    def _frame(self, deadline: float) -> websocket.ABNF | None:
        self._stream.limit_seconds(max(deadline - time.monotonic(), 0.0))
        incoming = self._client.frame_buffer
        try:
            if incoming.needs_header():
                incoming.recv_header()
            if incoming.needs_length():
                incoming.recv_length()
                self._count_announced(incoming)
            if incoming.has_mask():
                # RFC 6455 5.1: "A client MUST close a connection if it detects a masked frame."
                raise RelayFailureError(RelayFailure.NOT_THE_PROTOCOL)
            if self._is_too_large and not _is_control(incoming):
                _skip(incoming)
            return incoming.recv_frame()
        except websocket.WebSocketTimeoutException:
            return None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            _give_up(error, RelayFailure.NOT_THE_PROTOCOL)

    def _count_announced(self, incoming: websocket.frame_buffer) -> None:
        """Count the length of the frame to come. Raises if it is too large."""
        length = incoming.length or 0
        if not _is_control(incoming):
            self._announced_bytes += length
        if self._announced_bytes > MAX_PASSED_OVER or (
            _is_control(incoming) and length > MAX_FRAME_BYTES
        ):
            raise RelayFailureError(RelayFailure.TOO_LARGE)

    @property
    def _is_too_large(self) -> bool:
        """Whether the present message is."""
        return self._announced_bytes > MAX_FRAME_BYTES

    def _completed_by(self, frame: websocket.ABNF) -> bytes | None:
        """The message that ``frame`` completes, or None."""
        # RFC 6455 5.4: a fragmented message starts with its opcode and goes on with opcode 0.
        if (frame.opcode == _CONTINUED) != self._is_midway:
            raise RelayFailureError(RelayFailure.NOT_THE_PROTOCOL)
        self._message += _payload(frame)
        self._is_midway = not frame.fin
        if self._is_midway:
            return None
        message = PASSED_OVER if self._is_too_large else bytes(self._message)
        self._message.clear()
        self._announced_bytes = 0
        return message

    def _send(self, payload: bytes, opcode: int, timeout_seconds: float) -> None:
        self._stream.limit_seconds(timeout_seconds)
        try:
            self._client.send(payload, opcode)
        except websocket.WebSocketTimeoutException:
            raise RelayFailureError(RelayFailure.STUCK) from None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            _give_up(error, RelayFailure.ENDED)


def connect(url: str, timeout_seconds: float) -> RelayConnection:
    """A connection to the configured relay at ``url``. Raises RelayFailureError."""
    deadline = time.monotonic() + timeout_seconds
    stream = dial(url, deadline)
    stream.limit_seconds(max(deadline - time.monotonic(), 0.0))
    stream.limit_bytes(_MAX_HANDSHAKE_BYTES)
    client = websocket.WebSocket(skip_utf8_validation=True, enable_multithread=False)
    try:
        client.connect(  # type: ignore[no-untyped-call]
            url, socket=stream, redirect_limit=0, suppress_origin=True
        )
    except Exception:  # noqa: BLE001 - the handshake parses a stranger's bytes: cookies, numbers …
        stream.close()
        raise RelayFailureError(RelayFailure.NO_WEBSOCKET) from None
    stream.limit_bytes(None)
    return RelayConnection(stream, client)


def trouble_with(url: str, timeout_seconds: float = _HEALTH_CHECK_SECONDS) -> RelayFailure | None:
    """Return the reason why this relay accepts no websocket connection in time; None if it does."""
    try:
        connect(url, timeout_seconds).close()
    except RelayFailureError as error:
        return error.failure
    except ValueError:  # the configured URL is invalid
        return RelayFailure.UNREACHABLE
    return None


def _is_control(incoming: websocket.frame_buffer) -> bool:
    """Whether the present frame is a close, ping or pong, which may come between fragments."""
    return incoming.header is not None and incoming.header[_OPCODE_AT] >= _CLOSE


def _skip(incoming: websocket.frame_buffer) -> None:
    """Read the payload and discard it. After a timeout, the next call goes on."""
    while incoming.length:
        read = min(incoming.length, _PASSED_OVER_AT_ONCE)
        incoming.recv_strict(read)
        incoming.length -= read


def _payload(frame: websocket.ABNF) -> bytes:
    """The bytes of a received frame, which the library declares as text too."""
    return frame.data if isinstance(frame.data, bytes) else frame.data.encode()


def _give_up(error: Exception, otherwise: RelayFailure) -> NoReturn:
    """Raise our own error: the library's text may quote the relay."""
    has_ended = isinstance(error, OSError | websocket.WebSocketConnectionClosedException)
    raise RelayFailureError(RelayFailure.ENDED if has_ended else otherwise) from None
