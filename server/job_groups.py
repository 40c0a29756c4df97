"""Jobs that wait to be handled, by group: groups take turns, each in its own order."""

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class Job:
    """Work for one transaction; its ``result`` or the ``failure`` that it raised. ``settle`` is
    called once that is on the disk, or given up; ``held`` may be sent only then.
    """

    group: str
    work: Callable[["Job"], Any]
    settle: Callable[["Job"], None]
    held: list[Callable[[], object]] = field(default_factory=list)
    result: Any = None
    failure: Exception | None = None
    attempts: int = 0


MAX_FIRST = 40_000
"""Groups that are first, those named last: some 6 MB."""

OTHERS_AFTER = 3
"""Jobs of the first groups between two of others, so that games begin under any load."""


class JobGroups:
    """Jobs by group, at most ``capacity`` of them; some groups are first. For one thread."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._first: dict[str, None] = {}
        self._first_ready: OrderedDict[str, deque[Job]] = OrderedDict()
        self._others_ready: OrderedDict[str, deque[Job]] = OrderedDict()
        self._resting: dict[str, deque[Job]] = {}
        self._waiting = 0
        self._in_a_row = 0

    def __len__(self) -> int:
        return self._waiting

    @property
    def are_full(self) -> bool:
        return self._waiting >= self._capacity

    @property
    def is_ready(self) -> bool:
        return bool(self._first_ready or self._others_ready)

    def is_first(self, group: str) -> bool:
        return group in self._first

    def put_first(self, group: str) -> None:
        if group in self._first:
            return
        self._first[group] = None
        self._move(group)
        if len(self._first) > MAX_FIRST:
            self.put_with_others(next(iter(self._first)))

    def put_with_others(self, group: str) -> None:
        if group in self._first:
            del self._first[group]
            self._move(group)

    def add(self, job: Job) -> None:
        self._waiting += 1
        resting = self._resting.get(job.group)
        ready = self._ready(job.group)
        jobs = ready.get(job.group) if resting is None else resting
        if jobs is None:
            ready[job.group] = deque((job,))
        else:
            jobs.append(job)

    def take(self) -> Job:
        is_others = not self._first_ready or (
            bool(self._others_ready) and self._in_a_row >= OTHERS_AFTER
        )
        self._in_a_row = 0 if is_others else self._in_a_row + 1
        ready = self._others_ready if is_others else self._first_ready
        group, jobs = ready.popitem(last=False)
        job = jobs.popleft()
        if jobs:
            ready[group] = jobs
        self._waiting -= 1
        return job

    def stop(self, group: str) -> None:
        self._resting.setdefault(group, self._ready(group).pop(group, deque()))

    def put_back(self, job: Job) -> None:
        """Put a job back at the head of its group, which rests until `resume`."""
        self._waiting += 1
        self.stop(job.group)
        self._resting[job.group].appendleft(job)

    def resume(self, group: str) -> None:
        jobs = self._resting.pop(group, None)
        if jobs:
            self._ready(group)[group] = jobs

    def _ready(self, group: str) -> OrderedDict[str, deque[Job]]:
        return self._first_ready if group in self._first else self._others_ready

    def _move(self, group: str) -> None:
        jobs = self._first_ready.pop(group, None) or self._others_ready.pop(group, None)
        if jobs:
            self._ready(group)[group] = jobs
