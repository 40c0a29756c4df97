"""Dates of states when the clocks of two workers do not agree."""

from arbiter.application.timestamps import STEP_SECONDS, STEPS_CHECKED, date_state, possible_dates
from tests.application.world import World
from tests.builders import ALICE, BOB, NOW_MS

NOW = NOW_MS // 1000


def test_a_state_is_dated_when_it_was_made_and_then_on_the_half_minute_grid() -> None:
    dates = [date_state(NOW_MS, NOW_MS + s * 1000) - NOW for s in (-5, 0, 29, 30, 59, 60, 3601)]

    assert dates == [0, 0, 0, 30, 30, 60, 3600]


def test_every_date_that_a_state_was_published_with_is_tried_the_likeliest_first() -> None:
    published = {date_state(NOW_MS, NOW_MS + s * 1000) for s in range(3600)}

    tried = [*possible_dates(NOW_MS, NOW_MS + 3599_000)]

    assert tried[0] == NOW
    assert published <= {*tried}
    assert tried[1:] == sorted(tried[1:], reverse=True)
    assert len(tried) == len(set(tried))


def test_no_more_dates_are_tried_than_two_weeks_hold() -> None:
    a_year_on = NOW_MS + 365 * 24 * 3600 * 1000

    tried = [*possible_dates(NOW_MS, a_year_on)]

    assert len(tried) == STEPS_CHECKED + 1
    assert date_state(NOW_MS, a_year_on) in tried
    assert date_state(NOW_MS, a_year_on - 13 * 24 * 3600 * 1000) in tried
    assert STEPS_CHECKED * STEP_SECONDS == 14 * 24 * 3600


def test_a_state_dated_by_a_worker_whose_clock_is_ahead_can_be_answered() -> None:
    """One worker says the state again just after the half minute, by its clock; the answer meets
    another one, for whom the half minute is not over yet.
    """
    world = World()
    table = world.start(ALICE, BOB)
    world.clock.ms += STEP_SECONDS * 1000
    table.state = world.ask(table.white)[-1]
    world.clock.ms -= 1000

    assert table.say("e2e4")[0].kind == 20302
