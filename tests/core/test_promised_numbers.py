"""The numbers that are promised to players, where no other test writes them out."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import (
    ACTIVE_MS,
    DAY_MS,
    IDLE_REPORT_MS,
    RelayUptime,
    TimeControl,
    start_clocks,
)
from arbiter.core.rules import USUAL_RULES
from tests.builders import NOW_MS, a_game, after

SECOND, MINUTE = 1_000, 60_000


def test_a_flag_falls_by_itself_two_seconds_after_the_deadline() -> None:
    clocks = start_clocks(TimeControl(base_ms=MINUTE), NOW_MS)
    game = replace(after(a_game(), "e4 e5"), clocks=clocks)

    # A minute, the second for the way, and two for a move that may still arrive.
    assert game.deadline_ms() == NOW_MS + 61 * SECOND
    assert game.with_timer().timer_at_ms == NOW_MS + 63 * SECOND


@pytest.mark.parametrize(
    ("silent_ms", "until_ms", "paused_ms"),
    [
        (15 * SECOND, 20 * SECOND, 0),
        (15 * SECOND + 1, 30 * SECOND, 25 * SECOND + 1),
        (3 * DAY_MS, 3 * DAY_MS + 15 * SECOND, DAY_MS + 10 * SECOND),
    ],
)
def test_an_outage_is_longer_than_fifteen_seconds_and_given_back_with_ten_more_up_to_a_day(
    silent_ms: int, until_ms: int, paused_ms: int
) -> None:
    uptime = RelayUptime(0).after_report(silent_ms).after_report(until_ms)

    assert uptime.paused_ms(0, until_ms) == paused_ms
    assert RelayUptime(0).after_report(15 * SECOND).paused_ms(0, MINUTE) == 45 * SECOND


def test_unless_an_operator_chose_no_work_is_asked_for() -> None:
    assert (USUAL_RULES.illegal_moves_to_lose, USUAL_RULES.newcomer_difficulty) == (3, 0)


def test_from_four_hours_after_an_event_on_listeners_report_once_a_minute() -> None:
    assert (ACTIVE_MS, IDLE_REPORT_MS) == (240 * MINUTE, MINUTE)
