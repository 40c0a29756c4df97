"""Arenas: points, who is paired, and the end."""

from dataclasses import replace
from itertools import pairwise

import pytest

from arbiter.core.tournaments import arena
from arbiter.core.tournaments.commands import (
    GamesMade,
    NoPairings,
    Pairings,
    PlayersWord,
    SetResult,
)
from arbiter.core.tournaments.replies import GamesWanted, PairingWanted, ResultsWanted
from arbiter.core.tournaments.score import arena_points
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import Board, BoardResult, Format, Phase
from tests.core.tournaments.play import ORGANISER, TERMS, Evening, player

ARENA = replace(TERMS, format=Format.ARENA, minutes=20)
RESULTS = {
    "w": BoardResult.WHITE_WINS,
    "d": BoardResult.DRAW,
    "l": BoardResult.BLACK_WINS,
    "+": BoardResult.WHITE_BY_FORFEIT,
    "-": BoardResult.BLACK_BY_FORFEIT,
    "*": BoardResult.VOID,
    "?": None,
}


@pytest.mark.parametrize(
    ("sheet", "points"),
    [
        ("w", 2),
        ("ww", 4),
        ("www", 8),
        ("wwww", 12),
        ("wwwl", 8),
        ("wwwlw", 10),
        ("wwd", 6),
        ("wwdw", 8),
        ("d", 1),
        ("dd", 1),
        ("dld", 1),
        ("ddwd", 4),
        ("dD", 2),
        ("s", 0),
        ("sd", 0),
        ("ll", 0),
        ("+", 2),
        ("ww+w", 10),
        ("ww-w", 8),
        ("ww*w", 8),
        ("ww?", 4),
    ],
)
def test_points_of_a_sheet(sheet: str, points: int) -> None:
    """``D``: a draw of 30 moves, ``s``: of less than 10."""
    plies = {"D": 60, "s": 19}
    boards = [
        Board(
            white=1, black=2, result=RESULTS[{"D": "d", "s": "d"}.get(c, c)], plies=plies.get(c, 40)
        )
        for c in sheet
    ]
    assert arena_points(1, {1: boards}) == points


def begun(players: int, *, late_games: bool = False, minutes: int = 20) -> Evening:
    evening = Evening(replace(ARENA, late_games=late_games, minutes=minutes), players)
    evening.now_ms = evening.tournament.terms.starts_ms
    for number in range(1, players + 1):
        evening.say(PlayersWord(player(number), "here"))
    evening.pass_time()
    return evening


def paired(evening: Evening) -> int:
    """Pair those who wait, have the games made, and return the number of the wave."""
    if not evening.awaits():
        evening.pass_time()
    evening.pair()
    number = len(evening.tournament.rounds)
    evening.say(GamesMade(number, len(evening.tournament.rounds[-1].boards)))
    return number


def test_those_who_wait_are_paired_and_play_until_the_time_is_over() -> None:
    evening = begun(4)
    while evening.tournament.is_under_way:
        if evening.awaits():
            number = paired(evening)
            evening.now_ms += 60_000
            for board in (1, 2):
                evening.end(number, board, "1-0")
            for each in range(1, 5):
                evening.say(PlayersWord(player(each), "here"))
        else:
            evening.pass_time()
    assert evening.is_in(Phase.FINISHED)
    assert 15 <= len(evening.tournament.rounds) <= 20
    assert evening.now_ms - evening.tournament.terms.starts_ms == 20 * 60_000
    rows = standings(evening.tournament)
    assert [row.number for row in rows[:2]] == [1, 3]


def test_the_version_of_a_round_rises_with_its_own_changes_alone() -> None:
    """Most of them leave the tournament's as it is."""
    evening = begun(2)
    for number in (1, 2):
        assert paired(evening) == number
        before, seen = evening.tournament.rounds[0], [evening.tournament.rounds[-1].version]
        evening.end(number, 1, "1-0")
        seen.append(evening.tournament.rounds[-1].version)
        for result in (BoardResult.DRAW, BoardResult.BLACK_WINS, BoardResult.VOID):
            evening.say(SetResult(ORGANISER, evening.now_ms, number, 1, result))
            seen.append(evening.tournament.rounds[-1].version)
        assert seen == sorted({*seen}), seen
        assert (evening.tournament.rounds[0] is before) is (number == 2)


@pytest.mark.parametrize(("minutes", "seconds"), [(20, 5), (720, 43.2)])
def test_a_long_arena_has_no_more_rounds_than_one_of_an_hour_and_a_half(
    minutes: int, seconds: float
) -> None:
    """Although its games end at once."""
    evening = begun(2, minutes=minutes)
    for _ in range(5):
        evening.end(paired(evening), 1, "1-0")
        for number in (1, 2):
            evening.say(PlayersWord(player(number), "here"))
    began = [each.began_ms for each in evening.tournament.rounds]
    assert {after - before for before, after in pairwise(began)} == {seconds * 1000}
    assert evening.tournament.terms.minutes * 60 / seconds <= arena.MAX_WAVES


def test_who_plays_is_not_paired_again() -> None:
    evening = begun(4)
    paired(evening)
    evening.end(1, 1, "1-0")
    evening.pass_time()
    assert evening.tournament.field == (1, 2)


