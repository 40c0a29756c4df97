"""What the standard library offers to code with threads, played by one thread in virtual time.

Only what the arbiter uses, with the same meaning. Each module of the arbiter that waits is given
these in place of `threading`, `time`, `queue` and `concurrent.futures`; see `patched_modules`.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from queue import Empty
from types import SimpleNamespace
from typing import Any, NamedTuple

from tests.simulation.scheduler import Process, Scheduler, Task


class Waiters:
    """Tasks that wait for one thing, first come, first served."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self._tasks: list[Task] = []

    def wait(self, seconds: float | None = None) -> bool:
        """Wait to be woken; False when the time was over first."""
        task = self.scheduler.task
        if task is None:
            raise RuntimeError("only tasks can wait")
        self._tasks.append(task)
        try:
            return self.scheduler.park(seconds)
        finally:
            if task in self._tasks:
                self._tasks.remove(task)

    def wait_until(self, is_so: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait, woken again and again, until something is so; False when the time was over."""
        ends_at = None if seconds is None else self.scheduler.now + seconds
        while not is_so():
            left = None if ends_at is None else ends_at - self.scheduler.now
            if left is not None and left <= 0:
                return False
            self.wait(left)
        return True

    def wake(self, count: int | None = None) -> None:
        """Wake so many, or all."""
        for task in self._tasks[:count]:
            self._tasks.remove(task)
            self.scheduler.wake(task)


class VirtualLock:
    """A lock. No task here takes one twice."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._waiters = Waiters(scheduler)
        self.is_held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - threading's own
        seconds = (None if timeout < 0 else timeout) if blocking else 0.0
        if not self._waiters.wait_until(lambda: not self.is_held, seconds):
            return False
        self.is_held = True
        return True

    def release(self) -> None:
        self.is_held = False
        self._waiters.wake(1)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()


class VirtualCondition:
    """A condition of this lock, or of its own."""

    def __init__(self, scheduler: Scheduler, lock: VirtualLock | None = None) -> None:
        self._lock = lock or VirtualLock(scheduler)
        self.acquire, self.release = self._lock.acquire, self._lock.release
        self._changed = Waiters(scheduler)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()

    def wait(self, timeout: float | None = None) -> bool:
        self.release()
        try:
            return self._changed.wait(timeout)
        finally:
            task = self._changed.scheduler.task
            if task is not None and task.process.is_alive:
                self.acquire()

    def notify(self) -> None:
        self._changed.wake(1)

    def notify_all(self) -> None:
        self._changed.wake()


class VirtualEvent:
    def __init__(self, scheduler: Scheduler) -> None:
        self._waiters = Waiters(scheduler)
        self._flag = False

    def is_set(self) -> bool:
        return self._flag

    def clear(self) -> None:
        self._flag = False

    def set(self) -> None:
        self._flag = True
        self._waiters.wake()

    def wait(self, timeout: float | None = None) -> bool:
        return self._waiters.wait_until(self.is_set, timeout)


class VirtualThread:
    """A task of the process in which it is started."""

    def __init__(
        self,
        scheduler: Scheduler,
        target: Callable[..., object],
        args: Sequence[Any] = (),
        **_: Any,
    ) -> None:
        self._call = partial(target, *args)
        self._waiters = Waiters(scheduler)
        self._is_alive = False

    def start(self) -> None:
        self._is_alive = True
        scheduler = self._waiters.scheduler
        task = scheduler.spawn(present_process(scheduler), self._run)
        task.target = self._call

    def is_alive(self) -> bool:
        return self._is_alive

    def join(self, timeout: float | None = None) -> None:
        self._waiters.wait_until(lambda: not self._is_alive, timeout)

    def _run(self) -> None:
        try:
            self._call()
        finally:
            self._is_alive = False
            self._waiters.wake()


class VirtualQueue:
    """SimpleQueue."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._waiters = Waiters(scheduler)
        self._items: deque[Any] = deque()

    def put(self, item: object) -> None:
        self._items.append(item)
        self._waiters.wake(1)

    def empty(self) -> bool:
        return not self._items

    def get(self, timeout: float | None = None) -> Any:
        if not self._waiters.wait_until(lambda: bool(self._items), timeout):
            raise Empty
        return self._items.popleft()


class VirtualFuture:
    """What a pool's task will come to."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.waiters = Waiters(scheduler)
        self.is_done = False
        self.is_cancelled = False
        self._value: Any = None
        self._failure: Exception | None = None

    def run(self, call: Callable[[], Any]) -> None:
        if self.is_cancelled:
            return
        try:
            self._value = call()
        except Exception as failure:  # noqa: BLE001 - a caller who asks for the result gets it
            self._failure = failure
        self.is_done = True
        self.waiters.wake()

    def done(self) -> bool:
        return self.is_done or self.is_cancelled

    def cancel(self) -> bool:
        self.is_cancelled = not self.is_done
        return self.is_cancelled

    def cancelled(self) -> bool:
        return self.is_cancelled

    def exception(self) -> Exception | None:
        return self._failure

    def result(self) -> Any:
        self.waiters.wait_until(lambda: self.is_done)
        if self._failure is not None:
            raise self._failure
        return self._value


class VirtualPool:
    """ThreadPoolExecutor, with as many threads as it is given tasks."""

    def __init__(self, scheduler: Scheduler, *_: object, **__: object) -> None:
        self._scheduler = scheduler

    def submit(self, call: Callable[..., Any], *args: Any) -> VirtualFuture:
        future = VirtualFuture(self._scheduler)
        run = partial(future.run, partial(call, *args))
        self._scheduler.spawn(present_process(self._scheduler), run)
        return future

    def map(self, call: Callable[..., Any], items: Iterable[Any]) -> Iterator[Any]:
        futures = [self.submit(call, item) for item in items]
        return iter([future.result() for future in futures])


class Waited(NamedTuple):
    done: set[VirtualFuture]
    not_done: list[VirtualFuture]


def wait_for(
    scheduler: Scheduler, futures: Iterable[VirtualFuture], timeout: float | None = None
) -> Waited:
    """As concurrent.futures has it: until all are done, or the time is over."""
    asked = list(futures)
    ends_at = None if timeout is None else scheduler.now + timeout
    for future in asked:
        left = None if ends_at is None else ends_at - scheduler.now
        future.waiters.wait_until(future.done, left)
    return Waited({one for one in asked if one.done()}, [one for one in asked if not one.done()])


def present_process(scheduler: Scheduler) -> Process:
    """The process of the present task. RuntimeError outside of tasks."""
    if scheduler.task is None:
        raise RuntimeError("no process runs")
    return scheduler.task.process


class _Generic:
    """`queue.SimpleQueue[None]()` and `queue.SimpleQueue()` alike."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def __call__(self) -> VirtualQueue:
        return VirtualQueue(self._scheduler)

    def __getitem__(self, item: object) -> "_Generic":
        return self


@dataclass(frozen=True, slots=True)
class Threads:
    """The modules, as real code names them."""

    threading: SimpleNamespace
    time: SimpleNamespace
    queue: SimpleNamespace
    futures: SimpleNamespace


def threads_of(scheduler: Scheduler) -> Threads:
    return Threads(
        threading=SimpleNamespace(
            Lock=partial(VirtualLock, scheduler),
            Condition=partial(VirtualCondition, scheduler),
            Event=partial(VirtualEvent, scheduler),
            Thread=partial(VirtualThread, scheduler),
        ),
        time=SimpleNamespace(monotonic=lambda: scheduler.now),
        queue=SimpleNamespace(SimpleQueue=_Generic(scheduler), Empty=Empty),
        futures=SimpleNamespace(
            ThreadPoolExecutor=partial(VirtualPool, scheduler), wait=partial(wait_for, scheduler)
        ),
    )
