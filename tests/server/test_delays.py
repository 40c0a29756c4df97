"""The arbiter's own delays: what it measures, and that no player is charged for them."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.clocks import DAY_MS
from arbiter.core.outages import OUTAGES_KEPT, RETURN_MS, Outage, covered_ms
from server.delays import BEAT_MS, LEAST_MS, Delays
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock

MOMENTS = st.integers(0, 200)
OUTAGES = st.lists(st.tuples(MOMENTS, MOMENTS).map(lambda ends: Outage(*sorted(ends))), max_size=8)


@contextlib.asynccontextmanager
async def looking_after(delays: Delays) -> AsyncIterator[None]:
    task = asyncio.create_task(delays.serve())
    try:
        await asyncio.sleep(0)
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    ("stood_ms", "seen_ms"),
    [(BEAT_MS, 0), (BEAT_MS + LEAST_MS - 1, 0), (BEAT_MS + LEAST_MS, LEAST_MS), (9_000, 8_900)],
)
async def test_a_loop_that_stood_still_is_a_delay_for_what_runs_first_and_after(
    stood_ms: int, seen_ms: int
) -> None:
    clock = FakeClock(NOW_MS)
    began_ms, delays = clock.ms, Delays(clock)
    async with looking_after(delays):
        clock.ms += stood_ms
        first = delays.during(began_ms, clock.ms)
    assert covered_ms(first, began_ms, clock.ms) == seen_ms


async def test_a_delay_is_remembered_once_the_loop_turns_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FakeClock(NOW_MS)
    began_ms, delays = clock.ms, Delays(clock)
    turns = iter([3_000, BEAT_MS, BEAT_MS])

    async def sleep(_: float) -> None:
        if (turn_ms := next(turns, None)) is None:
            raise asyncio.CancelledError
        clock.ms += turn_ms

    monkeypatch.setattr("server.delays.asyncio.sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        await delays.serve()
    assert delays.during(began_ms, clock.ms) == [Outage(began_ms + BEAT_MS, began_ms + 3_000)]
    assert delays.during(began_ms + 3_000, clock.ms) == []


@pytest.mark.parametrize(("took_ms", "seen"), [(LEAST_MS - 1, 0), (LEAST_MS, 1), (4_000, 1)])
async def test_a_slow_disk_is_a_delay_also_where_it_fails(took_ms: int, seen: int) -> None:
    clock = FakeClock(NOW_MS)
    delays = Delays(clock)

    async def sync() -> None:
        clock.ms += took_ms
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        await delays.timed(sync())
    assert len(delays.during(0, clock.ms)) == seen


def started(path: Path, now_ms: int, left_ms: int) -> Delays:
    """Those of a process that starts now, the last having lived until ``left_ms``."""
    os.utime(path, ns=(left_ms * 1_000_000, left_ms * 1_000_000))
    delays = Delays(FakeClock(now_ms))
    delays.start(path)
    return delays


def test_no_clock_runs_while_no_process_serves_nor_until_clients_can_be_back(
    tmp_path: Path,
) -> None:
    path = tmp_path / "starts.json"
    first = Delays(FakeClock(NOW_MS))
    first.start(path)
    assert first.during(0, NOW_MS + DAY_MS) == []
    second = started(path, NOW_MS + 7_000, left_ms=NOW_MS + 4_000)
    one = Outage(NOW_MS + 4_000, NOW_MS + 7_000 + RETURN_MS)
    assert second.during(0, NOW_MS + DAY_MS) == [one]
    third = started(path, NOW_MS + 9 * DAY_MS, left_ms=NOW_MS + 90_000)
    other = Outage(NOW_MS + 90_000, NOW_MS + 90_000 + DAY_MS + RETURN_MS)
    assert third.during(NOW_MS, NOW_MS + 9 * DAY_MS) == [one, other]
    for start in range(30):
        now_ms = NOW_MS + (10 + start) * DAY_MS
        third = started(path, now_ms, left_ms=now_ms - 1_000)
    assert len(third.during(0, NOW_MS + 100 * DAY_MS)) == OUTAGES_KEPT


@pytest.mark.parametrize("text", ["", "{", "[1]", '[["a", 1]]', "null"])
def test_a_file_of_starts_that_cannot_be_read_costs_nothing_but_itself(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "starts.json"
    path.write_text(text, encoding="utf-8")
    delays = started(path, NOW_MS, left_ms=NOW_MS - 5_000)
    assert delays.during(0, NOW_MS) == [Outage(NOW_MS - 5_000, NOW_MS + RETURN_MS)]
    path.unlink()
    path.mkdir()
    started(path, NOW_MS, left_ms=NOW_MS)


async def test_a_process_that_lives_says_so_by_the_time_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "starts.json"
    delays = Delays(FakeClock(NOW_MS))
    delays.start(path)
    os.utime(path, ns=(0, 0))
    async with looking_after(delays):
        assert path.stat().st_mtime > 0


@given(OUTAGES, MOMENTS, MOMENTS)
def test_what_outages_cover_is_each_moment_once(
    outages: list[Outage], one: int, other: int
) -> None:
    since, until = sorted((one, other))
    moments = {at for it in outages for at in range(it.from_ms, it.until_ms)}
    assert covered_ms(outages, since, until) == len(moments & set(range(since, until)))
