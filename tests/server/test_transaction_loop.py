"""Jobs in transactions: the order of each group, the disk before any answer, what fails, and what
waits.
"""

import asyncio
import contextlib
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from server.job_groups import Job
from server.transaction_loop import ATTEMPTS, TransactionLoop


class Disk:
    """Transactions that take a while to sync; ``is_full`` ones fail."""

    def __init__(self) -> None:
        self.groups = 0
        self.is_full = False
        self.written: list[str] = []
        self.on_disk: list[str] = []

    async def has_failed(self, times: int) -> None:
        while self.groups < times:  # noqa: ASYNC110 - a stand-in needs no event
            await asyncio.sleep(0.001)

    @contextlib.contextmanager
    def group(self) -> "Iterator[Future[None]]":
        self.groups += 1
        durable: Future[None] = Future()
        self.written = []
        yield durable

        def sync() -> None:
            if self.is_full:
                durable.set_exception(OSError("full"))
            else:
                self.on_disk += self.written
                durable.set_result(None)

        asyncio.get_running_loop().call_later(0.01, sync)


class Harness:
    """Transactions on a disk, and what was settled in which order."""

    def __init__(self, capacity: int = 100) -> None:
        self.disk = Disk()
        self.transactions = TransactionLoop(self.disk, capacity)
        self.settled: list[tuple[str, bool]] = []

    def job(self, group: str, name: str, fails: int = 0) -> Job:
        def work(job: Job) -> str:
            if job.attempts < fails:
                raise ValueError(name)
            self.disk.written.append(name)
            return name

        def settle(job: Job) -> None:
            if job.failure is None:
                assert name in self.disk.on_disk
            self.settled.append((name, job.failure is None))

        return Job(group, work, settle)

    def put(self, group: str, name: str, fails: int = 0) -> Job:
        job = self.job(group, name, fails)
        self.transactions.put(job)
        return job


async def turns_of(jobs: int, sync_seconds: float) -> list[int]:
    """The number of jobs in each transaction, with jobs of four milliseconds and a disk so slow."""
    now, sizes = [0.0], [0]

    class Slow(Disk):
        @contextlib.contextmanager
        def group(self) -> "Iterator[Future[None]]":
            sizes.append(0)
            with super().group() as durable:
                durable.add_done_callback(lambda _: now.append(now.pop() + sync_seconds))
                yield durable

    def work(_: Job) -> None:
        sizes[-1] += 1
        now.append(now.pop() + 0.004)

    transactions = TransactionLoop(Slow(), jobs, seconds=lambda: now[0])
    for number in range(jobs):
        transactions.put(Job(str(number), work, lambda _: None))
    serving = asyncio.create_task(transactions.serve())
    await transactions.wait_idle()
    serving.cancel()
    return sizes[1:]


@pytest.mark.parametrize(
    ("sync_seconds", "sizes"), [(0.001, [3, 3, 3, 3, 3]), (0.031, [3, 8, 4]), (9.0, [3, 12])]
)
async def test_the_slower_the_disk_the_more_jobs_share_a_sync(
    sync_seconds: float, sizes: list[int]
) -> None:
    assert await turns_of(15, sync_seconds) == sizes


async def test_a_turn_is_bounded_however_slow_the_disk_is() -> None:
    assert (await turns_of(100, 9.0))[:2] == [3, 63]


@contextlib.asynccontextmanager
async def working(harness: Harness) -> Any:
    task = asyncio.create_task(harness.transactions.serve())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.transaction_loop.REST_SECONDS", 0.001)


async def test_what_waits_shares_one_sync_and_groups_take_turns() -> None:
    harness = Harness()
    for group, name in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1")):
        harness.put(group, name)
    async with working(harness):
        await harness.transactions.wait_idle()
    assert [name for name, _ in harness.settled] == ["a1", "b1", "c1", "a2", "a3"]
    assert harness.disk.groups == 1


async def test_nothing_that_is_held_is_said_before_the_sync() -> None:
    harness = Harness()
    said: list[bool] = []
    harness.put("a", "a1").held.append(lambda: said.append("a1" in harness.disk.on_disk))
    async with working(harness):
        await harness.transactions.wait_idle()
    assert said == [True]


async def test_a_job_that_fails_is_tried_again_before_the_later_ones_of_its_group_alone() -> None:
    harness = Harness()
    harness.put("a", "a1", fails=2)
    harness.put("a", "a2")
    harness.put("b", "b1")
    async with working(harness):
        await harness.transactions.wait_idle()
    assert harness.settled[0] == ("b1", True)
    assert harness.settled[1:] == [("a1", True), ("a2", True)]


async def test_a_job_that_always_fails_is_given_up_and_its_group_goes_on() -> None:
    harness = Harness()
    harness.put("a", "a1", fails=ATTEMPTS + 1)
    harness.put("a", "a2")
    async with working(harness):
        await harness.transactions.wait_idle()
    assert harness.settled == [("a1", False), ("a2", True)]


async def test_while_the_disk_is_full_nothing_is_settled_and_afterwards_all_in_order() -> None:
    harness = Harness()
    harness.disk.is_full = True
    for name in ("a1", "a2"):
        harness.put("a", name)
    async with working(harness):
        await harness.disk.has_failed(2 * ATTEMPTS)
        assert harness.settled == []
        harness.disk.is_full = False
        await harness.transactions.wait_idle()
    assert harness.settled == [("a1", True), ("a2", True)]


async def test_a_request_is_answered_after_the_sync_and_not_tried_again() -> None:
    harness = Harness()
    async with working(harness):
        assert await harness.transactions.run("a", lambda: harness.disk.written.append("x")) is None
        assert harness.disk.on_disk == ["x"]
        with pytest.raises(ZeroDivisionError):
            await harness.transactions.run("a", lambda: 1 // 0)
        harness.disk.is_full = True
        with pytest.raises(OSError, match="full"):
            await harness.transactions.run("a", lambda: None)


async def test_what_must_be_written_is_written_once_the_disk_has_room_again() -> None:
    harness = Harness()
    harness.disk.is_full = True
    async with working(harness):
        written = asyncio.create_task(
            harness.transactions.run(
                "a", lambda: harness.disk.written.append("x"), is_tried_again=True
            )
        )
        async with asyncio.timeout(20):
            await harness.disk.has_failed(2)
            harness.disk.is_full = False
            await written
        assert harness.disk.on_disk == ["x"]


async def test_at_a_full_queue_those_who_bring_more_wait_until_there_is_room() -> None:
    harness = Harness(capacity=3)
    for number in range(3):
        harness.put("a", f"a{number}")
    assert harness.transactions.is_full
    room = asyncio.create_task(harness.transactions.wait_for_room())
    await asyncio.sleep(0.01)
    assert not room.done()
    async with working(harness):
        await room
        await harness.transactions.wait_idle()
    assert len(harness.settled) == 3


async def test_a_write_that_nothing_waits_for_comes_with_the_next_turn() -> None:
    harness = Harness()
    harness.transactions.write_soon(lambda: harness.disk.written.append("soon"))
    harness.put("a", "a1")
    async with working(harness):
        await harness.transactions.wait_idle()
    assert harness.disk.on_disk == ["soon", "a1"]
