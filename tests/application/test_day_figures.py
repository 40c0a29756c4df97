"""Figures that several processes count in the counters of a day's budget."""

from collections import Counter
from collections.abc import Mapping

import pytest

from arbiter.application import day_figures
from arbiter.application.spending import day_of
from tests.fakes.clock import FakeClock

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
MIDNIGHT_MS = 20_000 * DAY_MS


class Operator:
    """Counters of each day, and the page."""

    def __init__(self, now_ms: int) -> None:
        self.clock = FakeClock(now_ms)
        self.counted: dict[str, Counter[str]] = {}

    def count(self, amounts: Mapping[str, int]) -> None:
        self.counted.setdefault(day_of(self.clock.ms), Counter()).update(amounts)

    def shown(self) -> dict[str, object]:
        now_ms, none = self.clock.ms, Counter[str]()
        today, before = (self.counted.get(day_of(now_ms - ago), none) for ago in (0, DAY_MS))
        return dict(day_figures.shown(today, before, now_ms))


@pytest.mark.parametrize("hour", range(-3, 3))
def test_sockets_that_were_opened_and_not_closed_are_open_also_at_midnight(hour: int) -> None:
    page = Operator(MIDNIGHT_MS + hour * HOUR_MS)
    began = [page.clock.ms + minutes * 60_000 for minutes in (0, 10, 70)]
    for at in began:
        page.clock.ms = at
        page.count(day_figures.opened(at))
    assert page.shown()["sockets, about"] == 3
    page.clock.ms += 10 * 60_000
    page.count(day_figures.closed(began[0]))
    assert page.shown()["sockets, about"] == 2
    page.clock.ms += 3 * HOUR_MS
    assert page.shown()["sockets, about"] == 0, "API Gateway has closed what it did not tell of"


def test_a_socket_of_days_ago_is_not_closed_again() -> None:
    page = Operator(MIDNIGHT_MS + 23 * HOUR_MS)
    for _ in range(5):
        began = page.clock.ms
        page.count(day_figures.opened(began))
        assert page.shown()["sockets, about"] == 1
        page.clock.ms += 2 * HOUR_MS
        page.count(day_figures.closed(began))
        page.clock.ms += 22 * HOUR_MS


def test_moves_are_of_this_hour_and_the_one_before_and_faults_of_today() -> None:
    page = Operator(MIDNIGHT_MS - HOUR_MS)
    assert page.shown() == {}
    for moves in (7, 5):
        page.count(day_figures.moves(moves, page.clock.ms))
        page.count(day_figures.FAULT)
        page.clock.ms += HOUR_MS
    page.clock.ms -= HOUR_MS
    assert Counter(page.shown()) == {
        "sockets, about": 0,
        "moves in this hour": 5,
        "moves in the hour before": 7,
        "faults today": 1,
    }
