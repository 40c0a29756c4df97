"""Who is told of an error, and how often."""

import pytest

from arbiter.application.play import ERRORS_ANSWERED
from arbiter.nostr.event import VerifiedEvent
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event

BLITZ = ("time", "180+2")
MANY = 60


def a_table() -> tuple[World, Table]:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    world.clock.ms += 5000
    table.say("e2e4")
    return world, table


def before_the_position(table: Table, text: str, number: int = 0) -> VerifiedEvent:
    """Black's word, dated one second before the position, and unlike any other of this number."""
    since = table.world.game(table.game_id).position_since_ms // 1000
    tags = (("d", table.game_id), ("p", SERVER.pubkey), ("n", str(number)))
    return an_event(table.black, 20303, text, tags, since - 1)


def named(event: VerifiedEvent) -> list[str]:
    return [tag[1] for tag in event.tags if tag[0] == "p"]


@pytest.mark.parametrize("text", ["e7e2", "nonsense", "flag", "claim", "draw-decline"])
def test_an_error_that_counts_for_nothing_is_told_to_its_author_alone(text: str) -> None:
    world, table = a_table()

    (error,) = world.hear(before_the_position(table, text))

    assert error.kind == 20304
    assert named(error) == [table.black.pubkey]
    assert ("d", table.game_id) in error.tags


def test_a_strike_is_told_to_both_players() -> None:
    _, table = a_table()

    (error,) = table.say("e7e2")

    assert error.content == "illegal-move: e7e2 is not legal here (1 of 3)"
    assert named(error) == [table.white.pubkey, table.black.pubkey]


@pytest.mark.parametrize("text", ["e7e2", "nonsense", "flag"])
def test_errors_without_end_are_neither_told_nor_written_down(text: str) -> None:
    world, table = a_table()

    told = [world.hear(before_the_position(table, text, number)) for number in range(MANY)]

    assert [len(events) for events in told] == [1] * ERRORS_ANSWERED + [0] * (
        MANY - ERRORS_ANSWERED
    )
    assert world.statuses()[-1] == "error-flood"
    game = world.game(table.game_id)
    assert game.black_strikes == 0
    assert game.item_version <= 2 + ERRORS_ANSWERED


def test_who_was_told_of_many_errors_can_move_and_is_told_of_more_in_the_next_position() -> None:
    world, table = a_table()
    for number in range(MANY):
        world.hear(before_the_position(table, "e7e2", number))

    assert table.say("e7e5")[0].kind == 20302
    world.clock.ms += 5000
    table.say("g1f3")
    assert [event.kind for event in world.hear(before_the_position(table, "e7e2"))] == [20304]


def test_one_players_errors_leave_the_others_alone() -> None:
    world, table = a_table()
    for number in range(MANY):
        world.hear(before_the_position(table, "e7e2", number))

    (error,) = table.say("nonsense", key=table.white)

    assert named(error) == [table.white.pubkey]


def test_a_strike_is_told_though_many_errors_were() -> None:
    world, table = a_table()
    for number in range(MANY):
        world.hear(before_the_position(table, "e7e2", number))

    table.say("e7e2")

    assert world.statuses()[-1] == "illegal-move"
    assert world.game(table.game_id).black_strikes == 1


def test_strangers_errors_are_not_counted() -> None:
    """Each would be a write, and strangers are without number."""
    world, table = a_table()
    taken = dict(world.rate_limits.counts)

    table.say("e7e5", key=EVE)

    assert world.rate_limits.counts == taken


def test_an_error_is_told_where_it_cannot_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    world, table = a_table()

    def fails(*_: object) -> bool:
        raise OSError

    monkeypatch.setattr(world.rate_limits, "take", fails)

    assert [event.kind for event in table.say("nonsense")] == [20304]
