"""Rate limits, counted in the process. A restart begins to count anew.

Windows are fixed, so up to twice the limit can pass across the boundary of two.
"""

from threading import Lock

MOST_KEYS = 100_000
"""Of one window; beyond, the half that was counted first is forgotten. It takes as many addresses
or keys in one window to come there, and some ten megabytes.
"""


class MemoryRateLimits:
    """Counters of the present window of each length, and of the one before. Thread-safe."""

    def __init__(self, most_keys: int = MOST_KEYS) -> None:
        self._most_keys = most_keys
        self._lock = Lock()
        self._windows: dict[int, dict[int, dict[str, int]]] = {}

    def take(self, key: str, limit: int, window_seconds: int, now_ms: int, count: int = 1) -> bool:
        """Add ``count`` for this key in the present window; False if that exceeds ``limit``."""
        number = now_ms // (window_seconds * 1000)
        with self._lock:
            of_length = self._windows.setdefault(window_seconds, {})
            counts = of_length.get(number)
            if counts is None:
                counts = of_length[number] = {}
                for older in sorted(of_length)[:-2]:
                    del of_length[older]
            counts[key] = taken = counts.get(key, 0) + count
            if len(counts) > self._most_keys:
                for oldest in [*counts][: self._most_keys // 2]:
                    del counts[oldest]
        return taken <= limit
