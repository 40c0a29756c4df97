"""The delays of this process: its event loop or disk stopped, or it was started anew. Each is an
outage of the arbiter (`arbiter.core.outages`): no move is read meanwhile, so no clock runs.
"""

import asyncio
import contextlib
import json
import os
from collections import deque
from collections.abc import Awaitable, Sequence
from pathlib import Path

from arbiter.application.ports import Clock
from arbiter.core.outages import MAX_MS, OUTAGES_KEPT, RETURN_MS, Outage

LEAST_MS = 250
"""A loop that does what it should is late by 50 at most, and a disk takes ten."""
BEAT_MS = 100
MAX_DELAYS = 1_000
"""Remembered; the latest."""
BEATS_OF_A_SIGN = 10


class Delays:
    """As `ports.Delays`. For the event loop's thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._path: Path | None = None
        self._delays: deque[Outage] = deque(maxlen=MAX_DELAYS)
        self._beat_at_ms: int | None = None
        """When the loop is to turn again; None before `serve`."""

    def start(self, path: Path) -> None:
        """Note for how long no process served: the file has the last starts and shows life."""
        self._path = path
        self._delays.extend(_last_starts(path, self._clock.now_ms()))

    async def serve(self) -> None:
        while True:
            if self._path is not None:
                with contextlib.suppress(OSError):
                    os.utime(self._path)
            for _ in range(BEATS_OF_A_SIGN):
                self._beat_at_ms = self._clock.now_ms() + BEAT_MS
                await asyncio.sleep(BEAT_MS / 1000)
                self._note(self._beat_at_ms)

    async def timed(self, sync: Awaitable[None]) -> None:
        """Wait for the disk, and note it if that is slow."""
        began_ms = self._clock.now_ms()
        try:
            await sync
        finally:
            self._note(began_ms)

    def _note(self, from_ms: int) -> None:
        delay = Outage(from_ms, self._clock.now_ms())
        if delay.until_ms - delay.from_ms >= LEAST_MS:
            self._delays.append(delay)

    def during(self, since_ms: int, until_ms: int) -> Sequence[Outage]:
        """Those that reach into this time, and the one that goes on."""
        known, now_ms = [*self._delays], self._clock.now_ms()
        if self._beat_at_ms is not None and now_ms - self._beat_at_ms >= LEAST_MS:
            known.append(Outage(self._beat_at_ms, now_ms))
        return [one for one in known if one.until_ms > since_ms and one.from_ms < until_ms]


def _last_starts(path: Path, now_ms: int) -> Sequence[Outage]:
    """The times, oldest first, in which no process served this data; None without the file."""
    known: list[Outage] = []
    left_ms = now_ms
    with contextlib.suppress(OSError, ValueError, TypeError):
        left_ms = path.stat().st_mtime_ns // 1_000_000
        known = [Outage(int(begun), int(ended)) for begun, ended in json.loads(path.read_bytes())]
    if now_ms - left_ms >= LEAST_MS:
        known.append(Outage(left_ms, min(now_ms, left_ms + MAX_MS) + RETURN_MS))
    known = known[-OUTAGES_KEPT:]
    with contextlib.suppress(OSError):
        path.write_text(json.dumps([[it.from_ms, it.until_ms] for it in known]), encoding="utf-8")
    return known
