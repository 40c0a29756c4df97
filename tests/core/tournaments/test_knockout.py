"""Knockouts: seeds, byes, and ties that faster games decide."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import read_time
from arbiter.core.tournaments import knockout
from arbiter.core.tournaments.commands import PlayersWord, SetResult
from arbiter.core.tournaments.games import game_of_board
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import Board, BoardResult, Format, Phase
from tests.core.tournaments.play import ORGANISER, TERMS, Evening, player

KNOCKOUT = replace(TERMS, format=Format.KNOCKOUT)


def cup(players: int) -> Evening:
    """Number 1 has the highest rating, the last number the lowest."""
    evening = Evening(KNOCKOUT)
    for number in range(1, players + 1):
        evening.join(number, rating=3000 - number)
    return evening


def lower_number(board: Board) -> str:
    return "1-0" if board.white < board.black else "0-1"


def test_the_higher_seeds_are_kept_apart() -> None:
    assert knockout.seeds(16) == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]


@pytest.mark.parametrize("players", range(2, 20))
def test_if_the_better_seed_always_wins_the_first_two_meet_in_the_final(players: int) -> None:
    evening = cup(players)
    evening.play(lower_number)
    assert set(evening.pairs[-1][0]) == {1, 2}
    assert len(evening.pairs) == (players - 1).bit_length()
    assert [row.number for row in standings(evening.tournament)][:2] == [1, 2]
    assert sum(map(len, evening.pairs)) == players - 1, "each game puts one player out"


@pytest.mark.parametrize(("players", "byes"), [(5, [1, 2, 3]), (6, [1, 2]), (7, [1]), (8, [])])
def test_the_top_seeds_have_the_byes_of_the_first_round_alone(
    players: int, byes: list[int]
) -> None:
    evening = cup(players)
    evening.play(lower_number)
    first, *later = evening.tournament.rounds
    assert sorted(bye.number for bye in first.byes) == byes
    assert not [bye for each in later for bye in each.byes]


def test_a_drawn_game_is_followed_by_two_faster_ones_with_colours_reversed() -> None:
    evening = cup(2)
    evening.play_round("1/2-1/2")
    evening.play_round("1/2-1/2")
    evening.begin_round()
    assert evening.pairs == [[(1, 2)], [(2, 1)], [(1, 2)]]
    evening.end(3, 1, "1-0")
    assert evening.is_in(Phase.FINISHED)
    assert [row.number for row in standings(evening.tournament)] == [1, 2]


def test_both_games_of_a_tie_are_played_even_if_the_first_is_won() -> None:
    evening = cup(2)
    for result in ("1/2-1/2", "1-0", "1-0"):
        evening.play_round(result)
    assert evening.is_in(Phase.WAITING), "one each: two more follow"
    evening.play_round("1/2-1/2")
    assert evening.is_in(Phase.WAITING), "the second of two is to come"
    evening.play_round("1-0")
    assert evening.is_in(Phase.FINISHED)
    assert evening.pairs[-1] == [(1, 2)]


@pytest.mark.parametrize(
    ("time", "times"),
    [
        ("600+10", ["600+10", "300+5", "300+5", "150+2", "150+2", "75+1", "75+1", "60+0"]),
        ("60+1", ["60+1", "60+0", "60+0", "60+0"]),
        ("0+4", ["0+4", "0+2", "0+2", "0+1", "0+1", "0+1", "0+1"]),
        ("3d", ["3d", "1d", "1d", "1d"]),
    ],
)
def test_games_of_a_tie_become_faster(time: str, times: list[str]) -> None:
    control = read_time(time)
    assert control is not None
    evening = Evening(replace(KNOCKOUT, time=control), 2)
    for number, expected in enumerate(times, 1):
        evening.begin_round()
        game = game_of_board(evening.tournament, number, 1, "ab" * 16, evening.now_ms)
        assert game is not None
        assert game.clocks is not None
        assert str(game.clocks.control) == expected, f"game {number}"
        evening.end(number, 1, "1/2-1/2")


def test_only_those_who_are_level_play_on() -> None:
    evening = cup(4)
    evening.play_round(lambda board: "1/2-1/2" if 1 in (board.white, board.black) else "1-0")
    evening.begin_round()
    (pair,) = evening.pairs[1]
    assert set(pair) == {1, 4}
    assert not evening.tournament.rounds[1].byes


def test_who_does_not_come_is_out_without_a_tie() -> None:
    evening = cup(4)
    evening.begin_round()
    evening.say(PlayersWord(player(4), "here"))
    evening.say(PlayersWord(player(1), "here"))
    evening.end(1, 1, "-/+")
    evening.end(1, 2, "0-1")
    evening.begin_round()
    assert [set(pair) for pair in evening.pairs[1]] == [{4, 2}]


def test_where_neither_comes_the_next_opponent_goes_on_alone() -> None:
    evening = cup(4)
    evening.begin_round()
    evening.end(1, 1, "-/+")
    assert evening.tournament.rounds[0].boards[0].result is BoardResult.BOTH_FORFEIT
    evening.end(1, 2, "1-0")
    assert evening.is_in(Phase.FINISHED)
    assert standings(evening.tournament)[0].number == evening.pairs[0][1][0]


def test_who_leaves_forfeits_the_next_match() -> None:
    evening = cup(4)
    evening.play_round(lower_number)
    evening.say(PlayersWord(player(1), "leave"))
    evening.begin_round()
    assert evening.is_in(Phase.FINISHED)
    assert standings(evening.tournament)[0].number == 2


def test_a_result_corrected_before_the_next_pairing_changes_who_goes_on() -> None:
    evening = cup(4)
    evening.play_round(lower_number)
    board = evening.tournament.rounds[0].boards[0]
    upset = BoardResult.BLACK_WINS if board.white == 1 else BoardResult.WHITE_WINS
    evening.say(SetResult(ORGANISER, evening.now_ms, 1, 1, upset))
    evening.begin_round()
    assert set(evening.pairs[1][0]) == {4, 2}


def test_who_has_a_bye_is_told_once_even_if_another_match_takes_longer() -> None:
    evening = cup(3)
    evening.play_round("1/2-1/2")
    evening.play_round("1-0")
    assert [len(each.byes) for each in evening.tournament.rounds] == [1, 0]
