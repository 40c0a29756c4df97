"""Fires timers of games and publications that no relay accepted; deletes what has expired."""

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable
from functools import partial

from arbiter.adapters.sqlite.items import delete_expired
from arbiter.adapters.sqlite.queues import SqliteRepublishQueue
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.application.intake.routing import timer_entry
from arbiter.application.ports import Clock
from arbiter.application.records import QueueEntry
from server.processing import Processing

_log = logging.getLogger("arbiter")

LOOK_SECONDS = 1.0
"""At least so often the file is asked what is due."""
DELETE_EVERY_MS = 60 * 60 * 1000
DELETED_AT_ONCE = 200
"""Expired items that one transaction deletes, so that no move waits long for it."""


class Timekeeper:
    """Puts what is due in its group; deletes the expired, a portion at each look, every hour."""

    def __init__(
        self,
        store: Store,
        timers: SqliteTimers,
        republications: SqliteRepublishQueue,
        clock: Clock,
        processing: Processing,
    ) -> None:
        self._store = store
        self._timers = timers
        self._republications = republications
        self._clock = clock
        self._processing = processing
        self._fired: set[object] = set()
        self._is_settled = asyncio.Event()
        self._deletes_at_ms = 0

    async def serve(self) -> None:
        while True:
            try:
                self.look()
            except Exception as failure:  # noqa: BLE001 - the next look may succeed
                _log.error({"status": "failed"}, exc_info=failure)
            # A timer may set one due at once: that a flag falls behind the mover's own events.
            self._is_settled.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._is_settled.wait()

    def look(self) -> None:
        now_ms = self._clock.now_ms()
        for timer in self._timers.due(now_ms):
            self._take(timer, timer_entry(timer, now_ms), partial(self._timers.done, (timer,)))
        for due in self._republications.due(now_ms):
            name = f"republish-{due.number}"
            entry = QueueEntry(queue="moves", body=due.body, group_id=name, dedup_id=name)
            self._take(name, entry, partial(self._republications.done, due))
        if now_ms >= self._deletes_at_ms:
            self._deletes_at_ms = now_ms + DELETE_EVERY_MS
            self._store.write_soon(partial(self._delete_expired, now_ms=now_ms))

    def _delete_expired(self, cursor: sqlite3.Cursor, now_ms: int) -> None:
        if delete_expired(cursor, now_ms, DELETED_AT_ONCE) == DELETED_AT_ONCE:
            self._deletes_at_ms = now_ms

    def _take(self, name: object, entry: QueueEntry, remove: Callable[[], object]) -> None:
        """Process this entry, once: it is stored until its transaction removes it."""
        if name in self._fired:
            return
        self._fired.add(name)

        def after() -> None:
            self._fired.discard(name)
            self._is_settled.set()

        self._processing.take(entry, before=remove, after=after)
