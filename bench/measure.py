"""The figures of a bench, and the bounds that they keep to."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A bound that a figure keeps to: the most it may be, or the least."""

    bound: float
    at_least: bool = False

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"

    def met_by(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table. ``unit`` is ``x`` for a ratio; ``note`` says what to know about it."""

    name: str
    value: float
    unit: str = "x"
    target: Target | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.target.met_by(self.value) else "missed"


def table(figures: Sequence[Figure]) -> str:
    rows = [("", "target", "measured", "verdict", "")]
    rows += [
        (it.name, str(it.target or ""), f"{_brief(it.value)} {it.unit}", it.verdict, it.note)
        for it in figures
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _brief(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.2f}"  # noqa: PLR2004 - three digits say enough
