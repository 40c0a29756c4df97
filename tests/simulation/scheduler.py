"""Virtual time: one heap of things to come, and one thread in which tasks take turns.

Nothing here looks at a real clock, and nothing runs but what the heap brings. Real code
that believes to have threads runs in greenlets, which change places only where it waits: at a lock,
a queue, a socket, or a call of the cloud. So the same draws make the same run.

A `Process` is what dies together: a worker's environment, a listener. Killed, each of its tasks
meets `Killed` where it waits, and whatever it still tries on the way out meets it again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from greenlet import getcurrent, greenlet


class Killed(BaseException):
    """The process ended here. No code of ours may catch it: it catches `Exception` at most."""


class Process:
    """Tasks, memory and environment that end together. ``skew_ms`` is how wrong its clock is."""

    def __init__(self, name: str, environment: dict[str, str] | None = None) -> None:
        self.name = name
        self.environment = environment or {}
        self.is_alive = True
        self.skew_ms = 0
        self.memory: dict[str, Any] = {}
        self.tasks: list[Task] = []
        self.is_frozen = False
        self.deferred: list[Callable[[], None]] = []

    def cached(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self.memory:
            self.memory[name] = make()
        return self.memory[name]


@dataclass(eq=False, slots=True)
class Task:
    """One thread of a process. ``turn`` tells one waiting from the next."""

    process: Process
    target: Callable[[], object]
    run: greenlet
    turn: int = 0
    was_woken: bool = False
    is_over: bool = False


class Scheduler:
    """The heap. ``now`` is in seconds since the world began."""

    def __init__(self) -> None:
        self.now = 0.0
        self.task: Task | None = None
        self.failures: list[BaseException] = []
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._hub = getcurrent()

    def at(self, when: float, do: Callable[[], None]) -> None:
        """Do this at that time, or now if it is past; in the order of asking."""
        self._number += 1
        heappush(self._heap, (max(when, self.now), self._number, do))

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        self.at(self.now + seconds, do)

    def run(self, until: float, is_done: Callable[[], bool] = lambda: False) -> None:
        while self._heap and self._heap[0][0] <= until:
            if is_done():
                return
            self.now, _, do = heappop(self._heap)
            do()
        self.now = max(self.now, until)

    def spawn(self, process: Process, target: Callable[[], object]) -> Task:
        # A greenlet that ends goes on in its parent: not in the task that spawned it, which waits.
        run = greenlet(lambda: self._live(task, target), self._hub)
        task = Task(process, target, run)
        process.tasks.append(task)
        self._wake(task, task.turn, was_woken=True)
        return task

    def park(self, seconds: float | None = None) -> bool:
        """Wait until the present task is woken: True; or until the time is over: False."""
        task = self.task
        if task is None:
            raise RuntimeError("only tasks can wait")
        self.check()
        turn = task.turn
        if seconds is not None:
            self.after(max(seconds, 0.0), lambda: self._resume(task, turn, was_woken=False))
        self._hub.switch()
        self.check()
        return task.was_woken

    def sleep(self, seconds: float) -> None:
        self.park(seconds)

    def wake(self, task: Task) -> None:
        self._wake(task, task.turn, was_woken=True)

    def check(self) -> None:
        """Raise `Killed` in a task whose process has ended."""
        if self.task is not None and not self.task.process.is_alive:
            raise Killed

    def kill(self, process: Process) -> None:
        """End a process, wherever its tasks are. In one of them this raises."""
        process.is_alive = False
        process.is_frozen = False
        for task in process.tasks:
            if task is not self.task:
                self.wake(task)
        self.check()

    def freeze(self, process: Process) -> None:
        process.is_frozen = True

    def thaw(self, process: Process) -> None:
        process.is_frozen = False
        deferred, process.deferred = process.deferred, []
        for resume in deferred:
            self.at(self.now, resume)

    def _wake(self, task: Task, turn: int, *, was_woken: bool) -> None:
        self.at(self.now, lambda: self._resume(task, turn, was_woken=was_woken))

    def _resume(self, task: Task, turn: int, *, was_woken: bool) -> None:
        if task.turn != turn or task.is_over:
            return
        if task.process.is_frozen:
            resume = lambda: self._resume(task, turn, was_woken=was_woken)  # noqa: E731 - to be deferred
            task.process.deferred.append(resume)
            return
        task.turn += 1
        task.was_woken = was_woken
        self.task = task
        try:
            task.run.switch()
        finally:
            self.task = None

    def _live(self, task: Task, target: Callable[[], object]) -> None:
        try:
            self.check()
            target()
        except Killed:
            pass
        except BaseException as failure:  # noqa: BLE001 - it would be lost otherwise
            self.failures.append(failure)
        task.is_over = True
        task.process.tasks.remove(task)
