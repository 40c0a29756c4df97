"""The heartbeat: it reports to the table that a relay is connected."""

import logging
import threading
from collections.abc import Callable

from arbiter.application.ports import Clock, Outages
from arbiter.core.outages import ACTIVE_MS, FOR_GOOD_MS, IDLE_REPORT_MS, RelayUptime

_LOG = logging.getLogger(__name__)

NOTE_SECONDS = 5.0
LOOK_SECONDS = 0.5


class Heartbeat:
    """Notes every few seconds that ``is_connected()``; errors are logged and retried. A report is a
    write: while ``heard()``, the number of events, has not changed for hours, one a minute will do.
    """

    def __init__(
        self,
        outages: Outages,
        is_connected: Callable[[], bool],
        heard: Callable[[], int],
        clock: Clock,
        before: Callable[[], RelayUptime | None],
    ) -> None:
        """``before`` is called before the first report, in its thread: what was reported."""
        self._outages = outages
        self._before = before
        self._is_connected = is_connected
        self._heard = heard
        self._clock = clock
        self._events = 0
        self._active_until_ms = 0
        self._reported_at_ms = 0
        self._is_stopped = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="noting", daemon=True).start()

    def stop(self) -> None:
        self._is_stopped.set()

    def _run(self) -> None:
        uptime = self._before()
        if uptime is None or uptime.active_until_ms == FOR_GOOD_MS:
            self._active_until_ms = self._clock.now_ms() + ACTIVE_MS
        else:
            self._active_until_ms = uptime.active_until_ms
        while not self._is_stopped.is_set():
            # Checked more often than reported, so that the end of an outage is known at once.
            pause = NOTE_SECONDS if self._is_connected() and self._beat() else LOOK_SECONDS
            self._is_stopped.wait(pause)

    def _beat(self) -> bool:
        now_ms, events = self._clock.now_ms(), self._heard()
        if events != self._events:
            self._events = events
            self._active_until_ms = max(self._active_until_ms, now_ms + ACTIVE_MS)
        is_reported = 0 <= now_ms - self._reported_at_ms < IDLE_REPORT_MS
        if is_reported and self._reported_at_ms >= self._active_until_ms:
            return True
        try:
            self._outages.report_connected(now_ms, self._active_until_ms)
        except Exception as error:  # noqa: BLE001 - the next report may succeed
            _LOG.warning({"status": "not-noted", "error": type(error).__name__})
            return False
        self._reported_at_ms = now_ms
        return True
