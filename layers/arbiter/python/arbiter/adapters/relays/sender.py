"""The sender to one queue: a bounded backlog, and the threads that empty it.

Invariant: an entry is sent or still waiting; only ``stop`` drops some, counted. A single event
leaves at once; batches leave one pause apart, so that ten cost one request, full ones without it.
"""

import logging
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.counters import Counters
from arbiter.application.ports import EventQueue
from arbiter.application.records import QueueEntry

BATCH_ENTRIES = 10
"""SQS takes ten entries a request."""
BATCH_BYTES = 250_000
"""SQS took 256 KiB a request before it took 1 MiB; one body is below 200,000 bytes."""


@dataclass(frozen=True, slots=True)
class _Hold:
    failures: int
    until: float


class Backlog:
    """A bounded sequence of entries. Pure, for one thread; times are monotonic seconds.

    Invariant: entries of one group leave in order: a failed entry holds back its group alone. SQS
    may accept the second of a batch, or of two, before the first: if ``is_ordered``, one entry of a
    group is under way at a time.
    """

    def __init__(
        self, *, max_entries: int, max_bytes: int, is_ordered: bool, retry: Backoff
    ) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._is_ordered = is_ordered
        self._retry = retry
        self._waiting: deque[QueueEntry] = deque()
        self._under_way: Counter[str] = Counter()
        """Entries of each group that are being sent, counted."""
        self._bytes = 0
        self._holds: dict[str, _Hold] = {}

    def __len__(self) -> int:
        return len(self._waiting) + self._under_way.total()

    def has_room(self) -> bool:
        return len(self) < self._max_entries and self._bytes < self._max_bytes

    def add(self, entry: QueueEntry) -> None:
        self._waiting.append(entry)
        self._bytes += len(entry.body)

    def is_batch_full(self) -> bool:
        """Whether waiting longer would no longer save a request."""
        return len(self._waiting) >= BATCH_ENTRIES

    def ready_at(self, now: float) -> float | None:
        """When the next batch may leave; infinity while all are under way, None for nothing."""
        if not self._waiting:
            return None
        earliest = math.inf
        for entry in self._waiting:
            if self._is_under_way(entry):
                continue
            hold = self._holds.get(entry.group_id)
            if hold is None or hold.until <= now:
                return now
            earliest = min(earliest, hold.until)
        return earliest

    def take(self, now: float) -> tuple[QueueEntry, ...]:
        """The next batch, for ``settle`` when it has been sent."""
        batch: list[QueueEntry] = []
        skipped: deque[QueueEntry] = deque()
        skipped_groups: set[str] = set()
        size = 0
        while self._waiting and len(batch) < BATCH_ENTRIES:
            entry = self._waiting.popleft()
            hold = self._holds.get(entry.group_id)
            fits = not batch or size + len(entry.body) <= BATCH_BYTES
            is_held = self._is_under_way(entry) or (hold is not None and now < hold.until)
            if is_held or not fits or entry.group_id in skipped_groups:
                skipped.append(entry)
                skipped_groups.add(entry.group_id)
                continue
            batch.append(entry)
            size += len(entry.body)
            if self._is_ordered:
                skipped_groups.add(entry.group_id)
        skipped.reverse()
        self._waiting.extendleft(skipped)
        self._under_way.update(entry.group_id for entry in batch)
        return tuple(batch)

    def settle(
        self, batch: Sequence[QueueEntry], failed: Sequence[QueueEntry], now: float, chance: float
    ) -> None:
        """End this batch: its ``failed`` entries go back to the front, the others are sent."""
        failed_ids = {entry.dedup_id for entry in failed}
        back = [entry for entry in batch if entry.dedup_id in failed_ids]
        self._under_way -= Counter(entry.group_id for entry in batch)
        for entry in batch:
            if entry.dedup_id not in failed_ids:
                self._bytes -= len(entry.body)
                self._holds.pop(entry.group_id, None)
        for group_id in {entry.group_id for entry in back}:
            before = self._holds.get(group_id)
            failures = 1 if before is None else before.failures + 1
            until = now + self._retry.delay_seconds(failures, chance)
            self._holds[group_id] = _Hold(failures, until)
        self._waiting.extendleft(reversed(back))

    def _is_under_way(self, entry: QueueEntry) -> bool:
        return self._is_ordered and entry.group_id in self._under_way


_LOG = logging.getLogger(__name__)

