"""What the front door answers to malformed WebSocket frames, over raw sockets."""

import asyncio
import struct
from collections.abc import Sequence

import pytest

from local.ports import LOOPBACK
from local.proxy import FrontDoor, Upstream
from local.websocket_frames import MAX_MESSAGE_BYTES, ClientFrames

_HANDSHAKE = b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
_SWITCHING = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
_TEXT, _BINARY, _CONTINUATION, _CLOSE, _PING = 1, 2, 0, 8, 9


def frame(
    opcode: int, payload: bytes, *, fin: bool = True, masked: bool = True, rsv: int = 0
) -> bytes:
    """A frame as RFC 6455 (5.2) has it, its masking key four zeros."""
    mask = 0x80 if masked else 0
    size = len(payload)
    if size < 126:
        length = bytes([mask | size])
    elif size < 65536:
        length = bytes([mask | 126]) + struct.pack(">H", size)
    else:
        length = bytes([mask | 127]) + struct.pack(">Q", size)
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    return bytes([first]) + length + (bytes(4) if masked else b"") + payload


MALFORMED = {
    "a reserved opcode": (1002, [frame(3, b"x")]),
    "a reserved control opcode": (1002, [frame(11, b"")]),
    "a reserved bit": (1002, [frame(_TEXT, b"[]", rsv=4)]),
    "an unmasked frame": (1002, [frame(_TEXT, b"[]", masked=False)]),
    "a fragmented ping": (1002, [frame(_PING, b"x", fin=False)]),
    "a ping of 126 bytes": (1002, [frame(_PING, b"x" * 126)]),
    "a continuation of nothing": (1002, [frame(_CONTINUATION, b"x")]),
    "a text within a text": (1002, [frame(_TEXT, b"a", fin=False), frame(_TEXT, b"b")]),
    "a close frame of one byte": (1002, [frame(_CLOSE, b"\x03")]),
    "a close code of no wire": (1002, [frame(_CLOSE, struct.pack(">H", 1005))]),
    "a text that is no UTF-8": (1007, [frame(_TEXT, b"\xff")]),
    "half a character at the end": (1007, [frame(_TEXT, b"a\xc3")]),
    "a broken character over two frames": (
        1007,
        [frame(_TEXT, b"\xc3", fin=False), frame(_CONTINUATION, b"(")],
    ),
    "a frame that is too large": (1009, [frame(_TEXT, b"x" * (MAX_MESSAGE_BYTES + 1))]),
    "a message that is too large": (
        1009,
        [frame(_TEXT, b"x" * MAX_MESSAGE_BYTES, fin=False), frame(_CONTINUATION, b"x")],
    ),
    "a length that nobody sends": (1009, [b"\x81\xff" + struct.pack(">Q", 2**62)]),
}

WELL_FORMED = {
    "a text": [frame(_TEXT, b"[]")],
    "no text": [frame(_TEXT, b"")],
    "bytes that are no text": [frame(_BINARY, b"\xff\xfe")],
    "bytes in two frames": [frame(_BINARY, b"\xc3", fin=False), frame(_CONTINUATION, b"(")],
    "a character over two frames": [
        frame(_TEXT, b"\xc3", fin=False),
        frame(_CONTINUATION, b"\xa9"),
    ],
    "a ping within a text": [
        frame(_TEXT, b"\xc3", fin=False),
        frame(_PING, b"\xff"),
        frame(_CONTINUATION, b"\xa9"),
    ],
    "as large as may be": [frame(_TEXT, b"x" * MAX_MESSAGE_BYTES)],
    "a close": [frame(_CLOSE, struct.pack(">H", 1000))],
}


async def _ask(frames: Sequence[bytes], told: bytes = b"") -> tuple[bytes, bytes]:
    """What a client hears that sends these frames, and what the API got of them. The API accepts
    the handshake, says ``told``, and neither answers nor hangs up.
    """
    got, gone = bytearray(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(_SWITCHING + told)
        while chunk := await reader.read(65536):
            got.extend(chunk)
        gone.set()
        writer.close()

    there = await asyncio.start_server(serve, LOOPBACK, 0)
    to = Upstream(there.sockets[0].getsockname()[1], "")
    server = await FrontDoor(to, to, lambda *_: None).open(0)
    async with there, server, asyncio.timeout(30):
        reader, writer = await asyncio.open_connection(LOOPBACK, server.sockets[0].getsockname()[1])
        writer.write(_HANDSHAKE)
        assert await reader.readuntil(b"\r\n\r\n") == _SWITCHING
        for one in frames:
            writer.write(one)
        if frames:
            writer.write_eof()
        heard = await reader.read()
        writer.close()
        await gone.wait()
    return heard, bytes(got)


@pytest.mark.parametrize(("code", "frames"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_frame_is_answered_with_a_close_frame_that_says_why(
    code: int, frames: list[bytes]
) -> None:
    heard, _ = asyncio.run(_ask(frames))

    assert heard[0] == 0x80 | _CLOSE
    assert len(heard) == 2 + heard[1], "one unmasked frame and nothing after it"
    assert struct.unpack(">H", heard[2:4]) == (code,)


@pytest.mark.parametrize("frames", WELL_FORMED.values(), ids=WELL_FORMED)
def test_well_formed_frames_reach_the_api_as_they_are(frames: list[bytes]) -> None:
    heard, got = asyncio.run(_ask(frames))

    assert (heard, got) == (b"", b"".join(frames))


@pytest.mark.parametrize("frames", [*WELL_FORMED.values()], ids=WELL_FORMED)
def test_frames_are_read_however_their_bytes_are_cut(frames: list[bytes]) -> None:
    judged = ClientFrames()

    # The large one in larger pieces, or this would take seconds.
    data = b"".join(frames)
    step = 1 if len(data) < 1000 else 999
    assert not any(judged.refuse(data[at : at + step]) for at in range(0, len(data), step))


def test_what_came_before_a_malformed_frame_still_reaches_the_api() -> None:
    good = frame(_TEXT, b'["CLOSE","a"]')

    heard, got = asyncio.run(_ask([good + frame(3, b"x")]))

    assert heard[0] == 0x80 | _CLOSE
    assert got.startswith(good)


def test_no_close_frame_comes_within_a_frame_of_the_api() -> None:
    whole = frame(_TEXT, b"whole", masked=False)
    begun = frame(_TEXT, b"x" * 70_000, masked=False)[:-1]

    heard, _ = asyncio.run(_ask([frame(3, b"")], told=whole + begun))

    assert heard.removeprefix(whole)[0] == 0x80 | _CLOSE


def test_a_client_is_offered_no_compression() -> None:
    """Its frames have a reserved bit, and API Gateway knows none."""
    asked = _HANDSHAKE.replace(
        b"\r\n\r\n", b"\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    )

    async def head() -> bytes:
        arrived: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            arrived.set_result(await reader.readuntil(b"\r\n\r\n"))
            writer.close()

        there = await asyncio.start_server(serve, LOOPBACK, 0)
        to = Upstream(there.sockets[0].getsockname()[1], "")
        server = await FrontDoor(to, to, lambda *_: None).open(0)
        async with there, server, asyncio.timeout(30):
            where = server.sockets[0].getsockname()[1]
            _, writer = await asyncio.open_connection(LOOPBACK, where)
            writer.write(asked)
            found = await arrived
            writer.close()
        return found

    assert b"extensions" not in asyncio.run(head()).lower()
