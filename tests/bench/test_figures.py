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


def test_the_table_and_the_json_have_median_spread_and_verdict() -> None:
    figures = [
        Figure(name="a move", measured=Measured(1.6, 1.0, 2.0), target=Target(1.5), note="so"),
        Figure(name="an item", measured=certain(776), unit="B"),
    ]

    _, first, second = table(figures).splitlines()

    assert first.split() == ["a", "move", "≤", "1.5", "1.60", "x", "1.00…2.00", "missed", "so"]
    assert second.split() == ["an", "item", "776", "B"]
    assert json.loads(json.dumps(as_json(figures)))[0] == {
        "name": "a move",
        "measured": {"median": 1.6, "low": 1.0, "high": 2.0},
        "unit": "x",
        "target": "≤ 1.5",
        "note": "so",
        "verdict": "missed",
    }
