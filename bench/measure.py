"""CPU time of things compared on a busy machine.

Invariant: what is compared is measured in turn, A B A B, so that other load affects both. A figure
is the median, its spread the middle half. CPU time does not grow while a process waits for a core.
"""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Act = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Measured:
    """A median and its quartiles, in the unit of the samples."""

    median: float
    low: float
    high: float


def measured(values: Sequence[float]) -> Measured:
    """What these come to. ValueError for none."""
    if not values:
        raise ValueError("nothing was measured")
    if len(values) == 1:
        return Measured(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Measured(median, low, high)


def ratio(above: Sequence[float], below: Sequence[float]) -> Measured:
    """What the ratios come to, each of two measured one after the other."""
    return measured([one / other for one, other in zip(above, below, strict=True)])


def cpu_us(act: Act) -> float:
    """Microseconds of CPU of this thread."""
    began = time.thread_time_ns()
    act()
    return (time.thread_time_ns() - began) / 1000


def all_threads_cpu_us(act: Act) -> float:
    """Microseconds of CPU of this process, for what is done in threads."""
    began = time.process_time_ns()
    act()
    return (time.process_time_ns() - began) / 1000


def in_turn(
    acts: Mapping[str, Act], rounds: int, clock: Callable[[Act], float] = cpu_us
) -> dict[str, list[float]]:
    """The named actions, measured in turn; the first round warms up and is not counted."""
    told: dict[str, list[float]] = {name: [] for name in acts}
    for number in range(rounds + 1):
        for name, act in acts.items():
            value = clock(act)
            if number:
                told[name].append(value)
    return told
