"""The table of figures: target, measurement, verdict. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from bench.measure import Measured


class Verdict(StrEnum):
    """Whether a figure met its target; SHOWN where it has none."""

    MET = "met"
    MISSED = "missed"
    SHOWN = ""


@dataclass(frozen=True, slots=True)
class Target:
    """A bound that a figure keeps to: the most it may be, or the least."""

    bound: float
    at_least: bool = False

    def __str__(self) -> str:
        """Such as ``≤ 1.5``."""
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"

    def met_by(self, value: float) -> bool:
        """Whether the value keeps to it."""
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
    def verdict(self) -> Verdict:
        """Judged by the median."""
        if self.target is None:
            return Verdict.SHOWN
        return Verdict.MET if self.target.met_by(self.measured.median) else Verdict.MISSED


def certain(value: float) -> Measured:
    """A figure that was counted or computed, and has no spread."""
    return Measured(value, value, value)


def table(figures: Sequence[Figure]) -> str:
    """The figures as text for a terminal, columns aligned."""
    rows = [("", "target", "measured", "middle half", "verdict", "")]
    rows += [
        (
            one.name,
            str(one.target) if one.target else "",
            f"{_brief(one.measured.median)} {one.unit}",
            _spread(one.measured),
            one.verdict.value,
            one.note,
        )
        for one in figures
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(5)]
    return "\n".join(_line(row, widths) for row in rows)


def as_json(figures: Iterable[Figure]) -> list[dict[str, object]]:
    """The figures as JSON values: the fields of `Figure`, and the verdict."""
    return [
        {**asdict(one), "target": str(one.target) if one.target else None, "verdict": one.verdict}
        for one in figures
    ]


def _line(row: tuple[str, ...], widths: Sequence[int]) -> str:
    name, target, value, spread, verdict, note = row
    cells = (
        name.ljust(widths[0]),
        target.rjust(widths[1]),
        value.rjust(widths[2]),
        spread.rjust(widths[3]),
        verdict.ljust(widths[4]),
        note,
    )
    return "  ".join(cells).rstrip()


def _spread(one: Measured) -> str:
    return "" if one.low == one.high else f"{_brief(one.low)}…{_brief(one.high)}"


def _brief(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.2f}"  # noqa: PLR2004 - three digits say enough
