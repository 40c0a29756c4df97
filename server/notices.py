"""Notices, told by threads after everything else about a record, which stays in the inbox until
then. Beyond the bound nothing waits: a notice is worth less than the memory.
"""

import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore

from arbiter.application.notices.tell import NoticeDeps, see_to
from arbiter.application.records import Notice
from server.metrics import Metrics

_log = logging.getLogger("arbiter")

AT_ONCE = 4
MAX_UNTOLD = 1_000
LOST = "notices-lost"
ATTEMPTS, PAUSE_SECONDS = 3, 2.0


class Notices:
    """The notices of one process."""

    def __init__(
        self,
        deps: NoticeDeps,
        metrics: Metrics,
        in_loop: Callable[[Callable[[], object]], object],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``in_loop`` calls a function in the event loop's thread, soon."""
        self._deps = deps
        self._metrics = metrics
        self._in_loop = in_loop
        self._sleep = sleep
        self._is_closed = False
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="notices")
        self._room = Semaphore(MAX_UNTOLD)

    def send(self, notices: Sequence[Notice]) -> None:
        self.take(notices, lambda: None)

    def take(self, notices: Sequence[Notice], done: Callable[[], object]) -> None:
        """See to these, and call ``done`` in the event loop's thread."""
        if not self._room.acquire(blocking=False):
            self._metrics.count("Notices", status=LOST)
            done()
            return
        self._threads.submit(self._work, notices, done)

    def close(self) -> None:
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _work(self, notices: Sequence[Notice], done: Callable[[], object]) -> None:
        statuses = [self._seen_to(notice) for notice in notices]

        def settle() -> None:
            for status in statuses:
                self._metrics.count("Notices", status=status)
            done()

        self._room.release()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._in_loop(settle)

    def _seen_to(self, notice: Notice) -> str:
        for attempt in range(ATTEMPTS):
            if self._is_closed:
                break
            try:
                return see_to(self._deps, notice)
            except Exception as failure:  # noqa: BLE001 - tried a few times, and counted
                _log.warning({"status": "notice-fault", "why": type(failure).__name__})
            self._sleep(PAUSE_SECONDS * attempt)
        return LOST
