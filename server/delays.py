"""The delays of this process by its own measure: its event loop stood still, or its disk did.

No move is read or decided meanwhile, and no state sent, so no clock runs: a delay is an outage of
the arbiter (`arbiter.core.outages`). Shorter ones are within the second that each move is forgiven.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Sequence

from arbiter.application.ports import Clock
from arbiter.core.outages import Outage

LEAST_MS = 250
"""A loop that does what it should is late by 50 at most, and a disk takes ten."""
BEAT_MS = 100
MAX_DELAYS = 1_000
"""Remembered; the latest."""


class Delays:
    """As `ports.Delays`. For the event loop's thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._delays: deque[Outage] = deque(maxlen=MAX_DELAYS)
        self._beat_at_ms: int | None = None
        """When the loop is to turn again; None before `serve`."""

    async def serve(self) -> None:
        """Look after the loop until cancelled."""
        while True:
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
        """Those that reach into this time, and the one that goes on: whatever runs first after it
        knows of it.
        """
        known, now_ms = [*self._delays], self._clock.now_ms()
        if self._beat_at_ms is not None and now_ms - self._beat_at_ms >= LEAST_MS:
            known.append(Outage(self._beat_at_ms, now_ms))
        return [one for one in known if one.until_ms > since_ms and one.from_ms < until_ms]
