"""Virtual time, and threads that are none."""

from queue import Empty

import pytest

from tests.simulation.scheduler import Process, Scheduler
from tests.simulation.threads import threads_of


def test_tasks_change_places_where_they_wait_in_the_order_of_what_is_due() -> None:
    scheduler, told = Scheduler(), list[str]()

    def count(name: str, pause: float) -> None:
        for number in range(2):
            scheduler.sleep(pause)
            told.append(f"{name}{number} at {scheduler.now}")

    process = Process("p")
    scheduler.spawn(process, lambda: count("a", 1.0))
    scheduler.spawn(process, lambda: count("b", 0.75))
    scheduler.after(1.0, lambda: told.append("asked later"))
    scheduler.run(9.0)
    assert told == ["b0 at 0.75", "asked later", "a0 at 1.0", "b1 at 1.5", "a1 at 2.0"]
    assert process.tasks == []


def test_a_killed_process_does_nothing_more_and_cannot_catch_its_end() -> None:
    scheduler, told = Scheduler(), list[str]()

    def run() -> None:
        try:
            scheduler.sleep(5.0)
            told.append("survived")
        except Exception:  # noqa: BLE001 - as the arbiter does for a whole batch
            told.append("caught its own end")
        finally:
            told.append("finally")

    process = Process("p")
    scheduler.spawn(process, run)
    scheduler.after(1.0, lambda: scheduler.kill(process))
    scheduler.run(9.0)
    assert told == ["finally"]
    assert scheduler.failures == []


def test_a_frozen_process_goes_on_when_it_is_thawed_however_late() -> None:
    scheduler, told = Scheduler(), list[float]()
    process = Process("p")

    def run() -> None:
        scheduler.sleep(1.0)
        told.append(scheduler.now)

    scheduler.spawn(process, run)
    scheduler.run(0.5)
    scheduler.freeze(process)
    scheduler.run(100.0)
    assert told == []
    scheduler.thaw(process)
    scheduler.run(101.0)
    assert told == [100.0]


def test_a_lock_is_held_by_one_and_passed_on_in_turn() -> None:
    scheduler, told = Scheduler(), list[str]()
    lock = threads_of(scheduler).threading.Lock()

    def hold(name: str) -> None:
        with lock:
            told.append(f"{name} has it")
            scheduler.sleep(1.0)

    process = Process("p")
    for name in ("a", "b", "c"):
        scheduler.spawn(process, lambda name=name: hold(name))  # type: ignore[misc]
    scheduler.run(1.5)
    assert told == ["a has it", "b has it"]
    scheduler.run(9.0)
    assert told == ["a has it", "b has it", "c has it"]


def test_who_waits_for_a_queue_is_woken_or_told_that_it_is_empty() -> None:
    scheduler, told = Scheduler(), list[object]()
    threads = threads_of(scheduler)
    mailbox = threads.queue.SimpleQueue[None]()

    def read() -> None:
        told.append(mailbox.get(timeout=5.0))
        try:
            mailbox.get(timeout=1.0)
        except Empty:
            told.append(f"empty at {scheduler.now}")

    scheduler.spawn(Process("p"), read)
    scheduler.after(2.0, lambda: mailbox.put("a letter"))
    scheduler.run(9.0)
    assert told == ["a letter", "empty at 3.0"]


def test_a_pool_does_its_tasks_side_by_side_and_its_futures_tell_what_failed() -> None:
    scheduler, told = Scheduler(), list[object]()
    futures = threads_of(scheduler).futures

    def fail() -> None:
        raise ValueError("no")

    def run() -> None:
        pool = futures.ThreadPoolExecutor(2, thread_name_prefix="x")
        slow, bad = pool.submit(scheduler.sleep, 4.0), pool.submit(fail)
        told.append(len(futures.wait([slow, bad], timeout=1.0).not_done))
        told.append(type(bad.exception()).__name__)
        slow.result()
        told.append(scheduler.now)

    scheduler.spawn(Process("p"), run)
    scheduler.run(9.0)
    assert told == [1, "ValueError", 4.0]


def test_only_tasks_can_wait() -> None:
    with pytest.raises(RuntimeError):
        Scheduler().sleep(1.0)
