"""One websocket connection to one relay.

The law: the size of a frame is known, and refused, before its payload is read. websocket-client
1.9 has no limit of its own, so its header reader is driven from here and messages are put together
here. No compression is offered (a bomb of a few bytes could unfold) and no redirect is followed.
Every failure is a `RelayTroubleError`.

One thread talks through a connection; `abort` alone may be called from others.
"""

import contextlib
import socket
import time
from typing import NoReturn

import websocket

from arbiter.adapters.relays.trouble import RelayTroubleError, Trouble
from arbiter.adapters.relays.wire import Wire, dial
from arbiter.nostr.limits import MAX_FRAME_BYTES

_MAX_HANDSHAKE_BYTES = 16_384
_SEND_SECONDS = 10.0
_GOODBYE_SECONDS = 0.2
_CLOSE_NORMAL = b"\x03\xe8"

_TEXT = websocket.ABNF.OPCODE_TEXT
_CONTINUED = websocket.ABNF.OPCODE_CONT
_CLOSE = websocket.ABNF.OPCODE_CLOSE
_PING = websocket.ABNF.OPCODE_PING
_PONG = websocket.ABNF.OPCODE_PONG


class Pong:
    """The relay answered a ping."""


class RelayConnection:
    """An open connection; `connect` makes one."""

    def __init__(self, wire: Wire, client: websocket.WebSocket) -> None:
        self._wire = wire
        self._client = client
        self._message = bytearray()
        self._is_midway = False

    def send(self, text: str, timeout_seconds: float = _SEND_SECONDS) -> None:
        """Send one text message, whole or not at all as far as this connection goes on."""
        self._send(text.encode(), _TEXT, timeout_seconds)

    def ping(self) -> None:
        """Ask whether anybody is there; the answer is a `Pong` from `receive`."""
        self._send(b"", _PING, _SEND_SECONDS)

    def receive(self, timeout_seconds: float) -> bytes | Pong | None:
        """The next message or pong; None when none was complete in time (0: what is there).

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
                    raise RelayTroubleError(Trouble.ENDED)
                case _:
                    message = self._grown_by(frame)
                    if message is not None:
                        return message
            if time.monotonic() >= deadline:
                # Pings or empty fragments without end must not hold us here.
                return None

    def close(self) -> None:
        """Say goodbye if that takes no time, and let go. Never raises; twice is harmless."""
        with contextlib.suppress(RelayTroubleError):
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
            if (incoming.length or 0) > MAX_FRAME_BYTES - len(self._message):
                raise RelayTroubleError(Trouble.TOO_LARGE)
            if incoming.has_mask():
                # RFC 6455 5.1: "A client MUST close a connection if it detects a masked frame."
                raise RelayTroubleError(Trouble.NOT_THE_PROTOCOL)
            return incoming.recv_frame()
        except websocket.WebSocketTimeoutException:
            return None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            _give_up(error, Trouble.NOT_THE_PROTOCOL)

    def _grown_by(self, frame: websocket.ABNF) -> bytes | None:
        """The message that ``frame`` completes, or None when more is to come."""
        # RFC 6455 5.4: a fragmented message starts with its opcode and goes on with opcode 0.
        if (frame.opcode == _CONTINUED) != self._is_midway:
            raise RelayTroubleError(Trouble.NOT_THE_PROTOCOL)
        self._message += _payload(frame)
        self._is_midway = not frame.fin
        if self._is_midway:
            return None
        message = bytes(self._message)
        self._message.clear()
        return message

    def _send(self, payload: bytes, opcode: int, timeout_seconds: float) -> None:
        self._wire.limit_seconds(timeout_seconds)
        try:
            self._client.send(payload, opcode)
        except websocket.WebSocketTimeoutException:
            raise RelayTroubleError(Trouble.STUCK) from None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            _give_up(error, Trouble.ENDED)


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
        raise RelayTroubleError(Trouble.NO_WEBSOCKET) from None
    wire.limit_bytes(None)
    return RelayConnection(wire, client)


def _payload(frame: websocket.ABNF) -> bytes:
    """The bytes of a received frame; text only by the library's declaration."""
    return frame.data if isinstance(frame.data, bytes) else frame.data.encode()


def _give_up(error: Exception, otherwise: Trouble) -> NoReturn:
    """Say in our words what the library met. Its own text may quote the relay."""
    has_ended = isinstance(error, OSError | websocket.WebSocketConnectionClosedException)
    raise RelayTroubleError(Trouble.ENDED if has_ended else otherwise) from None
