"""CPU time of things compared on a busy machine, and the figures that come of it.

Invariant: what is compared is measured in turn, A B A B, so that other load affects both. A figure
is the median, its spread the middle half. CPU time does not grow while a process waits for a core.
"""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """A median and its quartiles, in the unit of the samples."""

    median: float
    low: float
    high: float


def measured(values: Sequence[float]) -> Measured:
    """The quartiles of these values, of which there is at least one."""
    if len(values) == 1:
        return certain(values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Measured(median, low, high)


def certain(value: float) -> Measured:
    """A figure that was counted or computed, and has no spread."""
    return Measured(value, value, value)


def ratio(above: Sequence[float], below: Sequence[float]) -> Measured:
    """The quotients of values of which each two were measured one after the other."""
    return measured([one / other for one, other in zip(above, below, strict=True)])


def cpu_us(act: Callable[[], object]) -> float:
    """Microseconds of CPU of this thread."""
    began = time.thread_time_ns()
    act()
    return (time.thread_time_ns() - began) / 1000


@dataclass(frozen=True, slots=True)
class Target:
    """A bound that a figure keeps to: the most it may be, or the least."""

    bound: float
    at_least: bool = False

    def __str__(self) -> str:
        """Such as ``≤ 1.5``."""
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"

    def met_by(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table. ``unit`` is ``x`` for a ratio; ``note`` says what to know about it."""

    name: str
    measured: Measured
    unit: str = "x"
    target: Target | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """Of the median: met, missed, or empty without a target."""
        if self.target is None:
            return ""
        return "met" if self.target.met_by(self.measured.median) else "missed"


def table(figures: Sequence[Figure]) -> str:
    """The figures as text for a terminal, columns aligned."""
    rows = [("", "target", "measured", "middle half", "verdict", "")]
    rows += [
        (
            one.name,
            str(one.target or ""),
            f"{brief(one.measured.median)} {one.unit}",
            _spread(one.measured),
            one.verdict,
            one.note,
        )
        for one in figures
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(6)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def as_json(figures: Iterable[Figure]) -> list[dict[str, object]]:
    """The figures as JSON values: the fields of `Figure`, and the verdict."""
    return [
        {**asdict(one), "target": str(one.target or ""), "verdict": one.verdict} for one in figures
    ]


def _spread(one: Measured) -> str:
    return "" if one.low == one.high else f"{brief(one.low)}…{brief(one.high)}"


def brief(value: float) -> str:
    """The value in three digits or so."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.2f}"  # noqa: PLR2004 - three digits say enough
