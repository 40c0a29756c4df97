"""The proxy's answers to malformed WebSocket frames."""

import asyncio
import struct
from collections.abc import Sequence

import pytest

from local.ports import LOOPBACK
from local.proxy import Proxy, Upstream
from local.websocket_frames import MAX_MESSAGE_BYTES, ClientFrames

_HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
)
_SWITCHING = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
_TEXT, _BINARY, _CONTINUATION, _CLOSE, _PING = 1, 2, 0, 8, 9


def frame(
    opcode: int, payload: bytes, *, fin: bool = True, masked: bool = True, rsv: int = 0
) -> bytes:
    """A frame of RFC 6455 (5.2) whose masking key is four zeros."""
    mask, size = 0x80 if masked else 0, len(payload)
    if size < 126:
        length = bytes([mask | size])
    elif size < 65536:
        length = bytes([mask | 126]) + struct.pack(">H", size)
    else:
        length = bytes([mask | 127]) + struct.pack(">Q", size)
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    return bytes([first]) + length + (bytes(4) if masked else b"") + payload


def two(opcode: int, first: bytes, second: bytes) -> bytes:
    """A message in two frames."""
    return frame(opcode, first, fin=False) + frame(_CONTINUATION, second)


MALFORMED = {
    "a reserved opcode": (1002, frame(3, b"x")),
    "a reserved control opcode": (1002, frame(11, b"")),
    "a reserved bit": (1002, frame(_TEXT, b"[]", rsv=4)),
    "an unmasked frame": (1002, frame(_TEXT, b"[]", masked=False)),
    "a fragmented ping": (1002, frame(_PING, b"x", fin=False)),
    "a ping of 126 bytes": (1002, frame(_PING, b"x" * 126)),
    "a continuation of nothing": (1002, frame(_CONTINUATION, b"x")),
    "a text within a text": (1002, frame(_TEXT, b"a", fin=False) + frame(_TEXT, b"b")),
    "a close frame of one byte": (1002, frame(_CLOSE, b"\x03")),
    "a reserved close code": (1002, frame(_CLOSE, struct.pack(">H", 1005))),
    "a text that is no UTF-8": (1007, frame(_TEXT, b"\xff")),
    "half a character at the end": (1007, frame(_TEXT, b"a\xc3")),
    "a broken character over two frames": (1007, two(_TEXT, b"\xc3", b"(")),
    "a frame that is too large": (1009, frame(_TEXT, b"x" * (MAX_MESSAGE_BYTES + 1))),
    "a message that is too large": (1009, two(_TEXT, b"x" * MAX_MESSAGE_BYTES, b"x")),
    "an absurd length": (1009, b"\x81\xff" + struct.pack(">Q", 2**62)),
}
_PING_WITHIN = frame(_TEXT, b"\xc3", fin=False) + frame(_PING, b"\xff")
WELL_FORMED = {
    "a text": frame(_TEXT, b"[]"),
    "an empty text": frame(_TEXT, b""),
    "binary": frame(_BINARY, b"\xff\xfe"),
    "binary in two frames": two(_BINARY, b"\xc3", b"("),
    "a character over two frames": two(_TEXT, b"\xc3", b"\xa9"),
    "a ping within a text": _PING_WITHIN + frame(_CONTINUATION, b"\xa9"),
    "the largest message": frame(_TEXT, b"x" * MAX_MESSAGE_BYTES),
    "a close": frame(_CLOSE, struct.pack(">H", 1000)),
}


async def _exchange(frames: Sequence[bytes], answer: bytes = b"") -> tuple[bytes, bytes]:
    """The bytes that a client receives that sends these frames, and those that the API receives.

    The API accepts the handshake, sends ``answer``, and does not disconnect.
    """
    got, gone = bytearray(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.extend(await reader.readuntil(b"\r\n\r\n"))
        writer.write(_SWITCHING + answer)
        while chunk := await reader.read(65536):
            got.extend(chunk)
        gone.set()
        writer.close()

    there = await asyncio.start_server(serve, LOOPBACK, 0)
    to = Upstream(there.sockets[0].getsockname()[1], "")
    server = await Proxy(to, to, lambda *_: None).open(0)
    async with there, server, asyncio.timeout(30):
        reader, writer = await asyncio.open_connection(LOOPBACK, server.sockets[0].getsockname()[1])
        writer.write(_HANDSHAKE)
        assert await reader.readuntil(b"\r\n\r\n") == _SWITCHING
        writer.write(b"".join(frames))
        writer.write_eof()
        received = await reader.read()
        writer.close()
        await gone.wait()
    head, _, body = bytes(got).partition(b"\r\n\r\n")
    # API Gateway compresses nothing, and compressed frames have a reserved bit.
    assert b"extensions" not in head.lower()
    return received, body


@pytest.mark.parametrize(("code", "frames"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_frame_is_answered_with_a_close_frame_and_its_code(
    code: int, frames: bytes
) -> None:
    good = frame(_TEXT, b'["CLOSE","a"]')

    received, got = asyncio.run(_exchange([good, frames]))

    assert received[0] == 0x80 | _CLOSE
    assert len(received) == 2 + received[1], "one unmasked frame and nothing after it"
    assert struct.unpack(">H", received[2:4]) == (code,)
    assert got.startswith(good)


@pytest.mark.parametrize("frames", WELL_FORMED.values(), ids=WELL_FORMED)
def test_well_formed_frames_reach_the_api_unchanged_however_they_are_cut(frames: bytes) -> None:
    judged = ClientFrames()

    assert asyncio.run(_exchange([frames])) == (b"", frames)
    # The large one in larger pieces, or this would take seconds.
    step = 1 if len(frames) < 1000 else 999
    assert not any(judged.refuse(frames[at : at + step]) for at in range(0, len(frames), step))
