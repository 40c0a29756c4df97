"""Writes what the benches found into docs/figures.md: `python -m bench.figures`.

A table of the page lies between ``<!-- NAME -->`` and ``<!-- end -->``. Those of prices are counted
anew; the others are of the results files beside this module, which describe one machine and are not
committed. A table without a file stays as it is.
"""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import idle

BENCH, E2E, SERVE = (Path(__file__).parent / f"{name}.json" for name in ("results", "e2e", "serve"))
PAGE = Path(__file__).parent.parent / "docs/figures.md"

_TARGETS = ("", "target", "seen")
_ROLES = ("process_events", "gateway", "http_api", "emulator", "relay")

Results = Mapping[str, Any]


def seen() -> str:
    """When, at which commit, on what machine: for what is measured now."""
    told = subprocess.run(
        ("git", "rev-parse", "--short", "HEAD"), cwd=PAGE.parent, capture_output=True, check=False
    )
    at = f"{datetime.now(tz=UTC):%-d %B %Y} at {told.stdout.decode().strip() or 'no commit'}"
    return f"{at}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def keep(path: Path, name: str, rows: Mapping[str, Any]) -> None:
    """Add these rows to the run of this name in a file of results."""
    kept = json.loads(path.read_bytes()) if path.exists() else {}
    before = kept.get(name, {}).get("rows", {})
    kept[name] = {"seen": seen(), "rows": before | rows}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def page_with(page: str, tables: Mapping[str, str]) -> str:
    """The page with these tables in their places. Raises KeyError for one that has no place."""
    for name, table in tables.items():
        place = re.compile(f"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not place.search(page):
            raise KeyError(name)
        page = place.sub(lambda found, it=table: f"{found[1]}{it}\n{found[2]}", page)  # type: ignore[misc]
    return page


def of_bench(results: Results) -> str:
    """The table of `make bench`, of what has a target."""
    return _table(results["seen"], _TARGETS, _targets(results["figures"]))


def _targets(figures: Iterable[Results]) -> list[Sequence[str]]:
    return [
        (one["name"], one["target"], _judged(one["value"], one)) for one in figures if one["target"]
    ]


def _judged(value: float, one: Results) -> str:
    text = f"{'$' if one['unit'] == '$' else ''}{value:.{0 if value >= 100 else 2}f}"  # noqa: PLR2004
    return f"**{text}: missed**" if one["verdict"] == "missed" else text


def of_e2e(results: Results) -> str:
    """The table of `make bench-e2e`, on the emulated cloud as it is here."""
    run = results["cloud"]
    head = ("", "moves/s", "median ms", "CPU ms", *(f"`{role}`" for role in _ROLES), "table calls")
    rows = [
        (
            row["name"],
            f"{row['moves_a_second']:.0f}",
            f"{row['median_ms']:.0f}",
            f"{sum(row['cpu_ms'].values()):.1f}",
            *(_unless_none(row["cpu_ms"].get(role, 0.0)) for role in _ROLES),
            f"{row['table_calls']:.1f}",
        )
        for row in run["rows"].values()
    ]
    wanted = results["cloud, targets"]
    judged = _table(wanted["seen"], _TARGETS, _targets(wanted["rows"].values()))
    return f"{_table(run['seen'], head, rows)}\n\n{judged}"


def _unless_none(value: float) -> str:
    return f"{value:.1f}" if value > 0.05 else ""  # noqa: PLR2004 - as it is rounded


def of_serve(results: Results) -> str:
    run = results["serve"]
    columns = ("moves_a_second", "median_ms", "p99_ms", "cpu_ms", "memory_mb")
    head = ("", "moves/s", "median ms", "p99 ms", "CPU ms", "MB")
    rows = [
        (name, *(f"{row[it]:.{1 if it.endswith('ms') else 0}f}" for it in columns))
        for name, row in run["rows"].items()
    ]
    return _table(run["seen"], head, rows)


def _table(when: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "\n".join((f"Seen on {when}:\n", *(f"| {' | '.join(line)} |" for line in lines)))


_OF: Mapping[Path, Callable[[Results], str]] = {BENCH: of_bench, E2E: of_e2e, SERVE: of_serve}


def main() -> None:
    tables = {"bench.idle": idle.table()}
    for path, render in _OF.items():
        if path.exists():
            tables[f"bench/{path.name}"] = render(json.loads(path.read_bytes()))
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    print(f"{PAGE}: {', '.join(tables)}")


if __name__ == "__main__":
    main()
