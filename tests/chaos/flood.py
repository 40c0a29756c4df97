"""Junk from many strangers at once, over relays and at the gateway, for a limited time: a third
properly signed nonsense, a third forged, and a third no message at all.
"""

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any

import nostr_sdk  # type: ignore[import-untyped]
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from clients.probes.independent_client import MOVE, REQUEST_TO_PLAY
from clients.probes.raw_socket import signed

_STRANGERS = 40
_SOCKETS_PER_URL = 4
_PAUSE_SECONDS = 0.2
_PARTING_SECONDS = 1.0
_FRAMES = (
    "",
    "junk",
    "[]",
    "{}",
    '["EVENT"]',
    '["EVENT", null]',
    '["REQ", "x", {"kinds": "all"}]',
    '["CLOSE", 7]',
    "[" * 2_000,
    '["EVENT", {"id": 1, "kind": -1, "tags": {}}]',
    "\u202e" * 500,
    "x" * 60_000,
)


async def flood(
    urls: Sequence[str], server: str, *, per_second: int, seconds: float, chance: random.Random
) -> int:
    """Send as many frames a second, to each address its share, for so long; how many were sent."""
    sockets = len(urls) * _SOCKETS_PER_URL
    ends_at = time.monotonic() + seconds
    sent = await asyncio.gather(
        *(
            _pour(url, _junk(server, random.Random(chance.random())), per_second / sockets, ends_at)
            for url in urls
            for _ in range(_SOCKETS_PER_URL)
        )
    )
    return sum(sent)


async def _pour(url: str, junk: Iterator[str], per_second: float, ends_at: float) -> int:
    """Keep to the pace, and reconnect when disconnected."""
    sent = 0
    started = time.monotonic()
    while (now := time.monotonic()) < ends_at:
        with contextlib.suppress(OSError, TimeoutError, WebSocketException):
            async with connect(url, compression=None, close_timeout=_PARTING_SECONDS) as socket:
                listening = asyncio.create_task(_swallow(socket))
                try:
                    while (now := time.monotonic()) < ends_at:
                        while sent < (now - started) * per_second:
                            await socket.send(next(junk))
                            sent += 1
                        await asyncio.sleep(_PAUSE_SECONDS)
                finally:
                    listening.cancel()
        await asyncio.sleep(_PAUSE_SECONDS)
    return sent


async def _swallow(socket: Any) -> None:
    with contextlib.suppress(WebSocketException):
        async for _ in socket:
            pass


def _junk(server: str, chance: random.Random) -> Iterator[str]:
    """Frames without end."""
    strangers = [nostr_sdk.Keys.generate() for _ in range(_STRANGERS)]
    while True:
        yield json.dumps(["EVENT", _nonsense(chance.choice(strangers), server, chance)])
        forged = _nonsense(chance.choice(strangers), server, chance)
        yield json.dumps(["EVENT", {**forged, "sig": chance.randbytes(64).hex()}])
        yield chance.choice(_FRAMES)


def _nonsense(stranger: Any, server: str, chance: random.Random) -> dict[str, Any]:
    """A move in a game that is not, or a request on terms of its own."""
    noise = chance.randbytes(8).hex()
    to_server = ["p", server]
    if chance.random() < 0.5:
        tags = [["d", chance.randbytes(16).hex()], to_server, ["p", noise * 4], ["p", noise * 4]]
        return signed(stranger, MOVE, chance.choice(("e2e4", "resign", noise)), tags)
    terms = [
        "time",
        chance.choice((noise, f"{chance.randint(4000, 10000)}+{chance.randint(0, 180)}")),
    ]
    return signed(stranger, REQUEST_TO_PLAY, "", [to_server, terms])
