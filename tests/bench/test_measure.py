import pytest

from bench.measure import in_turn, measured, ratio


@pytest.mark.parametrize(
    ("samples", "figure"),
    [([5.0, 1.0, 2.0, 4.0, 300.0], (2.0, 4.0, 5.0)), ([7.0], (7.0, 7.0, 7.0))],
)
def test_a_figure_is_the_median_and_its_spread_the_middle_half(
    samples: list[float], figure: tuple[float, float, float]
) -> None:
    one = measured(samples)

    assert (one.low, one.median, one.high) == figure


def test_a_ratio_is_of_neighbours_so_a_slow_moment_affects_both() -> None:
    one = ratio([2.0, 20.0, 2.0], [1.0, 10.0, 1.0])

    assert (one.median, one.high) == (2.0, 2.0)
    with pytest.raises(ValueError, match="shorter"):
        ratio([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="nothing"):
        measured([])


def test_things_are_measured_in_turn_and_the_first_round_only_warms_up() -> None:
    done: list[str] = []
    acts = {"a": lambda: done.append("a"), "b": lambda: done.append("b")}

    def clock(act: object) -> float:
        assert callable(act)
        act()
        return float(len(done))

    told = in_turn(acts, 2, clock)

    assert done == ["a", "b"] * 3
    assert told == {"a": [3.0, 5.0], "b": [4.0, 6.0]}
