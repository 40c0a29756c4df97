"""The day's budget: what is counted, by address and in all, and what is refused beyond it.

Units are dollars on AWS (`adapters.bill`), processor time and bytes on one machine. Each process
writes once a minute, so others may not know of its last one.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from threading import Lock

from arbiter.application.ports import Clock, DayCounters
from arbiter.core.clocks import DAY_MS

_log = logging.getLogger("arbiter")

WRITTEN_MS = 60_000
"""Between two writes of a process, if there is anything to write."""

MAX_ADDRESSES_WRITTEN = 5
"""At a time, those that spent most."""

ALL = ""
"""The name under which everything is counted."""

SPENT = "the arbiter has used up its budget of this day: it opens again at 00:00 UTC"


class Level(IntEnum):
    """Requests that are still taken. The last tenth of a budget is for who is here already."""

    OPEN = 0
    NOTHING_NEW = 1
    """No new game, subscription, or word of a spectator."""
    GAMES_ONLY = 2
    """Running games go on, and nothing else does."""


def level_of(spent: Mapping[str, int], budget: Mapping[str, int]) -> Level:
    """The level, by the unit of which most is used; a unit of which 0 is allowed has no bound."""
    parts = (spent.get(unit, 0) / most for unit, most in budget.items() if most)
    used = max(parts, default=0.0)
    if used >= 1:
        return Level.GAMES_ONLY
    return Level.NOTHING_NEW if used >= 0.9 else Level.OPEN  # noqa: PLR2004 - as `Level` says


def seconds_left(now_ms: int) -> int:
    """Until this day is over."""
    return 86_400 - now_ms // 1000 % 86_400


def is_for_games_only(spending: "Spending | None") -> bool:
    return spending is not None and spending.level() is Level.GAMES_ONLY


def day_of(now_ms: int) -> str:
    """The day in UTC, such as 2026-11-28."""
    return datetime.fromtimestamp(now_ms / 1000, UTC).date().isoformat()


@dataclass(slots=True)
class Spending:
    """Amounts that this process spends, and those it knows of the others. Thread-safe."""

    counters: DayCounters
    clock: Clock
    budget: Mapping[str, int]
    _lock: Lock = field(default_factory=Lock, init=False)
    _unwritten: dict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter), init=False
    )
    _level: Level = field(default=Level.OPEN, init=False)
    _day_ends_ms: int = field(default=0, init=False)
    _write_at_ms: int = field(default=0, init=False)

    def add(self, amounts: Mapping[str, int], address: str = ALL) -> None:
        """Count so much more of each unit, for this address; write it, if a minute is over."""
        now_ms = self.clock.now_ms()
        with self._lock:
            for name in {ALL, address}:
                self._unwritten[name].update(amounts)
            if now_ms < self._write_at_ms:
                return
            self._write_at_ms = now_ms + WRITTEN_MS
            unwritten, self._unwritten = self._unwritten, defaultdict(Counter)
        self._write(unwritten, now_ms)

    def level(self) -> Level:
        """The level now. Each frame asks, so it is known beforehand."""
        with self._lock:
            return self._level if self.clock.now_ms() < self._day_ends_ms else Level.OPEN

    def why_closed(self) -> str | None:
        """Return the reason why no game begins, if none does."""
        return None if self.level() is Level.OPEN else SPENT

    def _write(self, unwritten: Mapping[str, Counter[str]], now_ms: int) -> None:
        """Write what was counted; what cannot be written is lost, as it is an estimate."""
        day, of_all = day_of(now_ms), unwritten[ALL]
        addresses = sorted(unwritten.keys() - {ALL}, key=lambda it: (-unwritten[it].total(), it))
        try:
            known = self.counters.add(day, ALL, of_all)
            for address in addresses[:MAX_ADDRESSES_WRITTEN]:
                self.counters.add(day, address, unwritten[address])
        except Exception as failure:  # noqa: BLE001 - as above
            _log.warning({"status": "spending-unwritten", "error": type(failure).__name__})
            return
        with self._lock:
            self._level = level_of(known, self.budget)
            self._day_ends_ms = (now_ms // DAY_MS + 1) * DAY_MS
        for unit, most in self.budget.items():
            # One process sees each sum, so one line is written a day.
            if known.get(unit, 0) - of_all[unit] < most / 2 <= known.get(unit, 0):
                _log.warning({"status": "half-spent", "unit": unit, "spent": known[unit]})
