"""The thread that notes, every few seconds, that this listener hears some relay.

The law: it only notes. What it means that nobody noted for a while is said where clocks are read;
and trouble with noting costs nobody an event.
"""

import logging
import threading
from collections.abc import Callable

from arbiter.application.ports import Clock, Outages

_LOG = logging.getLogger(__name__)

NOTE_SECONDS = 5.0
_LOOK_SECONDS = 0.5


class Heartbeat:
    """``is_heard`` says whether some relay is heard now. `start` it once."""

    def __init__(self, outages: Outages, is_heard: Callable[[], bool], clock: Clock) -> None:
        self._outages = outages
        self._is_heard = is_heard
        self._clock = clock
        self._is_stopped = threading.Event()

    def start(self) -> None:
        """Begin, in a thread of its own."""
        threading.Thread(target=self._run, name="noting", daemon=True).start()

    def stop(self) -> None:
        """End it soon, from any thread."""
        self._is_stopped.set()

    def _run(self) -> None:
        while not self._is_stopped.is_set():
            # Looked for more often than noted, so that the end of an outage is known at once.
            pause = NOTE_SECONDS if self._is_heard() and self._note() else _LOOK_SECONDS
            self._is_stopped.wait(pause)

    def _note(self) -> bool:
        try:
            self._outages.note(self._clock.now_ms())
        except Exception as error:  # noqa: BLE001 - the next one may get through, and events must
            _LOG.warning({"status": "not-noted", "error": type(error).__name__})
            return False
        return True
