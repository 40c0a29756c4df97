"""A player who is away is told for what is promised."""

from bench.notice_bills import of_notices


def test_a_notice_of_a_turn_costs_a_thousandth_of_a_cent() -> None:
    found = of_notices()
    assert found.verdict == "met"
    assert found.value > 1
