"""Draws what `bench.e2e` kept: for each case and each run of it the processor time of a move, by
process, and how long the move took.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.e2e_picture [FILE]
"""

import json
import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from bench.e2e import RESULTS

PICTURE = Path(__file__).parent.parent / "docs/images/e2e.svg"

_CASES = (
    *("relay, 1", "relay, 20", "gateway, 1", "gateway, 20", "gateway, 20, thinking"),
    *("NIP-100, 20", "hot seat, 1"),
)
_COLORS = {
    "relay": "#9aa5b1",
    "listeners": "#52606d",
    "emulator": "#d9dee3",
    "process_events": "#2b6cb0",
    "gateway": "#38a169",
    "http_api": "#d69e2e",
    "proxy": "#cbb8a0",
    "server": "#2b6cb0",
}
_WIDTH, _LEFT, _RIGHT = 760, 190, 150
_BAR, _GAP, _TOP = 13, 9, 44


def picture(runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """The SVG; ``runs`` are rows of `bench.e2e` by the name of their run, in the order to draw."""
    rows = {name: {row["name"]: row for row in kept} for name, kept in runs.items()}
    cases = [name for name in next(iter(rows.values())) if name in _CASES]
    drawn = [
        (case, name, rows[name][case]) for case in cases for name in rows if case in rows[name]
    ]
    most = max(sum(row["cpu_ms"].values()) for _, _, row in drawn)
    scale = (_WIDTH - _LEFT - _RIGHT) / most
    parts = [_legend()]
    y, before = _TOP, ""
    for case, name, row in drawn:
        y += _GAP if case != before else 0
        label = f"{case}" if case != before else ""
        parts.append(_text(4, y, label, weight="bold"))
        parts.append(_text(_LEFT - 6, y, name[:9], anchor="end"))
        parts += _bar(row["cpu_ms"], y, scale)
        told = f"{sum(row['cpu_ms'].values()):.0f} ms CPU, {row['median_ms']:.0f} ms"
        parts.append(_text(_LEFT + sum(row["cpu_ms"].values()) * scale + 6, y, told))
        y, before = y + _BAR + 2, case
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y + 8}" '
        'font-family="sans-serif" font-size="10">'
    )
    return "\n".join((head, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>\n"))


def _bar(cpu_ms: Mapping[str, float], y: float, scale: float) -> list[str]:
    parts, x = [], float(_LEFT)
    for role, color in _COLORS.items():
        width = cpu_ms.get(role, 0.0) * scale
        parts.append(
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_BAR}" fill="{color}"/>'
        )
        x += width
    return parts


def _legend() -> str:
    parts = [_text(4, 4, "Processor time of a move, and from sent to seen (median)", weight="bold")]
    x = 4.0
    for role, color in _COLORS.items():
        parts.append(f'<rect x="{x}" y="22" width="10" height="10" fill="{color}"/>')
        parts.append(_text(x + 14, 20, role))
        x += 26 + 6 * len(role)
    return "\n".join(parts)


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y + 10}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )


def main(path: Path) -> None:
    """Write the picture."""
    runs = json.loads(RESULTS.read_text(encoding="utf-8"))
    # Commits before what is here.
    order = sorted(runs, key=lambda name: name in {"cloud", "serve"})
    path.write_text(picture({name: runs[name] for name in order}), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
