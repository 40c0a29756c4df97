from arbiter.application.ports import RateLimits
from tests.builders import NOW_MS
from tests.contract.race import race

# The first moment of a minute, and so of ten seconds.
NOON_MS = NOW_MS // 60_000 * 60_000


def taken(limits: RateLimits, key: str, times: int, at_ms: int = NOON_MS) -> list[bool]:
    return [limits.take(key, 3, 10, at_ms) for _ in range(times)]


def test_each_key_may_reach_its_limit_and_not_pass_it(rate_limits: RateLimits) -> None:
    for key in ("one", "", "#", "r#10#1", " ", "\u2654" * 3000, "a" * 3000, "\ud800"):
        assert taken(rate_limits, key, 5) == [True, True, True, False, False]
        assert taken(rate_limits, key, 1, NOON_MS + 9_999) == [False]
        assert rate_limits.take(key + "z", 1, 10, NOON_MS)
        assert taken(rate_limits, key, 4, NOON_MS + 10_000) == [True, True, True, False]


def test_several_are_counted_at_once(rate_limits: RateLimits) -> None:
    counts = (4, 1, 2)

    assert [rate_limits.take("one", 5, 10, NOON_MS, it) for it in counts] == [True, True, False]


def test_windows_of_two_lengths_are_counted_apart(rate_limits: RateLimits) -> None:
    # The first windows of all lengths have the same number.
    for key, at_ms in (("one", NOON_MS), ("another", 1)):
        taken(rate_limits, key, 3, at_ms)
        assert rate_limits.take(key, 1, 60, at_ms)
        assert not rate_limits.take(key, 1, 60, at_ms + 59_998)


def test_of_many_at_the_same_time_as_many_pass_as_may(rate_limits: RateLimits) -> None:
    passed: list[bool] = []

    race(*[lambda: passed.extend(taken(rate_limits, "one", 2)) for _ in range(4)])

    assert sorted(passed) == [False] * 5 + [True] * 3
