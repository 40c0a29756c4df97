import time

from arbiter.adapters.timers import SystemClock


def test_the_clock_tells_unix_milliseconds() -> None:
    before = time.time() * 1000

    now_ms = SystemClock().now_ms()

    assert isinstance(now_ms, int)
    assert before - 1 <= now_ms <= time.time() * 1000
