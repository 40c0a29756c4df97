"""Dates of states when the clocks of two workers do not agree."""

from collections.abc import Iterable
from dataclasses import replace

from arbiter.application.latest_state import resolve
from arbiter.application.timestamps import STEP_SECONDS, STEPS_CHECKED, date_state, possible_dates
from arbiter.core.commands import PlayMove
from arbiter.core.model import FORMER_EDITIONS, Game
from arbiter.dialects import dilger
from arbiter.dialects.dialect import GameCommand
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


def test_a_bogus_state_costs_little_more_after_many_offers_than_after_none() -> None:
    """Eight editions that stood for weeks must not cost nine times two weeks of hashes."""
    weeks_ms = 15 * 24 * 3600 * 1000
    world = World()
    game = world.game(world.start(ALICE, BOB).game_id)
    for at in range(1, FORMER_EDITIONS + 1):
        game = game.with_offer(None, game.created_at_ms + at * weeks_ms)
    tried: list[list[int]] = []

    def shows(_: Game, event_id: str, server: str, times: Iterable[int]) -> bool:
        del event_id, server
        tried.append([*times])
        return False

    move = PlayMove(player=ALICE.pubkey, uci="e2e4", made_at_ms=0, received_at_ms=0)
    asked = GameCommand(game.id, move, "0" * 64)
    resolve(asked, game, replace(dilger.DIALECT, shows=shows), "", game.changed_at_ms + weeks_ms)

    assert len(tried[0]) == STEPS_CHECKED + 1
    assert sum(map(len, tried)) < 1.1 * len(tried[0])
    for edition, dates in zip(reversed(game.former), tried[1:], strict=True):
        assert dates[0] == edition.since_ms // 1000
        last = date_state(edition.since_ms, edition.since_ms + weeks_ms)
        assert {last, last - 3 * 3600} <= {*dates}
