"""Steps from a plan to standings: timers early or doubled, workers that die, lost results."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import read_time
from arbiter.core.tournaments.commands import Due, GameOver, GamesMade, PlayersWord
from arbiter.core.tournaments.decide import MAX_AHEAD_S
from arbiter.core.tournaments.replies import GamesWanted, ResultsWanted
from arbiter.core.tournaments.rounds import ANSWER_MS, longest_ms
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import BoardResult, Format, Phase
from tests.core.tournaments.play import TERMS, Evening, player

SWISS = replace(TERMS, format=Format.SWISS, rounds=5, join_until_round=3)


@pytest.mark.parametrize("form", Format)
def test_a_timer_is_never_early(form: Format) -> None:
    evening = Evening(replace(SWISS, format=form, minutes=20), 4)
    assert evening.tournament.next_ms is not None
    evening.now_ms = evening.tournament.next_ms - 1
    before = evening.tournament
    assert evening.say(Due()) == ()
    assert evening.tournament is before


def test_a_doubled_timer_does_its_work_once() -> None:
    evening = Evening(SWISS, 4)
    evening.pass_time()
    asked = evening.tournament
    for _ in range(20):
        assert evening.say(Due()) == ()
    assert evening.tournament is asked


def test_a_round_whose_games_were_not_all_made_is_gone_on_with() -> None:
    evening = Evening(SWISS, 6)
    evening.order("start")
    evening.pair()
    assert evening.say(GamesMade(1, 2, ("a" * 32, "b" * 32))) == (GamesWanted(1, 2),)
    evening.now_ms += ANSWER_MS
    assert evening.say(Due()) == (GamesWanted(1, 2),)
    assert evening.say(GamesMade(1, 1)) == (), "an older word changes nothing"
    assert evening.say(GamesMade(1, 3, ("c" * 32,) * 3)) == ()
    assert evening.is_in(Phase.PLAYING)
    ids = [board.game_id[:1] for board in evening.tournament.rounds[0].boards]
    assert ids == ["a", "b", "c"]


def test_a_game_that_ends_before_the_word_that_it_began_counts() -> None:
    evening = Evening(SWISS, 4)
    evening.order("start")
    evening.pair()
    for place in (1, 2):
        evening.end(1, place, "1-0")
    assert evening.is_in(Phase.WAITING)
    assert evening.say(GamesMade(1, 2)) == ()
    assert evening.is_in(Phase.WAITING)


def test_another_game_does_not_end_a_board() -> None:
    evening = Evening(SWISS, 4)
    evening.order("start")
    evening.pair()
    evening.say(GamesMade(1, 2, ("a" * 32, "b" * 32)))
    before = evening.tournament
    evening.end(1, 1, "1-0")
    assert evening.tournament is before


@pytest.mark.parametrize(("number", "place"), [(0, 1), (2, 1), (1, 0), (1, 3), (-1, -1)])
def test_a_result_for_no_board_changes_nothing(number: int, place: int) -> None:
    evening = Evening(SWISS, 4)
    evening.begin_round()
    before = evening.tournament
    assert evening.say(GameOver(number, place, evening.game(1, 1, "1-0"))) == ()
    assert evening.tournament is before


def test_results_that_do_not_come_are_looked_for_again_and_again() -> None:
    evening = Evening(SWISS, 4)
    evening.begin_round()
    begun_ms = evening.now_ms
    assert evening.pass_time() == (ResultsWanted(1),)
    assert evening.now_ms == begun_ms + longest_ms(evening.tournament)
    assert evening.pass_time() == (ResultsWanted(1),)
    assert evening.is_in(Phase.PLAYING)


def test_who_leaves_and_comes_back_has_nothing_for_the_round_between() -> None:
    evening = Evening(SWISS, 5)
    evening.play_round("1/2-1/2")
    evening.say(PlayersWord(player(1), "leave"))
    evening.begin_round()
    evening.join(1)
    assert 1 not in [bye.number for bye in evening.tournament.rounds[1].byes]
    for place in (1, 2):
        evening.end(2, place, "1/2-1/2")
    points = {row.number: row.points for row in standings(evening.tournament)}
    assert points[1] == 0.5
    evening.begin_round()
    assert 1 in evening.tournament.field


def test_who_does_not_come_is_paused_until_they_are_back() -> None:
    evening = Evening(SWISS, 4)
    evening.begin_round()
    white, black = evening.pairs[0][0]
    evening.say(PlayersWord(player(black), "here"))
    evening.end(1, 1, "-/+")
    evening.end(1, 2, "1-0")
    assert evening.tournament.rounds[0].boards[0].result is BoardResult.BLACK_BY_FORFEIT
    evening.pass_time()
    assert white not in evening.tournament.field
    evening.say(PlayersWord(player(white), "back"))
    evening.begin_round()
    for place in range(1, len(evening.pairs[1]) + 1):
        evening.end(2, place, "1-0")
    evening.begin_round()
    assert white in evening.tournament.field


def test_an_aborted_game_counts_for_neither_and_they_may_meet_again() -> None:
    evening = Evening(SWISS, 2)
    evening.play_round("*")
    assert evening.tournament.rounds[0].boards[0].result is BoardResult.VOID
    evening.begin_round()
    assert len(evening.pairs) == 2
    assert [row.points for row in standings(evening.tournament)] == [0, 0]


def test_a_version_rises_with_each_change_that_is_shown_and_dates_it() -> None:
    evening = Evening(replace(SWISS, rounds=2), 4)
    seen = [evening.tournament.version]
    while evening.tournament.is_under_way:
        before = evening.tournament
        if before.awaits_pairings:
            evening.pair()
        elif evening.is_in(Phase.STARTING):
            evening.make_games()
        elif evening.is_in(Phase.PLAYING):
            number = before.round
            place = next(
                at for at, one in enumerate(before.rounds[-1].boards, 1) if one.result is None
            )
            evening.end(number, place, "1-0")
        else:
            evening.pass_time()
        seen.append(evening.tournament.version)
    assert seen == sorted(set(seen)), seen
    assert seen[-1] >= evening.now_ms // 1000


def test_no_rush_of_entries_dates_an_event_far_ahead() -> None:
    evening = Evening(replace(SWISS, limit=500), 2)
    for number in range(3, 3 + 2 * MAX_AHEAD_S):
        evening.join(number)
        evening.say(PlayersWord(player(1), ("pause", "back")[number % 2]))
        assert evening.tournament.version - evening.now_ms // 1000 <= MAX_AHEAD_S
    assert len(evening.tournament.entries) == 2 + 2 * MAX_AHEAD_S
    rushed = evening.tournament.version
    evening.order("close")
    assert evening.tournament.version == rushed + 1, "the organiser's change shows them all"


def test_slow_games_are_not_looked_at_every_few_minutes() -> None:
    days = read_time("3d")
    assert days is not None
    evening = Evening(replace(SWISS, time=days), 4)
    evening.begin_round()
    for _ in range(4):
        before_ms = evening.now_ms
        evening.pass_time()
        assert evening.now_ms - before_ms == 6 * 3_600_000
