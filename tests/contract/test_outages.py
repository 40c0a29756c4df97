import pytest

from arbiter.application.ports import Outages
from arbiter.core.outages import ACTIVE_MS, IDLE_REPORT_MS, OUTAGE_AFTER_MS, Outage, RelayUptime
from tests.builders import NOW_MS
from tests.contract.race import race

LATE, IDLE, BUSY = OUTAGE_AFTER_MS + 1, IDLE_REPORT_MS, ACTIVE_MS
IDLE_LATE = IDLE + LATE
SECONDS = range(0, 60_000, 5000)


def uptime(last: int, *outages: tuple[int, int], **active: int) -> RelayUptime:
    """With all times counted from now."""
    kept = tuple(Outage(NOW_MS + begins, NOW_MS + ends) for begins, ends in outages)
    return RelayUptime(NOW_MS + last, kept, *(NOW_MS + it for it in active.values()))


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        # In time: the last one is the last time that a relay was connected.
        ([(0,), (5000,), (4999 + LATE,)], uptime(4999 + LATE)),
        # After a silence it is the end of an outage.
        (
            [(0,), (LATE,), (LATE + 1000,), (LATE + 60_000,)],
            uptime(LATE + 60_000, (0, LATE), (LATE + 1000, LATE + 60_000)),
        ),
        # Clocks of two listeners that differ make no silence between them.
        (
            [(LATE,), *((it + more,) for it in SECONDS for more in (0, LATE))],
            uptime(SECONDS[-1] + LATE),
        ),
        # While no event comes notes may be a minute apart, and not more.
        ([(0, 0), (IDLE, 0), (IDLE + IDLE_LATE - 1, 0)], uptime(IDLE + IDLE_LATE - 1, until=0)),
        (
            [(0, 0), (IDLE, 0), (IDLE + IDLE_LATE, 0)],
            uptime(IDLE + IDLE_LATE, (IDLE, IDLE + IDLE_LATE), until=0),
        ),
        # The first one after an event is in time, and the next ones have to be.
        ([(0, 0), (IDLE, IDLE + BUSY)], uptime(IDLE, until=IDLE + BUSY)),
        (
            [(0, 0), (IDLE, IDLE + BUSY), (IDLE + LATE, IDLE + BUSY)],
            uptime(IDLE + LATE, (IDLE, IDLE + LATE), until=IDLE + BUSY),
        ),
        # Of two listeners one heard an event: a silence begins early.
        ([(0, BUSY), (1, 0), (5000, BUSY), (5001, 0)], uptime(5001, until=BUSY)),
        # After an earlier release a first note says how busy listeners are.
        ([(0,), (5000, BUSY)], uptime(5000, until=BUSY)),
    ],
)
def test_notes_come_to(outages: Outages, notes: list[tuple[int, ...]], expected: object) -> None:
    assert outages.uptime() is None
    for times in notes:
        outages.report_connected(*(NOW_MS + it for it in times))

    assert outages.uptime() == expected


def test_of_listeners_that_come_back_together_one_notes_the_outage(outages: Outages) -> None:
    outages.report_connected(NOW_MS)
    race(*[lambda: outages.report_connected(NOW_MS + LATE)] * 8)

    assert outages.uptime() == uptime(LATE, (0, LATE))
