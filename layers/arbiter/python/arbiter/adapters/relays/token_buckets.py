"""Token buckets, one for each key.

Invariant: memory is bounded. The bucket unused for the longest time is forgotten when there are too
many, which gives its owner a full one.
"""

from collections import OrderedDict
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """At most ``burst`` tokens, refilled at ``per_second``."""

    per_second: float
    burst: float


class TokenBuckets:
    """A token bucket for each key. Times are monotonic seconds."""

    def __init__(self, rate: Rate, max_keys: int) -> None:
        self._rate = rate
        self._max_keys = max_keys
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def has_token(self, key: str, now_seconds: float) -> bool:
        """Whether ``take`` would succeed."""
        return self._level(key, now_seconds) >= 1.0

    def take(self, key: str, now_seconds: float) -> bool:
        """Take one token; False if there is none."""
        level = self._level(key, now_seconds)
        if level < 1.0:
            return False
        self._levels[key] = (level - 1.0, now_seconds)
        self._levels.move_to_end(key)
        if len(self._levels) > self._max_keys:
            self._levels.popitem(last=False)
        return True

    def _level(self, key: str, now_seconds: float) -> float:
        bucket = self._levels.get(key)
        if bucket is None:
            return self._rate.burst
        level, since = bucket
        refilled = max(0.0, now_seconds - since) * self._rate.per_second
        return min(self._rate.burst, level + refilled)
