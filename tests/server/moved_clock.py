"""`arbiter serve` by a clock that its test moves: a minute ahead at SIGUSR1, to midnight in UTC at
SIGUSR2. What is spent is read ten times a second.
"""

import asyncio
import signal
import sys

import uvloop

from arbiter.adapters.timers import SystemClock
from arbiter.application.spending import seconds_left
from server import spending
from server.key import load_key
from server.run import serve
from server.settings import read_settings


class MovedClock(SystemClock):
    """The system's time, and what it was moved by."""

    def __init__(self) -> None:
        self._ahead_ms = 0
        signal.signal(signal.SIGUSR1, lambda *_: self._move(60))
        signal.signal(signal.SIGUSR2, lambda *_: self._move(seconds_left(self.now_ms())))

    def now_ms(self) -> int:
        return super().now_ms() + self._ahead_ms

    def _move(self, seconds: int) -> None:
        self._ahead_ms += seconds * 1000


if __name__ == "__main__":
    spending.TICK_SECONDS = 0.1
    flags = [name.removeprefix("--") for name in sys.argv[2::2]]
    settings = read_settings(dict(zip(flags, sys.argv[3::2], strict=True)))
    settings.data.mkdir()
    key = load_key(settings.key_file).key
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(settings, key, MovedClock()))
