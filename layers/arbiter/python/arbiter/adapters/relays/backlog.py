"""What waits to be sent to one queue, in order, with what failed in front.

The law: pure, and not for two threads at once. Entries of one group leave in the order in which
they came, whatever fails in between: a group has one entry under way at a time, and a failed one
holds its group back, and only its group. SQS may take the second entry of a batch and not the
first, so two of a group never share a batch, unless their order means nothing (``is_ordered``).
"""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from arbiter.adapters.relays.backoff import Backoff
from arbiter.application.routing import QueueEntry

BATCH_ENTRIES = 10
"""SQS takes ten entries a request."""
BATCH_BYTES = 250_000
"""SQS took 256 KiB a request before it took 1 MiB; one body is below 200,000 bytes."""


@dataclass(frozen=True, slots=True)
class _Hold:
    failures: int
    until: float


class Backlog:
    """A bounded sequence of entries. Times are monotonic seconds."""

    def __init__(
        self, *, max_entries: int, max_bytes: int, is_ordered: bool, retry: Backoff
    ) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._is_ordered = is_ordered
        self._retry = retry
        self._waiting: deque[QueueEntry] = deque()
        self._under_way: tuple[QueueEntry, ...] = ()
        self._bytes = 0
        self._holds: dict[str, _Hold] = {}

    def __len__(self) -> int:
        """How many entries wait or are under way."""
        return len(self._waiting) + len(self._under_way)

    def has_room(self) -> bool:
        """Whether one more entry may be added. Bytes count as well as entries."""
        return len(self) < self._max_entries and self._bytes < self._max_bytes

    def add(self, entry: QueueEntry) -> None:
        """Put an entry at the end."""
        self._waiting.append(entry)
        self._bytes += len(entry.body)

    def is_batch_full(self) -> bool:
        """Whether waiting for company would no longer save a request."""
        return len(self._waiting) >= BATCH_ENTRIES

    def ready_at(self, now: float) -> float | None:
        """When the next batch may leave: ``now``, later while groups are held, None if empty."""
        if not self._waiting:
            return None
        earliest = math.inf
        for entry in self._waiting:
            hold = self._holds.get(entry.group_id)
            if hold is None or hold.until <= now:
                return now
            earliest = min(earliest, hold.until)
        return earliest

    def take(self, now: float) -> tuple[QueueEntry, ...]:
        """The next batch, now under way: settle it with `settle` before taking another."""
        batch: list[QueueEntry] = []
        passed_over: deque[QueueEntry] = deque()
        passed_groups: set[str] = set()
        size = 0
        while self._waiting and len(batch) < BATCH_ENTRIES:
            entry = self._waiting.popleft()
            hold = self._holds.get(entry.group_id)
            fits = not batch or size + len(entry.body) <= BATCH_BYTES
            is_held = hold is not None and now < hold.until
            if is_held or not fits or entry.group_id in passed_groups:
                passed_over.append(entry)
                passed_groups.add(entry.group_id)
                continue
            batch.append(entry)
            size += len(entry.body)
            if self._is_ordered:
                passed_groups.add(entry.group_id)
        passed_over.reverse()
        self._waiting.extendleft(passed_over)
        self._under_way = tuple(batch)
        return self._under_way

    def settle(self, failed: Sequence[QueueEntry], now: float, chance: float) -> None:
        """The batch under way is over: ``failed`` of it go back to the front, the rest are gone."""
        failed_ids = {entry.dedup_id for entry in failed}
        back = [entry for entry in self._under_way if entry.dedup_id in failed_ids]
        for entry in self._under_way:
            if entry.dedup_id not in failed_ids:
                self._bytes -= len(entry.body)
                self._holds.pop(entry.group_id, None)
        for group_id in {entry.group_id for entry in back}:
            before = self._holds.get(group_id)
            failures = 1 if before is None else before.failures + 1
            until = now + self._retry.delay_seconds(failures, chance)
            self._holds[group_id] = _Hold(failures, until)
        self._waiting.extendleft(reversed(back))
        self._under_way = ()
