"""The end of a run at Ctrl-C, SIGTERM, or when the terminal closes.

Invariant: the handler takes no lock, which the main thread may hold: another thread sets the Event.
"""

import _thread
import signal
import threading
from collections.abc import Callable

from local.processes import StopAsked

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop_when_asked(stop: threading.Event) -> None:
    _answer(lambda: _set(stop))


def stop_at_once(stop: threading.Event) -> None:
    """Have a signal raise StopAsked in the main thread; a second has no effect."""
    before: list[bool] = []

    def asked() -> None:
        if not before:
            before.append(True)
            _set(stop)
            raise StopAsked

    _answer(asked)


def _set(stop: threading.Event) -> None:
    # Not a Thread, whose start takes locks of its own.
    _thread.start_new_thread(stop.set, ())


def _answer(asked: Callable[[], None]) -> None:
    for number in _STOP_SIGNALS:
        signal.signal(number, lambda *_: asked())
