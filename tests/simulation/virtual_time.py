"""Virtual time: an event loop whose clock jumps to the next timer, and threads that are greenlets.

Real asyncio code runs on `VirtualLoop` as it is. Code that believes to have threads runs in
greenlets, which change places only where they wait: for a lock, a queue, a socket or the disk.
Nothing looks at a real clock, so the same draws make the same run.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent import futures
from contextvars import Context
from functools import partial
from heapq import heappop, heappush
from queue import Empty
from types import SimpleNamespace
from typing import Any

from greenlet import getcurrent, greenlet


class Killed(BaseException):
    """The process ended here. The arbiter catches `Exception` at most."""


class Process:
    """Threads that end together. ``skew_ms`` is how wrong its clock is."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_alive = True
        self.skew_ms = 0
        self.tasks: list[Task] = []


class Task:
    """One thread of a process. ``turn`` tells one waiting from the next."""

    __slots__ = ("greenlet", "process", "turn", "was_woken")

    def __init__(self, process: Process) -> None:
        self.process = process
        self.greenlet: greenlet = getcurrent()
        self.turn = 0
        self.was_woken = False


class Handle:
    """A callback that is to come, as `asyncio.Handle` is one."""

    __slots__ = ("args", "callback", "context", "is_cancelled")

    def __init__(self, callback: Any, args: Any, context: Context | None) -> None:
        self.callback, self.args, self.context = callback, args, context
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True
        self.callback = self.args = None

    def cancelled(self) -> bool:
        return self.is_cancelled


