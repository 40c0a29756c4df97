"""What a run does when somebody presses Ctrl-C, closes the terminal or sends SIGTERM.

The law: the handler takes no lock. It runs in the main thread, between any two of its steps, and an
Event that this thread waits for is locked at some of them: were it set from here, both would wait
for ever. So another thread sets it, as soon as it is free.
"""

import _thread
import signal
import threading
from collections.abc import Callable

from local.processes import StopAsked

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop_when_asked(stop: threading.Event) -> None:
    """Have a signal set ``stop``: whoever waits looks at it."""
    _answer(lambda: _set(stop))


def stop_at_once(stop: threading.Event) -> None:
    """Have a signal end whatever is being waited for, a move as well as a deployment: it raises
    StopAsked. The second one changes nothing, for by then all is being stopped.
    """
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
