"""A flood of one address costs what the product counts, and leaves room for who plays."""

import pytest

from bench.floods import FLOODS, measure


def test_forty_frames_a_second_cost_as_the_product_counts_them_and_soon_leave_the_stage() -> None:
    _, closes = FLOODS
    seen = measure(closes, seconds=60)
    assert seen.closed == 110, "sockets of the flooder"
    assert seen.late < 0.25, "a part of the minute in which an honest frame found no room"
    assert seen.by_product == pytest.approx(seen.by_bench, rel=0.05)
