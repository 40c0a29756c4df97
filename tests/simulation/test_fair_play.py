"""A delay charges neither player, and strangers can buy none that is worth it."""

import pytest

from tests.simulation.fair_play import (
    ATTACKS,
    LATE_S,
    OUTAGES,
    WIRES,
    Charged,
    bought_ms,
    decided_late,
)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("outage", OUTAGES)
def test_a_move_that_is_decided_late_charges_nobody_and_wins_no_time(
    wire: str, outage: str
) -> None:
    for late_s in LATE_S:
        assert decided_late(late_s, wire, outage) == Charged(0, 0), late_s
    long = decided_late(LATE_S[0], wire, outage, is_long=True)
    is_paused = (wire, outage) == ("relay", "all relays")
    assert (long.mover < 0) is is_paused, "only who plays over relays gains by their outage"
    assert long.mover == 0 or is_paused


@pytest.mark.parametrize("name", ATTACKS)
def test_no_flood_within_the_limits_keeps_a_move_waiting_for_a_tenth_of_a_second(name: str) -> None:
    assert bought_ms(name) <= 100
    assert bought_ms(name, is_on_aws=True) <= 10
