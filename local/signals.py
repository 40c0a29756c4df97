"""What a run does when somebody presses Ctrl-C, closes the terminal or sends SIGTERM."""

import signal
import threading
from collections.abc import Callable

from local.processes import StopAsked

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop_when_asked(stop: threading.Event) -> None:
    """Have a signal set ``stop``: whoever waits looks at it."""
    _answer(stop.set)


def stop_at_once(stop: threading.Event) -> None:
    """Have a signal end whatever is being waited for, a move as well as a deployment: it raises
    StopAsked. The second one changes nothing, for by then all is being stopped.
    """

    def asked() -> None:
        if not stop.is_set():
            stop.set()
            raise StopAsked

    _answer(asked)


def _answer(asked: Callable[[], None]) -> None:
    for number in _STOP_SIGNALS:
        signal.signal(number, lambda *_: asked())