class VirtualLoop(asyncio.AbstractEventLoop):
    """The event loop: time goes on to the next timer when nothing is ready. What is run in an
    executor is a thread of the present process.
    """

    def __init__(self, threads: "Scheduler") -> None:
        self.threads = threads
        self.now = 0.0
        self._ready: deque[Handle] = deque()
        self._timers: list[tuple[float, int, Handle]] = []
        self._count = 0
        self._is_stopping = False

    def time(self) -> float:
        return self.now

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        handle = Handle(callback, args, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        handle = Handle(callback, args, context)
        self._count += 1
        heappush(self._timers, (when, self._count, handle))
        return handle

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        return self.call_at(self.now + delay, callback, *args, context=context)

    def create_future(self) -> Any:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, **named: Any) -> Any:
        return asyncio.Task(coro, loop=self, **named)

    def get_debug(self) -> bool:
        return False

    def is_closed(self) -> bool:
        return False

    def call_exception_handler(self, context: Any) -> None:
        self.threads.failed(context.get("exception") or RuntimeError(context["message"]))

    def stop(self) -> None:
        self._is_stopping = True

    def run_forever(self) -> None:
        asyncio._set_running_loop(self)
        try:
            while not self._is_stopping:
                self._run_once()
        finally:
            self._is_stopping = False
            asyncio._set_running_loop(None)

    def _run_once(self) -> None:
        ready, timers = self._ready, self._timers
        while timers and timers[0][2].is_cancelled:
            heappop(timers)
        # A moment passes in any case: who waits for what is left of a second must come to its end.
        self.now += 1e-6
        if not ready:
            if not timers:
                raise RuntimeError("nothing is left to happen")
            self.now = max(self.now, timers[0][0])
        while timers and timers[0][0] <= self.now:
            ready.append(heappop(timers)[2])
        for _ in range(len(ready)):
            handle = ready.popleft()
            if handle.is_cancelled:
                continue
            try:
                if handle.context is None:
                    handle.callback(*handle.args)
                else:
                    handle.context.run(handle.callback, *handle.args)
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as failure:  # noqa: BLE001 - the run ends with it
                self.threads.failed(failure)

    def run_in_executor(self, _: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        done = self.create_future()

        def run() -> None:
            try:
                result = func(*args)
            except Exception as failure:  # noqa: BLE001 - the awaiting task gets it
                self.call_soon(_settle, done, None, failure)
            else:
                self.call_soon(_settle, done, result, None)

        self.threads.spawn(self.threads.process(), run)
        return done


def _settle(future: "asyncio.Future[Any]", result: Any, failure: Exception | None) -> None:
    if future.done():
        return
    if failure is None:
        future.set_result(result)
    else:
        future.set_exception(failure)


MAX_LOOK_SECONDS = 20.0


class Scheduler:
    """What happens when. ``now`` is in seconds since the world began."""

    def __init__(self) -> None:
        self.loop = VirtualLoop(self)  # type: ignore[abstract]
        self.task: Task | None = None
        self.failures: list[BaseException] = []
        self.main = Process("main")
        """Whose the event loop's own callbacks are."""
        self._hub = getcurrent()

    @property
    def now(self) -> float:
        return self.loop.now

    def at(self, when: float, do: Callable[[], object]) -> None:
        """Do this at that time, or now if it is past; in the order of asking."""
        self.loop.call_at(max(when, self.now), do)

    def after(self, seconds: float, do: Callable[[], object]) -> None:
        self.loop.call_later(max(seconds, 0.0), do)

    def run(
        self, until: float, is_done: Callable[[], bool] | None = None, every: float = 2.0
    ) -> None:
        """Let happen what happens until then, or until it is done, as is looked so often, and more
        seldom in time.
        """
        end = self.loop.call_at(until, self.loop.stop)

        def look() -> None:
            if end.cancelled() or self.now >= until or is_done is None:
                return
            if is_done():
                self.loop.stop()
            else:
                nonlocal every
                every = min(every * 1.05, MAX_LOOK_SECONDS)
                self.loop.call_later(every, look)

        if is_done is not None:
            self.loop.call_soon(look)
        self.loop.run_forever()
        end.cancel()
        if self.failures:
            raise self.failures[0]

    def jump(self, seconds: float) -> None:
        """Let this time pass in which nothing runs, as while a machine sleeps."""
        self.loop.now += seconds

    def process(self) -> Process:
        return self.task.process if self.task else self.main

    def spawn(self, process: Process, target: Callable[[], object]) -> None:
        task = Task(process)
        # A greenlet that ends goes on in its parent: not in the one that started it.
        task.greenlet = greenlet(lambda: self._live(task, target), self._hub)
        process.tasks.append(task)
        self.wake(task)

    def park(self, seconds: float | None = None) -> bool:
        """Wait until the present thread is woken: True; or until the time is over: False."""
        task = self.task
        if task is None:
            raise RuntimeError("the event loop's thread waits for a thread")
        self.check()
        turn = task.turn
        late = None
        if seconds is not None:
            late = self.loop.call_later(max(seconds, 0.0), self._resume, task, turn, False)
        self._hub.switch()
        if late is not None:
            late.cancel()
        self.check()
        return task.was_woken

    def sleep(self, seconds: float) -> None:
        self.park(seconds)

    def wake(self, task: Task) -> None:
        self.loop.call_soon(self._resume, task, task.turn, True)

    def check(self) -> None:
        """Raise `Killed` in a thread whose process has ended."""
        if self.task is not None and not self.task.process.is_alive:
            raise Killed

    def hurry(self, task: Task) -> None:
        """End what this thread waits for now."""
        self._resume(task, task.turn, was_woken=False)

    def kill(self, process: Process) -> None:
        """End the threads of a process wherever they are, but for the present one's."""
        process.is_alive = False
        for task in [*process.tasks]:
            if task is not self.task:
                self._resume(task, task.turn, was_woken=True)

    def _resume(self, task: Task, turn: int, was_woken: bool) -> None:  # noqa: FBT001 - a callback
        if task.turn != turn or task not in task.process.tasks:
            return
        task.turn += 1
        task.was_woken = was_woken
        before, self.task = self.task, task
        try:
            task.greenlet.switch()
        finally:
            self.task = before

    def _live(self, task: Task, target: Callable[[], object]) -> None:
        try:
            self.check()
            target()
        except Killed:
            pass
        except BaseException as failure:  # noqa: BLE001 - it would be lost otherwise
            self.failures.append(failure)
        task.process.tasks.remove(task)

    def failed(self, failure: BaseException) -> None:
        """End the run with this failure."""
        self.failures.append(failure)
        self.loop.stop()


class Waiters:
    """Threads that wait for one thing, first come, first served."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self._tasks: list[Task] = []

    def wait(self, seconds: float | None = None) -> bool:
        """Wait to be woken; False when the time was over first."""
        task = self.scheduler.task
        if task is None:
            raise RuntimeError("the event loop's thread waits for a thread")
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
        for task in self._tasks[:count]:
            self._tasks.remove(task)
            self.scheduler.wake(task)


class VirtualLock:
    """threading.Lock."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._waiters = Waiters(scheduler)
        self._holder: Task | None = None
        self.is_held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - threading's own
        scheduler = self._waiters.scheduler
        while scheduler.task is None and self.is_held and self._holder is not None:
            # The event loop would stand still until then: nothing else can happen meanwhile.
            scheduler.hurry(self._holder)
        seconds = (None if timeout < 0 else timeout) if blocking else 0.0
        if not self._waiters.wait_until(lambda: not self.is_held, seconds):
            return False
        self.is_held, self._holder = True, scheduler.task
        return True

    def release(self) -> None:
        self.is_held = False
        self._waiters.wake(1)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()


class VirtualCondition:
    """threading.Condition, of this lock or of its own."""

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
    """threading.Event."""

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
    """threading.Thread, of the process in which it is made."""

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
        self._process = scheduler.process()

    def start(self) -> None:
        self._is_alive = True
        self._waiters.scheduler.spawn(self._process, self._run)

    def is_alive(self) -> bool:
        return self._is_alive and self._process.is_alive

    def join(self, timeout: float | None = None) -> None:
        self._waiters.wait_until(lambda: not self._is_alive, timeout)

    def _run(self) -> None:
        try:
            self._call()
        finally:
            self._is_alive = False
            self._waiters.wake()


class VirtualQueue:
    """queue.SimpleQueue."""

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


class VirtualFuture(futures.Future[Any]):
    """A future for which a thread waits in virtual time; `asyncio.wrap_future` knows it."""

    scheduler: Scheduler

    def result(self, timeout: float | None = None) -> Any:
        if not self.done():
            waiters = Waiters(self.scheduler)
            self.add_done_callback(lambda _: waiters.wake())
            waiters.wait_until(self.done, timeout)
        return super().result(0)


def future_of(scheduler: Scheduler) -> Any:
    """The class of this scheduler's futures."""
    return type("Future", (VirtualFuture,), {"scheduler": scheduler})


class _Generic:
    """`queue.SimpleQueue[None]()` and `queue.SimpleQueue()` alike."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def __call__(self) -> VirtualQueue:
        return VirtualQueue(self._scheduler)

    def __getitem__(self, item: object) -> "_Generic":
        return self


def virtual_modules(scheduler: Scheduler, unix_ms: Callable[[], int]) -> dict[str, SimpleNamespace]:
    """`threading`, `time` and `queue` as the arbiter uses them."""
    return {
        "threading": SimpleNamespace(
            Lock=partial(VirtualLock, scheduler),
            Condition=partial(VirtualCondition, scheduler),
            Event=partial(VirtualEvent, scheduler),
            Thread=partial(VirtualThread, scheduler),
            get_ident=lambda: id(scheduler.task),
        ),
        "time": SimpleNamespace(
            monotonic=lambda: scheduler.now,
            time=lambda: unix_ms() / 1000,
            sleep=scheduler.sleep,
        ),
        "queue": SimpleNamespace(SimpleQueue=_Generic(scheduler), Empty=Empty),
    }