@pytest.mark.parametrize("word", ["pause", "leave"])
def test_who_rests_or_left_is_not_paired(word: str) -> None:
    evening = begun(4)
    paired(evening)
    evening.end(1, 1, "1-0")
    evening.end(1, 2, "1-0")
    evening.say(PlayersWord(player(1), word))
    evening.pass_time()
    assert evening.tournament.field == (2, 3, 4)


def test_who_gave_no_sign_for_a_minute_is_not_paired() -> None:
    evening = begun(4)
    paired(evening)
    evening.end(1, 1, "1-0")
    evening.now_ms += arena.PRESENT_MS + 1
    evening.end(1, 2, "1-0")
    evening.pass_time()
    assert evening.tournament.field == (3, 4)


def test_a_player_who_comes_late_is_paired_at_the_next_moment() -> None:
    evening = begun(3)
    paired(evening)
    assert evening.tournament.next_ms is not None
    evening.join(4)
    replies = evening.pass_time()
    assert replies == (PairingWanted(2),)
    assert evening.tournament.field == (3, 4)


def test_no_game_begins_shortly_before_the_end() -> None:
    evening = begun(2)
    paired(evening)
    evening.now_ms = arena.closes_ms(evening.tournament)
    evening.end(1, 1, "1-0")
    for number in (1, 2):
        evening.say(PlayersWord(player(number), "here"))
    while evening.tournament.is_under_way:
        assert evening.pass_time() == (), "nothing is asked for"
    assert evening.now_ms == evening.tournament.terms.starts_ms + 20 * 60_000


@pytest.mark.parametrize(("late_games", "points"), [(False, 0), (True, 2)])
def test_games_under_way_at_the_end_count_where_the_terms_say_so(
    *, late_games: bool, points: int
) -> None:
    evening = begun(2, late_games=late_games)
    paired(evening)
    evening.now_ms = arena.ends_ms(evening.tournament)
    evening.pass_time()
    assert evening.tournament.is_under_way is late_games
    evening.end(1, 1, "1-0")
    if late_games:
        evening.pass_time()
    assert evening.is_in(Phase.FINISHED)
    assert standings(evening.tournament)[0].points == points


def test_an_answer_without_boards_or_after_the_closing_begins_nothing() -> None:
    evening = begun(2)
    evening.say(Pairings(1, (), (), "test", ""))
    assert evening.pairs == []
    assert not evening.awaits()
    evening.pass_time()
    assert evening.awaits()
    evening.now_ms = arena.closes_ms(evening.tournament)
    evening.say(Pairings(1, ((1, 2),), (), "test", ""))
    assert evening.pairs == []


def test_an_engine_that_fails_is_asked_again_at_a_later_moment() -> None:
    evening = begun(2)
    for tries in range(1, 5):
        evening.say(NoPairings(1, is_impossible=False, text="it broke"))
        assert evening.tournament.tries == tries
        evening.say(PlayersWord(player(1), "here"))
        evening.say(PlayersWord(player(2), "here"))
        replies = evening.pass_time()
        assert replies == (PairingWanted(1),), f"after failure {tries}"
    evening.pair()
    assert evening.tournament.tries == 0


def test_results_that_do_not_come_are_looked_for() -> None:
    evening = begun(2)
    paired(evening)
    evening.now_ms += 12 * 60_000
    assert ResultsWanted(1) in evening.pass_time()


def test_players_who_are_level_are_ranked_by_performance() -> None:
    evening = Evening(ARENA)
    for number, rating in enumerate((1500, 1500, 1400, 1900), 1):
        evening.join(number, rating)
    evening.now_ms = evening.tournament.terms.starts_ms
    for number in range(1, 5):
        evening.say(PlayersWord(player(number), "here"))
    evening.pass_time()
    evening.say(Pairings(1, ((1, 3), (2, 4)), (), "test", ""))
    evening.end(1, 1, "1-0")
    evening.end(1, 2, "1-0")
    assert [(row.rank, row.number, *row.tie_breaks) for row in standings(evening.tournament)] == [
        (1, 2, 2400),
        (2, 1, 1900),
        (3, 3, 1000),
        (3, 4, 1000),
    ]


@pytest.mark.parametrize(("result", "field"), [("1-0", (1, 2)), ("0-1", (1, 2)), ("flag", (1,))])
def test_who_lost_on_time_gave_no_sign_by_it(result: str, field: tuple[int, ...]) -> None:
    evening = begun(2)
    paired(evening)
    evening.now_ms += arena.PRESENT_MS + 1
    evening.end(1, 1, result)
    assert arena.waiting(evening.tournament, evening.now_ms) == field


def test_after_close_an_arena_takes_no_more_players() -> None:
    evening = begun(2)
    evening.order("close")
    evening.join(3)
    assert len(evening.tournament.entries) == 2


def test_games_that_were_not_made_before_the_end_are_made_where_late_games_count() -> None:
    evening = begun(2, late_games=True)
    evening.pair()
    evening.now_ms = arena.ends_ms(evening.tournament)
    assert GamesWanted(1, 0) in evening.pass_time()
    evening.make_games()
    evening.end(1, 1, "1-0")
    evening.pass_time()
    assert evening.is_in(Phase.FINISHED)
