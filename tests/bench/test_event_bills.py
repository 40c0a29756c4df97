"""The event that is priced is a whole one."""

from dataclasses import replace

from arbiter.core.tournaments.tournament import Phase
from bench.event_bills import _ARENA, _SWISS, Evening


def test_each_round_and_each_game_is_counted_and_a_larger_event_costs_more() -> None:
    evenings = [Evening(replace(_SWISS, rounds=3), players) for players in (6, 8)]

    ends = [evening.run() for evening in evenings]

    assert [event.phase for event in ends] == [Phase.FINISHED] * 2
    assert [evening.games for evening in evenings] == [9, 12]
    assert [evening.pairings for evening in evenings] == [3, 3]
    small, large = ((evening.table.read, evening.table.written) for evening in evenings)
    assert small < large


def test_an_arena_is_paired_again_and_again() -> None:
    evening = Evening(replace(_ARENA, minutes=14), 6)

    event = evening.run()

    assert event.phase is Phase.FINISHED
    assert evening.pairings >= len(event.rounds) > 1
    assert evening.games == sum(len(each.boards) for each in event.rounds)
