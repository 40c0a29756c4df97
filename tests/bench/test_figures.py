"""docs/figures.md is written by a command, from what the benches kept."""

import json
from pathlib import Path

import pytest

from bench import figures, idle
from bench.figures import PAGE, judged, keep, page_with, told
from bench.measure import Figure, Target

SEEN = "1 December 2026 at abc1234, 2 cores, load 0.1"


def test_a_table_is_written_in_its_place_and_the_rest_stays() -> None:
    page = "a\n<!-- one -->\nold\n<!-- end -->\nb\n<!-- two -->\nkept\n<!-- end -->\n"

    written = page_with(page, {"one": r"new \1"})

    assert written == page.replace("old", r"new \1")
    with pytest.raises(KeyError, match="three"):
        page_with(page, {"three": ""})


def test_the_page_has_a_place_for_each_table() -> None:
    names = [f"bench/{path.name}" for path in (figures.BENCH, figures.E2E, figures.SERVE)]
    page = page_with(PAGE.read_text(encoding="utf-8"), dict.fromkeys(names, SEEN))

    assert page.count(SEEN) == len(names)


def test_the_page_shows_the_idle_bill_of_the_template_as_it_is() -> None:
    assert idle.table() in PAGE.read_text(encoding="utf-8")


def test_what_missed_its_target_is_marked_and_what_has_none_is_left_out() -> None:
    assert judged(
        [
            Figure(name="dear", value=3.384, unit="$", target=Target(2)),
            Figure(name="cheap", value=1.5, unit="$", target=Target(2)),
            Figure(name="fast", value=227.4, unit="moves/s", target=Target(100, at_least=True)),
            Figure(name="shown", value=1.5),
        ]
    ) == {
        "dear": ("≤ 2", "**$3.38: missed**"),
        "cheap": ("≤ 2", "$1.50"),
        "fast": ("≥ 100", "227"),
    }


def test_rows_measured_later_join_those_of_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "seen", lambda: SEEN)
    path = tmp_path / "serve.json"

    keep(path, "serve", ("p99",), {"native-1": ["2.0"], "native-20": ["3.0"]})
    keep(path, "serve", ("p99",), {"native-1": ["7.0"]})
    keep(path, "targets", ("seen",), {"fast": ["no"]})

    assert told(json.loads(path.read_bytes())).splitlines() == [
        *(f"Seen on {SEEN}:", "", "|  | p99 |", "| --- | --- |"),
        *("| native-1 | 7.0 |", "| native-20 | 3.0 |", ""),
        *(f"Seen on {SEEN}:", "", "|  | seen |", "| --- | --- |", "| fast | no |"),
    ]
