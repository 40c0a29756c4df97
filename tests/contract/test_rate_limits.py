"""What every implementation of the port on rate limits does."""

from arbiter.application.ports import RateLimits
from tests.builders import NOW_MS
from tests.contract.race import race

# The first moment of a minute, and so of ten seconds.
NOON_MS = NOW_MS // 60_000 * 60_000


def taken(limits: RateLimits, key: str, times: int, at_ms: int = NOON_MS) -> list[bool]:
    return [limits.take(key, 3, 10, at_ms) for _ in range(times)]


def test_each_key_may_reach_its_limit_and_not_pass_it(rate_limits: RateLimits) -> None:
    assert taken(rate_limits, "one", 5) == [True, True, True, False, False]
    assert not rate_limits.take("one", 3, 10, NOON_MS + 9_999)
    assert rate_limits.take("another", 3, 10, NOON_MS)
    assert taken(rate_limits, "one", 4, NOON_MS + 10_000) == [True, True, True, False]


def test_several_are_counted_at_once(rate_limits: RateLimits) -> None:
    assert rate_limits.take("one", 5, 10, NOON_MS, 4)
    assert rate_limits.take("one", 5, 10, NOON_MS)
    assert not rate_limits.take("one", 5, 10, NOON_MS, 2)


def test_windows_of_two_lengths_are_counted_apart(rate_limits: RateLimits) -> None:
    taken(rate_limits, "one", 3)

    assert rate_limits.take("one", 1, 60, NOON_MS)
    assert not rate_limits.take("one", 1, 60, NOON_MS + 59_999)

    # The first windows of all lengths have the same number.
    taken(rate_limits, "another", 3, 1)
    assert rate_limits.take("another", 1, 60, 1)


def test_a_key_may_be_any_text(rate_limits: RateLimits) -> None:
    for key in ("", "#", "r#10#1", " ", "\u2654" * 3000, "a" * 3000, "\ud800"):
        assert taken(rate_limits, key, 4) == [True, True, True, False]
        assert rate_limits.take(key + "z", 1, 10, NOON_MS)


def test_of_many_at_the_same_time_as_many_pass_as_may(rate_limits: RateLimits) -> None:
    passed: list[bool] = []

    race(*[lambda: passed.extend(taken(rate_limits, "one", 2)) for _ in range(4)])

    assert sorted(passed) == [False] * 5 + [True] * 3
