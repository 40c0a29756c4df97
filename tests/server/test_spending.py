"""One machine counts its processor time, for whom it worked, and the bytes that it sent."""

from arbiter.application.spending import Level, day_of
from server.spending import BYTES, CPU_MS, DayLimits, Meter, spending_of
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock

MIDNIGHT_MS = NOW_MS // 86_400_000 * 86_400_000


class Machine:
    """A processor and its sockets, as far as they are counted."""

    def __init__(self, **limits: int) -> None:
        self.seconds, self.sent = 5.0, 100
        self.clock = FakeClock(MIDNIGHT_MS)
        self.spending = spending_of(DayLimits(**limits), self.clock)
        self.meter = Meter(self.spending, lambda: self.sent, lambda: self.seconds)

    def work(self, seconds: float) -> None:
        self.seconds += seconds

    def read(self) -> dict[str, dict[str, int]]:
        self.clock.ms += 60_000
        self.meter.read()
        spent = self.spending.counters.spent(day_of(self.clock.ms))
        return {name: dict(units) for name, units in spent.items()}


def test_work_is_counted_for_who_asked_for_it_and_the_rest_for_all() -> None:
    machine = Machine()
    machine.meter.timed("a", lambda: machine.work(2.0))
    machine.meter.timed("b", lambda: machine.work(0.5))
    machine.work(1.0)
    machine.sent += 700
    machine.read()
    read = machine.read()
    assert read[""] == {CPU_MS: 3_500, BYTES: 700}
    assert {name: units[CPU_MS] for name, units in read.items() if name} == {"a": 2_000, "b": 500}


def test_either_limit_closes_the_day_and_none_does_where_none_is_set() -> None:
    for limits, level in (
        ({}, Level.OPEN),
        ({"cpu_seconds": 10}, Level.NOTHING_NEW),
        ({"megabytes": 1}, Level.GAMES_ONLY),
    ):
        machine = Machine(**limits)
        machine.work(9.5)
        machine.sent += 2_000_000
        machine.read()
        assert machine.spending.level() is level
