"""Counting in blocks asks seldom, and lets nobody pass a limit."""

from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.rates_in_blocks import RatesInBlocks
from tests.builders import NOW_MS
from tests.fakes.rate_limits import FakeRateLimits

HOUR_MS = NOW_MS // 3_600_000 * 3_600_000


class CountedCalls(FakeRateLimits):
    """Rates that know how often they were asked."""

    def __init__(self) -> None:
        self.calls = 0
        super().__init__(hook=self._asked)

    def _asked(self, point: str) -> None:
        self.calls += point == "rates.take"


def test_of_a_limit_all_pass_and_not_one_more() -> None:
    rates = RatesInBlocks(FakeRateLimits())

    passed = [rates.take("one", 300, 60, HOUR_MS) for _ in range(310)]

    assert passed == [True] * 300 + [False] * 10


def test_the_counter_is_asked_once_a_block() -> None:
    counted = CountedCalls()
    rates = RatesInBlocks(counted)

    for _ in range(240):
        rates.take("one", 1200, 60, HOUR_MS)

    assert counted.calls == 20


def test_a_small_limit_is_counted_exactly_over_all_environments() -> None:
    shared = FakeRateLimits()
    here, there = RatesInBlocks(shared), RatesInBlocks(shared)

    passed = [rates.take("one", 5, 60, HOUR_MS) for rates in (here, there) * 5]

    assert sum(passed) == 5


def test_what_is_left_of_a_block_ends_with_its_window() -> None:
    counted = CountedCalls()
    rates = RatesInBlocks(counted)

    rates.take("one", 1200, 60, HOUR_MS)
    rates.take("one", 1200, 60, HOUR_MS + 60_000)

    assert counted.calls == 2


@given(
    limit=st.integers(1, 400),
    asked=st.lists(st.integers(0, 3), max_size=600),
)
def test_however_many_environments_ask_no_limit_is_passed_and_few_places_are_lost(
    limit: int, asked: list[int]
) -> None:
    shared = FakeRateLimits()
    environments = [RatesInBlocks(shared) for _ in range(4)]

    passed = sum(environments[which].take("one", limit, 60, HOUR_MS) for which in asked)

    assert passed <= limit
    assert passed >= min(len(asked), limit - 4 * max(1, limit // 100))
