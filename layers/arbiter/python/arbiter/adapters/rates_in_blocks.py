"""Rates counted some at a time, so that a request seldom waits for the counter and pays for it.

The law: a limit is never passed, and may be met a little early. An environment takes a hundredth
of it at once and gives it out by itself; what it has not given out when the window ends is lost.
So of a limit of 1200 each environment may leave 11 unused, and a limit below 200 is counted
exactly.
"""

from collections import OrderedDict
from threading import Lock

from arbiter.application.ports import RateLimits

_BLOCKS = 100
_KEYS_REMEMBERED = 4_096


class RatesInBlocks:
    """Counts by these rates, in blocks. Threads may share it."""

    def __init__(self, rates: RateLimits) -> None:
        """``rates`` count for all environments together."""
        self._rates = rates
        self._left: OrderedDict[tuple[str, int, int], int] = OrderedDict()
        self._lock = Lock()

    def take(self, key: str, limit: int, window_seconds: int, now_ms: int, count: int = 1) -> bool:
        """As the port says; a ``count`` above one goes to the rates as it is."""
        block = limit // _BLOCKS
        if count > 1 or block <= 1:
            return self._rates.take(key, limit, window_seconds, now_ms, count)
        window = (key, window_seconds, now_ms // (window_seconds * 1000))
        with self._lock:
            left = self._left.pop(window, 0)
            if not left:
                if not self._rates.take(key, limit, window_seconds, now_ms, block):
                    return False
                left = block
            if left > 1:
                self._left[window] = left - 1
            if len(self._left) > _KEYS_REMEMBERED:
                self._left.popitem(last=False)
        return True
