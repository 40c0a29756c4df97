"""With which dates states are told, and which of them an ``e`` tag is compared with."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from arbiter.application.state_tags import (
    CHECKED_SECONDS,
    SKEW_SECONDS,
    are_all_checked,
    date_answer,
    date_change,
    possible_dates,
    resolve_state_tag,
)
from arbiter.core.commands import AnsweredState, PlayMove, ShowState
from arbiter.core.game import EARLIER_VERSIONS_KEPT, Game
from arbiter.dialects import dilger
from arbiter.dialects.base import GameCommand
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, NOW_MS, SERVER

NOW = NOW_MS // 1000
HOUR_MS = 3600 * 1000
WEEKS_MS = 15 * 24 * HOUR_MS


def a_table() -> tuple[World, Table]:
    world = World()
    table = world.start(ALICE, BOB)
    world.clock.ms += 1000
    table.say("e2e4")
    return world, table


def test_a_change_keeps_the_date_of_its_commit_for_a_minute() -> None:
    dates = [date_change(NOW_MS, NOW_MS + s * 1000) - NOW for s in (-5, 0, 1, 60, 61, 3601)]
    assert dates == [0, 0, 0, 0, 61, 3601]


def test_an_answer_is_dated_when_it_is_given_and_never_before_the_change() -> None:
    dates = [date_answer(NOW_MS, NOW_MS + s * 1000) - NOW for s in (-5, 0, 1, 60, 61)]
    assert dates == [0, 0, 1, 60, 61]


@pytest.mark.parametrize("seconds", [1, 5, 29, 45])
@pytest.mark.parametrize("asks", ["20300", "state"])
def test_who_asks_soon_after_a_move_hears_a_state_that_no_relay_has_seen(
    seconds: int, asks: str
) -> None:
    world, table = a_table()
    known = {event.id for event in world.publisher.taken_events}
    world.clock.ms += seconds * 1000
    now = world.clock.ms // 1000
    said = world.ask(table.white) if asks == "20300" else table.say("state", key=table.white)
    (state,) = (event for event in said if event.kind == 20302)
    assert state.id not in known
    assert state.created_at == now
    assert not known & {event.id for event in said}


def test_a_question_that_is_answered_with_a_refusal_shows_a_fresh_state() -> None:
    world, table = a_table()
    first = table.state
    world.clock.ms += 5000
    table.say("e7e5")
    table.state = first
    world.clock.ms += 5000
    shown, error = table.say("d2d4", key=table.white)
    assert error.content.startswith("stale: ")
    assert shown.created_at == world.clock.ms // 1000


def test_a_change_told_again_at_once_is_the_very_same_event_and_later_a_fresh_one() -> None:
    world, table = a_table()
    event = table.move_event("e7e5")
    (told,) = world.hear(event)
    world.clock.ms += 60_000
    (again,) = world.hear(event)
    world.clock.ms += 1000
    (later,) = world.hear(event)
    assert again.id == told.id
    assert later.created_at == world.clock.ms // 1000
    assert later.tags == told.tags


@pytest.mark.parametrize("seconds", [1, 29, 61, 1800, 3599])
def test_a_move_may_name_a_state_that_was_told_in_the_last_hour(seconds: int) -> None:
    world, table = a_table()
    world.clock.ms += 2 * HOUR_MS
    world.ask(table.white)
    table.state = world.ask(table.black)[-1]
    world.clock.ms += seconds * 1000
    move = table.move_event("e7e5")
    asked = GameCommand(table.game_id, a_move(table.black.pubkey), move.tags[-1][1])
    command = resolve_state_tag(
        asked, world.game(table.game_id), dilger.DIALECT, SERVER.pubkey, world.clock.ms
    )
    assert isinstance(command, PlayMove)
    assert command.answers is AnsweredState.LATEST
    assert [event.kind for event in world.hear(move)] == [20302]


def a_move(player: str) -> PlayMove:
    return PlayMove(player=player, uci="e7e5", made_at_ms=0, received_at_ms=0)


@pytest.mark.parametrize("offers", [0, 1, EARLIER_VERSIONS_KEPT])
def test_every_date_of_an_hour_is_tried_once_for_the_edition_that_it_was_told_of(
    offers: int,
) -> None:
    world, table = a_table()
    game = world.game(table.game_id)
    since_ms = game.changed_at_ms
    for at in range(offers):
        game = game.with_offer(None, since_ms + (at + 1) * 300_000)
    tried = dates_tried(game, since_ms + HOUR_MS)
    for number, since, until in lives(game, since_ms + HOUR_MS):
        assert set(range(since, until + 1)) <= {*tried[number]}
        assert tried[number][0] == since
        assert tried[number][1:] == sorted(tried[number][1:], reverse=True)
        assert len(tried[number]) == len({*tried[number]})


def test_a_bogus_state_costs_an_hour_of_hashes_however_many_offers_there_were() -> None:
    world, table = a_table()
    game = world.game(table.game_id)
    for at in range(1, EARLIER_VERSIONS_KEPT + 1):
        game = game.with_offer(None, game.created_at_ms + at * WEEKS_MS)
    tried = dates_tried(game, game.changed_at_ms + WEEKS_MS)
    assert (
        sum(map(len, tried.values())) <= CHECKED_SECONDS + SKEW_SECONDS + EARLIER_VERSIONS_KEPT + 2
    )
    assert [dates[0] for dates in tried.values()] == [since for _, since, _ in lives(game, 0)]


def dates_tried(game: Game, now_ms: int) -> dict[int, list[int]]:
    tried: dict[int, list[int]] = {}

    def shows(edition: Game, event_id: str, server: str, times: Iterable[int]) -> bool:
        del event_id, server
        tried[edition.state_version] = [*times]
        return False

    asked = GameCommand(game.id, a_move(game.black.player), "0" * 64)
    resolve_state_tag(asked, game, replace(dilger.DIALECT, shows=shows), "", now_ms)
    return tried


def lives(game: Game, now_ms: int) -> list[tuple[int, int, int]]:
    """Each edition's number and the seconds from when to when it was the present one."""
    starts = [
        (game.state_version, game.changed_at_ms),
        *((e.number, e.since_ms) for e in game.earlier_versions[::-1]),
    ]
    ends = [now_ms, *(since_ms for _, since_ms in starts)]
    return [
        (number, since_ms // 1000, end_ms // 1000)
        for (number, since_ms), end_ms in zip(starts, ends, strict=False)
    ]


@pytest.mark.parametrize(
    ("seconds", "answers"), [(3600, AnsweredState.OLDER), (3602, AnsweredState.UNPLACED)]
)
def test_a_state_is_an_older_one_only_while_every_date_of_the_present_one_was_tried(
    seconds: int, answers: AnsweredState
) -> None:
    world, table = a_table()
    game = world.game(table.game_id)
    asked = GameCommand(game.id, a_move(game.black.player), "0" * 64)
    now_ms = game.changed_at_ms + seconds * 1000
    command = resolve_state_tag(asked, game, dilger.DIALECT, SERVER.pubkey, now_ms)
    assert isinstance(command, PlayMove)
    assert command.answers is answers
    assert are_all_checked(game.changed_at_ms, now_ms) is (answers is AnsweredState.OLDER)


def test_no_hash_is_spent_on_a_question() -> None:
    world, table = a_table()
    game = world.game(table.game_id)
    asked = GameCommand(game.id, ShowState(game.black.player), "0" * 64)
    assert resolve_state_tag(asked, game, dilger.DIALECT, SERVER.pubkey, NOW_MS) is asked.command


def test_a_legal_move_that_names_a_state_of_long_ago_is_judged_by_its_date() -> None:
    world, table = a_table()
    world.clock.ms += 2 * HOUR_MS
    table.state = world.ask(table.black)[-1]
    world.clock.ms += 2 * HOUR_MS
    late = table.move_event("e7e5")
    assert [event.kind for event in world.hear(late)] == [20302]


def test_an_illegal_move_that_names_a_state_of_long_ago_is_no_strike() -> None:
    """It may be for an earlier position than this one."""
    world, table = a_table()
    world.clock.ms += 2 * HOUR_MS
    table.state = world.ask(table.black)[-1]
    world.clock.ms += 2 * HOUR_MS
    (error,) = table.say("e7e2")
    assert error.content == "illegal-move: e7e2 is not legal here; not counted"
    assert world.game(table.game_id).black_strikes == 0


def test_a_state_dated_by_a_worker_whose_clock_is_ahead_can_be_answered() -> None:
    world, table = a_table()
    world.clock.ms += SKEW_SECONDS * 1000
    table.state = world.ask(table.black)[-1]
    world.clock.ms -= SKEW_SECONDS * 1000
    assert table.say("e7e5")[0].kind == 20302


def test_a_state_read_before_an_offer_and_told_after_it_can_be_answered() -> None:
    world, table = a_table()
    before = world.game(table.game_id)
    told_at = world.clock.ms // 1000 + 10
    world.clock.ms += 5000
    table.say("draw", key=table.white)
    table.state = SERVER.sign(dilger.state(before, told_at))
    assert table.say("e7e5")[0].kind == 20302


def test_the_dates_of_an_edition_end_where_the_next_one_begins() -> None:
    dates = [*possible_dates(NOW_MS, NOW_MS + 10_000, NOW_MS + 100_000)]
    assert dates == [NOW, *range(NOW + 10 + SKEW_SECONDS, NOW, -1)]