_RETRY = Backoff(first_seconds=0.1, longest_seconds=5.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderLimits:
    """The limits of one sender, which has ``at_once`` requests under way at most."""

    at_once: int = 4
    max_entries: int = 5_000
    max_bytes: int = 4_000_000
    pause_seconds: float = 0.02
    retry: Backoff = _RETRY


class Sender:
    """The way to one queue. ``start`` it once; ``put`` is thread-safe."""

    def __init__(
        self,
        queue: EventQueue,
        limits: SenderLimits,
        counters: Counters,
        chance: Callable[[], float],
        *,
        is_ordered: bool,
    ) -> None:
        self._queue = queue
        self._limits = limits
        self._counters = counters
        self._chance = chance
        self._backlog = Backlog(
            max_entries=limits.max_entries,
            max_bytes=limits.max_bytes,
            is_ordered=is_ordered,
            retry=limits.retry,
        )
        self._lock = threading.Lock()
        self._has_room = threading.Condition(self._lock)
        self._has_work = threading.Condition(self._lock)
        self._stops_by: float | None = None
        self._failures = 0
        self._next_batch_at = 0.0
        self._waits_for_company = False
        self._rests_until = 0.0
        self._threads = [
            threading.Thread(target=self._run, name="sender", daemon=True)
            for _ in range(limits.at_once)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def put(self, entry: QueueEntry, *, may_wait: bool) -> bool:
        """Accept an entry; without room, wait for it or return False. False when stopping."""
        with self._lock:
            while may_wait and self._stops_by is None and not self._backlog.has_room():
                self._has_room.wait()
            if self._stops_by is not None or not self._backlog.has_room():
                return False
            self._backlog.add(entry)
            if self._backlog.is_batch_full() or not self._waits_for_company:
                self._has_work.notify()
            return True

    def waiting(self) -> int:
        with self._lock:
            return len(self._backlog)

    def stop(self, within_seconds: float) -> None:
        """Refuse new entries and send the rest; ``join`` waits for the end."""
        with self._lock:
            if self._stops_by is None:
                self._stops_by = time.monotonic() + within_seconds
            self._has_room.notify_all()
            self._has_work.notify_all()

    def join(self) -> None:
        """Wait until the rest is sent, or ``stop``'s time is over and what is left is counted."""
        with self._lock:
            stops_by = self._stops_by
        for thread in self._threads:
            if thread.is_alive() and stops_by is not None:
                thread.join(max(stops_by - time.monotonic(), 0.0))
        for _ in range(self.waiting()):
            self._counters.add("unsent")

    def _run(self) -> None:
        while batch := self._next_batch():
            failed = self._failed(batch)
            with self._lock:
                now = time.monotonic()
                chance = self._chance()
                self._backlog.settle(batch, failed, now, chance)
                if len(failed) < len(batch):
                    self._failures = 0
                elif now >= self._rests_until:
                    # The queue itself fails, so other groups would fail too.
                    self._failures += 1
                    self._rests_until = now + self._limits.retry.delay_seconds(
                        self._failures, chance
                    )
                # For what may leave now this thread looks next; the others, when to end.
                self._has_room.notify_all()
                if self._stops_by is not None:
                    self._has_work.notify_all()

    def _next_batch(self) -> Sequence[QueueEntry]:
        """The next batch, when it is due; empty when it is time to end."""
        with self._lock:
            while True:
                now = time.monotonic()
                ready_at = self._backlog.ready_at(now)
                is_stopping = self._stops_by is not None
                if is_stopping and (ready_at is None or now >= self._bound()):
                    return ()
                is_hurried = is_stopping or self._backlog.is_batch_full()
                not_before = 0.0 if is_hurried else self._next_batch_at
                leaves_at = math.inf if ready_at is None else ready_at
                leaves_at = max(leaves_at, self._rests_until, not_before)
                if leaves_at <= now:
                    self._next_batch_at = now + self._limits.pause_seconds
                    batch = self._backlog.take(now)
                    if self._backlog.is_batch_full():
                        self._has_work.notify()
                    return batch
                self._waits_for_company = leaves_at == not_before
                wakes_at = min(leaves_at, self._bound())
                self._has_work.wait(None if wakes_at == math.inf else wakes_at - now)
                self._waits_for_company = False

    def _bound(self) -> float:
        return math.inf if self._stops_by is None else self._stops_by

    def _failed(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        try:
            failed = self._queue.send(batch)
        except Exception as error:  # noqa: BLE001 - whatever botocore raises, try again
            _LOG.warning("queue unreachable: %s", type(error).__name__)
            failed = batch
        if failed:
            _LOG.warning({"status": "failed", "entries": len(failed)})
        for entry in batch:
            self._counters.add("send-failed" if entry in failed else "sent")
        return failed
