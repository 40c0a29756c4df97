"""One websocket connection to one relay.

The law: the size of a frame is known before its payload is read, and of a message that is too large
nothing is kept. websocket-client 1.9 has no limit of its own, so its header reader is driven from
here and messages are put together here. No compression is offered (a bomb of a few bytes could
unfold) and no redirect is followed.
Every failure is a `RelayTroubleError`.

One thread talks through a connection; `abort` alone may be called from others.
"""

import contextlib
import socket
import time
from typing import NoReturn

import websocket

from arbiter.adapters.relays.deadline_socket import (
    DeadlineSocket,
    RelayFailure,
    RelayFailureError,
    dial,
)
from arbiter.nostr.limits import MAX_FRAME_BYTES

MOST_PASSED_OVER = 16 * 1024 * 1024
"""The largest message, in bytes, for which a relay is not left. Relays choose their own limits, so
anybody can have an honest one pass on an event that is too large for us: it is read past.
"""

PASSED_OVER = b""
"""What comes in place of such a message, and is none of the protocol."""

_MAX_HANDSHAKE_BYTES = 16_384
_PASSED_OVER_AT_ONCE = 16_384
_SEND_SECONDS = 10.0
_GOODBYE_SECONDS = 0.2
_CLOSE_NORMAL = b"\x03\xe8"

_TEXT = websocket.ABNF.OPCODE_TEXT
_CONTINUED = websocket.ABNF.OPCODE_CONT
_CLOSE = websocket.ABNF.OPCODE_CLOSE
_PING = websocket.ABNF.OPCODE_PING
_PONG = websocket.ABNF.OPCODE_PONG
_OPCODE_AT = 4
"""Where websocket-client keeps the opcode in a frame's header."""


class Pong:
    """The relay answered a ping."""


class RelayConnection:
    """An open connection; `connect` makes one."""

    def __init__(self, wire: DeadlineSocket, client: websocket.WebSocket) -> None:
        self._wire = wire
        self._client = client
        self._message = bytearray()
        self._announced_bytes = 0
        self._is_midway = False

    def send(self, text: str, timeout_seconds: float = _SEND_SECONDS) -> None:
        """Send one text message, whole or not at all as far as this connection goes on."""
        self._send(text.encode(), _TEXT, timeout_seconds)

    def ping(self) -> None:
        """Ask whether anybody is there; the answer is a `Pong` from `receive`."""
        self._send(b"", _PING, _SEND_SECONDS)

    def receive(self, timeout_seconds: float) -> bytes | Pong | None:
        """The next message or pong; None when none was complete in time (0: what is there). A
        message of more than ``MAX_FRAME_BYTES`` is ``PASSED_OVER``.

        A frame that stands half-read at the time-out is read on at the next call.
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
                    return Pong()
                case websocket.ABNF.OPCODE_CLOSE:
                    raise RelayFailureError(RelayFailure.ENDED)
                case _:
                    message = self._grown_by(frame)
                    if message is not None:
                        return message
            if time.monotonic() >= deadline:
                # Pings or empty fragments without end must not hold us here.
                return None

    def close(self) -> None:
        """Say goodbye if that takes no time, and let go. Never raises; twice is harmless."""
        with contextlib.suppress(RelayFailureError):
            self._send(_CLOSE_NORMAL, _CLOSE, _GOODBYE_SECONDS)
        self._wire.close()

    def abort(self) -> None:
        """Wake the thread that reads or writes here: it meets the end of the stream."""
        with contextlib.suppress(OSError, ValueError):
            self._wire.shutdown(socket.SHUT_RDWR)

    def _frame(self, deadline: float) -> websocket.ABNF | None:
        self._wire.limit_seconds(max(deadline - time.monotonic(), 0.0))
        incoming = self._client.frame_buffer
        try:
            if incoming.needs_header():
                incoming.recv_header()
            if incoming.needs_length():
                incoming.recv_length()
                self._announced(incoming)
            if incoming.has_mask():
                # RFC 6455 5.1: "A client MUST close a connection if it detects a masked frame."
                raise RelayFailureError(RelayFailure.NOT_THE_PROTOCOL)
            if self._is_too_large and not _is_control(incoming):
                _pass_over(incoming)
            return incoming.recv_frame()
        except websocket.WebSocketTimeoutException:
            return None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            _give_up(error, RelayFailure.NOT_THE_PROTOCOL)

    def _announced(self, incoming: websocket.frame_buffer) -> None:
        """A frame of this length is to come."""
        length = incoming.length or 0
        if not _is_control(incoming):
            self._announced_bytes += length
        if self._announced_bytes > MOST_PASSED_OVER or (
            _is_control(incoming) and length > MAX_FRAME_BYTES
        ):
            raise RelayFailureError(RelayFailure.TOO_LARGE)

    @property
    def _is_too_large(self) -> bool:
        """Whether the message under way is."""
        return self._announced_bytes > MAX_FRAME_BYTES

    def _grown_by(self, frame: websocket.ABNF) -> bytes | None:
        """The message that ``frame`` completes, or None when more is to come."""
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
        self._wire.limit_seconds(timeout_seconds)
        try:
            self._client.send(payload, opcode)
        except websocket.WebSocketTimeoutException:
            raise RelayFailureError(RelayFailure.STUCK) from None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            _give_up(error, RelayFailure.ENDED)


def connect(url: str, timeout_seconds: float) -> RelayConnection:
    """A connection to the configured relay at ``url``. Raises RelayTroubleError."""
    deadline = time.monotonic() + timeout_seconds
    wire = dial(url, deadline)
    wire.limit_seconds(max(deadline - time.monotonic(), 0.0))
    wire.limit_bytes(_MAX_HANDSHAKE_BYTES)
    client = websocket.WebSocket(skip_utf8_validation=True, enable_multithread=False)
    try:
        client.connect(  # type: ignore[no-untyped-call]
            url, socket=wire, redirect_limit=0, suppress_origin=True
        )
    except Exception:  # noqa: BLE001 - the handshake parses a stranger's bytes: cookies, numbers …
        wire.close()
        raise RelayFailureError(RelayFailure.NO_WEBSOCKET) from None
    wire.limit_bytes(None)
    return RelayConnection(wire, client)


def _is_control(incoming: websocket.frame_buffer) -> bool:
    """Whether the frame under way is a close, ping or pong: it may come amid a message."""
    return incoming.header is not None and incoming.header[_OPCODE_AT] >= _CLOSE


def _pass_over(incoming: websocket.frame_buffer) -> None:
    """Read the payload and keep none of it. What was read before a time-out stays read."""
    while incoming.length:
        read = min(incoming.length, _PASSED_OVER_AT_ONCE)
        incoming.recv_strict(read)
        incoming.length -= read


def _payload(frame: websocket.ABNF) -> bytes:
    """The bytes of a received frame; text only by the library's declaration."""
    return frame.data if isinstance(frame.data, bytes) else frame.data.encode()


def _give_up(error: Exception, otherwise: RelayFailure) -> NoReturn:
    """Say in our words what the library met. Its own text may quote the relay."""
    has_ended = isinstance(error, OSError | websocket.WebSocketConnectionClosedException)
    raise RelayFailureError(RelayFailure.ENDED if has_ended else otherwise) from None
