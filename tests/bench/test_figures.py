"""docs/figures.md is written by a command, from what the benches kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import figures, idle
from bench.figures import PAGE, keep, of_bench, of_e2e, of_serve, page_with

SEEN = "1 December 2026 at abc1234, 2 cores, load 0.1"


def test_a_table_is_written_in_its_place_and_the_rest_stays() -> None:
    page = "a\n<!-- one -->\nold\n<!-- end -->\nb\n<!-- two -->\nkept\n<!-- end -->\n"

    written = page_with(page, {"one": r"new \1"})

    assert written == page.replace("old", r"new \1")
    with pytest.raises(KeyError, match="three"):
        page_with(page, {"three": ""})


def test_the_page_has_a_place_for_each_table() -> None:
    tables = {
        "bench/results.json": of_bench({"seen": SEEN, "figures": []}),
        "bench/e2e.json": of_e2e(
            {"cloud": {"seen": SEEN, "rows": {}}, "cloud, targets": {"seen": "", "rows": {}}}
        ),
        "bench/serve.json": of_serve({"serve": {"seen": SEEN, "rows": {}}}),
    }
    page = page_with(PAGE.read_text(encoding="utf-8"), tables)

    assert page.count(SEEN) == len(tables)


def test_the_page_shows_the_idle_bill_of_the_template_as_it_is() -> None:
    assert idle.table() in PAGE.read_text(encoding="utf-8")


def test_what_missed_its_target_is_marked_and_what_has_none_is_left_out() -> None:
    def figure(name: str, value: float, target: str, verdict: str) -> dict[str, Any]:
        return {
            "name": name,
            "value": value,
            "unit": "$",
            "target": target,
            "verdict": verdict,
        }

    table = of_bench(
        {
            "seen": SEEN,
            "figures": [
                figure("dear", 3.384, "≤ 2", "missed"),
                figure("cheap", 1.5, "≤ 2", "met"),
                figure("shown", 1.5, "", ""),
            ],
        }
    )

    assert "| dear | ≤ 2 | **$3.38: missed** |\n| cheap | ≤ 2 | $1.50 |" in table
    assert "shown" not in table


def test_rows_measured_later_join_those_of_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "seen", lambda: SEEN)
    path = tmp_path / "serve.json"
    row = {"moves_a_second": 9.6, "median_ms": 1, "p99_ms": 2, "cpu_ms": 3, "memory_mb": 40.4}

    keep(path, "serve", {"native-1": row, "native-20": row})
    keep(path, "serve", {"native-1": row | {"p99_ms": 7}})

    assert of_serve(json.loads(path.read_bytes())).splitlines()[-2:] == [
        "| native-1 | 10 | 1.0 | 7.0 | 3.0 | 40 |",
        "| native-20 | 10 | 1.0 | 2.0 | 3.0 | 40 |",
    ]
