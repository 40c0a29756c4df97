"""Rates counted in memory, in the same fixed windows as DynamoDB's."""

from collections import Counter

from tests.fakes.faults import Hook, quiet


class FakeRateLimits:
    """Points of the hook: ``rates.take``."""

    def __init__(self, hook: Hook = quiet) -> None:
        self.counts: Counter[tuple[str, int, int]] = Counter()
        self.hook = hook

    def take(self, key: str, limit: int, window_seconds: int, now_ms: int, count: int = 1) -> bool:
        self.hook("rates.take")
        window = (key, window_seconds, now_ms // (window_seconds * 1000))
        self.counts[window] += count
        return self.counts[window] <= limit
