"""WebSocket frames (RFC 6455): validates a client's, splits a server's.

The emulator disconnects on a malformed frame. API Gateway sends a Close frame with the reason, and
so does the proxy.
"""

import asyncio
import codecs
import struct

from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Protocol, Side

MAX_MESSAGE_BYTES = 128 * 1024
"""API Gateway's quota for the payload of a message; it closes with 1009 above that."""

_LONG, _LONGER = 126, 127
"""Lengths that say that the length follows, in 2 or in 8 bytes (RFC 6455, 5.2)."""


class ClientFrames:
    """The frames of one client, in the order of their bytes.

    ``are_refused`` is true once one of them was.
    """

    def __init__(self) -> None:
        self._protocol = Protocol(Side.SERVER, max_size=MAX_MESSAGE_BYTES)
        self._text = codecs.getincrementaldecoder("utf-8")()
        self._is_text = False
        self.are_refused = False

    def refuse(self, chunk: bytes) -> bytes | None:
        """The Close frame to send back where these bytes break RFC 6455 (1002), are no UTF-8 in a
        text (1007), or make a message too large (1009); None otherwise. Feed nothing after that.
        """
        self._protocol.receive_data(chunk)
        frames = [event for event in self._protocol.events_received() if isinstance(event, Frame)]
        replies = self._protocol.data_to_send()
        if not all(map(self._is_readable, frames)):
            self.are_refused = True
            reason = struct.pack(">H", CloseCode.INVALID_DATA)
            return Frame(Opcode.CLOSE, reason).serialize(mask=False)
        # Without an error they answer pings and Close frames, which is for the server to do.
        self.are_refused = self._protocol.parser_exc is not None
        return b"".join(replies) if self.are_refused else None

    def _is_readable(self, frame: Frame) -> bool:
        """Whether a text is UTF-8 so far; a character may lie across two frames."""
        if frame.opcode in {Opcode.TEXT, Opcode.BINARY}:
            self._is_text = frame.opcode is Opcode.TEXT
        elif frame.opcode is not Opcode.CONT:
            return True
        if not self._is_text:
            return True
        try:
            self._text.decode(bytes(frame.data), final=frame.fin)
        except UnicodeDecodeError:
            return False
        return True


async def read_frame(reader: asyncio.StreamReader) -> bytes:
    """The next whole frame as it came; less where the connection ended within it, and nothing at
    its end.
    """
    frame = b""
    try:
        frame = await reader.readexactly(2)
        length = frame[1] & 0x7F
        if length in {_LONG, _LONGER}:
            extended = await reader.readexactly(2 if length == _LONG else 8)
            frame, length = frame + extended, int.from_bytes(extended, "big")
        masking_key = 4 if frame[1] & 0x80 else 0
        return frame + await reader.readexactly(masking_key + length)
    except asyncio.IncompleteReadError as ended:
        return frame + ended.partial
