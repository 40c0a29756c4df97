"""Jobs that wait to be handled, by group: groups take turns, each in its own order."""

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class Job:
    """Work for one transaction. ``work`` runs within it, and its result is ``result`` unless it
    raised ``failure``; ``settle`` is called once that is on the disk, or given up.

    ``held`` is what may be sent only then, such as an OK.
    """

    group: str
    work: Callable[["Job"], Any]
    settle: Callable[["Job"], None]
    held: list[Callable[[], object]] = field(default_factory=list)
    result: Any = None
    failure: Exception | None = None
    attempts: int = 0


class JobGroups:
    """Jobs by group, at most ``capacity`` of them. For one thread."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._ready: OrderedDict[str, deque[Job]] = OrderedDict()
        self._resting: dict[str, deque[Job]] = {}
        self._waiting = 0

    def __len__(self) -> int:
        return self._waiting

    @property
    def are_full(self) -> bool:
        """Whether what brings new jobs has to wait."""
        return self._waiting >= self._capacity

    @property
    def is_ready(self) -> bool:
        """Whether there is a job to take."""
        return bool(self._ready)

    def add(self, job: Job) -> None:
        """Add a job at the end of its group."""
        self._waiting += 1
        resting = self._resting.get(job.group)
        jobs = self._ready.get(job.group) if resting is None else resting
        if jobs is None:
            self._ready[job.group] = deque((job,))
        else:
            jobs.append(job)

    def take(self) -> Job:
        """The first job of the next group. KeyError if there is none."""
        group, jobs = self._ready.popitem(last=False)
        job = jobs.popleft()
        if jobs:
            self._ready[group] = jobs
        self._waiting -= 1
        return job

    def stop(self, group: str) -> None:
        """Let this group rest until `resume`."""
        self._resting.setdefault(group, self._ready.pop(group, deque()))

    def put_back(self, job: Job) -> None:
        """Put a job back at the head of its group, which rests until `resume`."""
        self._waiting += 1
        self.stop(job.group)
        self._resting[job.group].appendleft(job)

    def resume(self, group: str) -> None:
        """Let this group take turns again."""
        jobs = self._resting.pop(group, None)
        if jobs:
            self._ready[group] = jobs
