"""Counts by name, thread-safe."""

import threading
from collections import Counter


class Counters:
    """Counters in memory. The names are words of ours."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def add(self, name: str) -> None:
        with self._lock:
            self._counts[name] += 1

    def counts(self) -> Counter[str]:
        with self._lock:
            return self._counts.copy()
