"""The day's budget of one machine: processor seconds of this process, and bytes to sockets."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import TypeVar

from arbiter.adapters.memory.connections import MemoryDayCounters
from arbiter.application.ports import Clock
from arbiter.application.spending import Spending

CPU_MS, BYTES = "cpu_ms", "bytes"
TICK_SECONDS = 15.0

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class DayLimits:
    """Limits of a day; 0 for none."""

    cpu_seconds: int = 0
    megabytes: int = 0


def spending_of(limits: DayLimits, clock: Clock) -> Spending:
    budget = {CPU_MS: limits.cpu_seconds * 1000, BYTES: limits.megabytes * 1_000_000}
    return Spending(MemoryDayCounters(), clock, budget)


class Meter:
    """Amounts that this process used since it was last read. For one thread."""

    def __init__(
        self,
        spending: Spending,
        bytes_sent: Callable[[], int],
        seconds: Callable[[], float] = process_time,
    ) -> None:
        self._spending, self._bytes_sent, self._seconds = spending, bytes_sent, seconds
        self._read_at, self._sent = seconds(), bytes_sent()
        self._used_by = Counter[str]()

    def timed(self, address: str, work: Callable[[], _T]) -> _T:
        """The result of this work, which is for this address."""
        began = self._seconds()
        try:
            return work()
        finally:
            self._used_by[address] += round((self._seconds() - began) * 1e6)

    def read(self) -> None:
        """Add up what was used: that of each address, and what is of none."""
        now, sent = self._seconds(), self._bytes_sent()
        used, self._used_by = self._used_by, Counter()
        rest_ms = max(round((now - self._read_at) * 1e3) - used.total() // 1000, 0)
        for address, micro_seconds in used.items():
            self._spending.add({CPU_MS: micro_seconds // 1000}, address)
        self._spending.add({CPU_MS: rest_ms, BYTES: sent - self._sent})
        self._read_at, self._sent = now, sent

    async def serve(self) -> None:
        while True:
            self.read()
            await asyncio.sleep(TICK_SECONDS)
