"""Writes what the benches found into docs/figures.md: `python -m bench.figures`.

A table lies between ``<!-- NAME -->`` and ``<!-- end -->``. Prices are counted anew; the others are
of results files, which are not committed: without one, a table stays as it is.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import idle
from bench.measure import Figure

BENCH, E2E, SERVE = (Path(__file__).parent / f"{name}.json" for name in ("results", "e2e", "serve"))
PAGE = Path(__file__).parent.parent / "docs/figures.md"

TARGETS = ("target", "seen")


def seen() -> str:
    """When, at which commit, on what machine: for what is measured now."""
    told = subprocess.run(
        ("git", "rev-parse", "--short", "HEAD"), cwd=PAGE.parent, capture_output=True, check=False
    )
    at = f"{datetime.now(tz=UTC):%-d %B %Y} at {told.stdout.decode().strip() or 'no commit'}"
    return f"{at}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def keep(path: Path, table: str, head: Sequence[str], rows: Mapping[str, Sequence[str]]) -> None:
    """Add these rows, by their names, to the table of this name in a file of results."""
    kept = json.loads(path.read_bytes()) if path.exists() else {}
    before = kept.get(table, {}).get("rows", {})
    kept[table] = {"seen": seen(), "head": head, "rows": {**before, **rows}}
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def page_with(page: str, tables: Mapping[str, str]) -> str:
    """The page with these tables in their places. Raises KeyError for one that has no place."""
    for name, table in tables.items():
        place = re.compile(f"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not place.search(page):
            raise KeyError(name)
        page = place.sub(lambda found, it=table: f"{found[1]}{it}\n{found[2]}", page)  # type: ignore[misc]
    return page


def judged(figures: Iterable[Figure]) -> dict[str, Sequence[str]]:
    return {one.name: (str(one.target), _judged(one)) for one in figures if one.target}


def _judged(one: Figure) -> str:
    text = f"{'$' if one.unit == '$' else ''}{one.value:.{0 if one.value >= 100 else 2}f}"  # noqa: PLR2004
    return f"**{text}: missed**" if one.verdict == "missed" else text


def told(results: Mapping[str, Any]) -> str:
    return "\n\n".join(map(_table, results.values()))


def _table(one: Mapping[str, Any]) -> str:
    head = ("", *one["head"])
    lines = (head, ("---",) * len(head), *((name, *cells) for name, cells in one["rows"].items()))
    return "\n".join((f"Seen on {one['seen']}:\n", *(f"| {' | '.join(it)} |" for it in lines)))


def main() -> None:
    tables = {"bench.idle": idle.table()}
    for path in (BENCH, E2E, SERVE):
        if path.exists():
            tables[f"bench/{path.name}"] = told(json.loads(path.read_bytes()))
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    print(f"{PAGE}: {', '.join(tables)}")


if __name__ == "__main__":
    main()
