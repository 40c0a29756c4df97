"""Transactions, one after the other: all jobs that wait are handled in one, synced, then sent.

Invariant: nothing that follows from a job leaves the process before it is on the disk. While one is
synced, in a thread, the event loop reads sockets; what it finds waits for the next.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, Protocol

from server.job_groups import Job, JobGroups

_log = logging.getLogger("arbiter")

CAPACITY = 4_000
"""Jobs that may wait; sockets and relays are not read while so many do."""
TRANSACTION_SECONDS, MAX_TRANSACTION_SECONDS = 0.01, 0.25
"""The loop handles jobs as long as the last sync took."""
ATTEMPTS = 5
"""After so many a job is given up: it fails within seconds, by a fault of ours."""
REST_SECONDS = 0.25
LEFT_OVER_SECONDS = 1.0
"""Longest wait for a transaction of a write that nothing waits for."""


class NotYet(Exception):
    """A job must wait until this is ``done``, and is run again then; its group rests."""

    def __init__(self, done: Awaitable[object]) -> None:
        super().__init__()
        self.done = done


class TransactionStore(Protocol):
    """The store of the jobs: `arbiter.adapters.sqlite.store.Store`."""

    def group(self) -> "AbstractContextManager[Future[None]]": ...


class TransactionLoop:
    """Runs jobs, in the event loop's thread."""

    def __init__(
        self,
        store: TransactionStore,
        capacity: int = CAPACITY,
        seconds: Callable[[], float] = time.monotonic,
        timed: Callable[[Awaitable[None]], Awaitable[None]] = lambda sync: sync,
    ) -> None:
        """``seconds`` is a clock that never goes back; ``timed`` waits for a sync."""
        self._store = store
        self._seconds = seconds
        self._timed = timed
        self.groups = self._groups = JobGroups(capacity)
        self._soon: list[Callable[[], object]] = []
        self._is_ready = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self.is_closing = False
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._transaction_seconds = TRANSACTION_SECONDS

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def is_full(self) -> bool:
        return self._groups.are_full

    def put(self, job: Job) -> None:
        """Add a job; it runs after those of its group."""
        self._groups.add(job)
        self._is_idle.clear()
        self._is_ready.set()
        if self._groups.are_full:
            self._has_room.clear()

    def write_soon(self, write: Callable[[], object]) -> None:
        if not self._soon:
            loop = asyncio.get_running_loop()
            loop.call_later(LEFT_OVER_SECONDS, self._is_ready.set)
        self._soon.append(write)

    async def run(
        self, group: str, work: Callable[[], Any], *, is_tried_again: bool = False
    ) -> Any:  # noqa: ANN401 - the work's own
        """The result of this work, once on the disk. Raises what it raises, and StoreError: at
        once, or as a record's job after `ATTEMPTS`, of which a full disk is none.
        """
        done = asyncio.get_running_loop().create_future()

        def settle(job: Job) -> None:
            if done.cancelled():
                return
            if job.failure is None:
                done.set_result(job.result)
            else:
                done.set_exception(job.failure)

        attempts = 0 if is_tried_again else ATTEMPTS
        self.put(Job(group, lambda _: work(), settle, attempts=attempts))
        return await done

    async def wait_for_room(self) -> None:
        await self._has_room.wait()

    def stop_accepting(self) -> None:
        self.is_closing = True
        self._has_room.clear()

    async def wait_idle(self) -> None:
        await self._is_idle.wait()

    def flush(self) -> None:
        """Make the writes that wait for a transaction, after the last one."""
        soon, self._soon = self._soon, []
        if soon:
            with self._store.group():
                for write in soon:
                    write()

    async def serve(self) -> None:
        while True:
            await self._is_ready.wait()
            await self._run_transaction()
            if not self._groups.is_ready:
                self._is_ready.clear()
                if not len(self._groups):
                    self._is_idle.set()
            if not self._groups.are_full and not self.is_closing:
                self._has_room.set()

    def try_again(self, job: Job) -> bool:
        """Run a job that failed once more, after its group rested; False after `ATTEMPTS`."""
        job.attempts += 1
        if job.attempts >= ATTEMPTS:
            return False
        self._is_idle.clear()
        self._groups.put_back(job)
        loop = asyncio.get_running_loop()
        loop.call_later(REST_SECONDS * 2**job.attempts, self._resume, job.group)
        return True

    async def _run_transaction(self) -> None:
        jobs: list[Job] = []
        soon, self._soon = self._soon, []
        try:
            with self._store.group() as durable:
                for write in soon:
                    write()
                self._run_jobs(jobs)
            began = self._seconds()
            await self._timed(asyncio.wrap_future(durable))
            synced_seconds = self._seconds() - began
            self._transaction_seconds = min(
                max(synced_seconds, TRANSACTION_SECONDS), MAX_TRANSACTION_SECONDS
            )
        except Exception as failure:  # noqa: BLE001 - such as a full disk
            _log.error({"status": "failed", "jobs": len(jobs)}, exc_info=failure)
            self._soon[:0] = soon
            for job in jobs:
                # Not the job's fault: that the disk is full may take longer than its attempts.
                job.attempts -= job.failure is None and job.attempts < ATTEMPTS
                job.failure = job.failure or failure
        # A later job of a group goes back before the earlier one, which is to be in front of it.
        for job in reversed([job for job in jobs if job.failure is not None]):
            if isinstance(job.failure, NotYet):
                self._wait_for(job, job.failure)
                jobs.remove(job)
            elif self.try_again(job):
                jobs.remove(job)
            else:
                self._groups.resume(job.group)
        for job in jobs:
            self._settle(job)

    def _run_jobs(self, jobs: list[Job]) -> None:
        ends_at = self._seconds() + self._transaction_seconds
        while self._groups.is_ready:
            job = self._groups.take()
            jobs.append(job)
            job.failure = None
            try:
                job.result = job.work(job)
            except NotYet as waits:
                job.failure = waits
                self._groups.stop(job.group)
            except Exception as failure:  # noqa: BLE001 - a fault of ours: the job is run again
                job.failure = failure
                self._groups.stop(job.group)
                _log.error({"status": "failed", "group": job.group}, exc_info=failure)
            if self._seconds() >= ends_at:
                return

    def _wait_for(self, job: Job, waits: NotYet) -> None:
        self._groups.put_back(job)
        done = asyncio.ensure_future(waits.done)
        done.add_done_callback(lambda _: self._resume(job.group))

    def _resume(self, group: str) -> None:
        self._groups.resume(group)
        self._is_ready.set()

    def _settle(self, job: Job) -> None:
        try:
            if job.failure is None:
                for say in job.held:
                    say()
                job.held.clear()
            job.settle(job)
        except Exception as failure:  # noqa: BLE001 - one job's trouble is not another's
            _log.error({"status": "failed"}, exc_info=failure)
