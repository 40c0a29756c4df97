"""The arbiter's own delays: what it measures, and that no player is charged for them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.outages import Outage, covered_ms
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


@given(OUTAGES, MOMENTS, MOMENTS)
def test_what_outages_cover_is_each_moment_once(
    outages: list[Outage], one: int, other: int
) -> None:
    since, until = sorted((one, other))
    moments = {at for it in outages for at in range(it.from_ms, it.until_ms)}
    assert covered_ms(outages, since, until) == len(moments & set(range(since, until)))
