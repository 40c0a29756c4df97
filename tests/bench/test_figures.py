import json

import pytest

from bench.figures import Figure, Target, Verdict, as_json, certain, table
from bench.measure import Measured


@pytest.mark.parametrize(
    ("target", "value", "verdict"),
    [
        (Target(1.5), 1.5, Verdict.MET),
        (Target(1.5), 1.51, Verdict.MISSED),
        (Target(1.8, at_least=True), 1.8, Verdict.MET),
        (Target(1.8, at_least=True), 1.79, Verdict.MISSED),
        (None, 99.0, Verdict.SHOWN),
    ],
)
def test_a_figure_is_judged_by_its_target(
    target: Target | None, value: float, verdict: Verdict
) -> None:
    assert Figure(name="x", measured=certain(value), target=target).verdict is verdict


def test_a_figure_is_judged_by_the_median_and_not_by_its_best_round() -> None:
    figure = Figure(name="x", measured=Measured(1.6, 1.0, 2.0), target=Target(1.5))

    assert figure.verdict is Verdict.MISSED


def test_the_table_says_target_measured_spread_verdict_and_note() -> None:
    figures = [
        Figure(name="a move", measured=Measured(1.25, 1.0, 1.5), target=Target(1.5), note="so"),
        Figure(name="an item", measured=certain(776), unit="B"),
    ]

    head, first, second = table(figures).splitlines()

    assert head.split() == ["target", "measured", "middle", "half", "verdict"]
    assert first.split() == ["a", "move", "≤", "1.5", "1.25", "x", "1.00…1.50", "met", "so"]
    assert second.split() == ["an", "item", "776", "B"]
    assert first.index("x") < first.index("1.00")


def test_results_are_json_with_their_verdicts() -> None:
    figures = [Figure(name="x", measured=Measured(2.0, 1.0, 3.0), target=Target(1.5))]

    assert json.loads(json.dumps(as_json(figures))) == [
        {
            "name": "x",
            "measured": {"median": 2.0, "low": 1.0, "high": 3.0},
            "unit": "x",
            "target": "≤ 1.5",
            "note": "",
            "verdict": "missed",
        }
    ]
