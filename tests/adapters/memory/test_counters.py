"""Counters in the process take no more memory than they may."""

from arbiter.adapters.memory.connections import MemoryRateLimits
from tests.builders import NOW_MS


def held(limits: MemoryRateLimits) -> int:
    return sum(
        len(counts) for of_length in limits._windows.values() for counts in of_length.values()
    )


def test_of_each_length_the_last_two_windows_are_kept() -> None:
    limits = MemoryRateLimits()
    for window in range(5):
        for key in ("one", "two"):
            limits.take(key, 1, 10, NOW_MS + window * 10_000)
        limits.take("one", 1, 3600, NOW_MS + window * 3_600_000)

    assert held(limits) == 2 * 2 + 2


def test_a_flood_of_keys_makes_room_for_itself_and_the_latest_stay_counted() -> None:
    limits = MemoryRateLimits(most_keys=10)
    for number in range(1000):
        assert limits.take(f"key {number}", 1, 10, NOW_MS)

    assert held(limits) <= 10
    assert not limits.take("key 999", 1, 10, NOW_MS)
