"""Round robins: the Berger tables, and a whole one from its making to its end."""

from dataclasses import replace
from itertools import combinations, permutations

import pytest

from arbiter.core.tournaments import berger
from arbiter.core.tournaments.commands import PlayersWord
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import BoardResult, Phase
from tests.core.tournaments.play import TERMS, Evening, player

# FIDE C.05, annex 1.
TABLE_OF_6 = """
1-6 2-5 3-4
6-4 5-3 1-2
2-6 3-1 4-5
6-5 1-4 2-3
3-6 4-2 5-1
"""
FIRST_OF_14 = """
1-14 2-13 3-12 4-11 5-10 6-9 7-8
14-8 9-7 10-6 11-5 12-4 13-3 1-2
2-14 3-1 4-13 5-12 6-11 7-10 8-9
"""


@pytest.mark.parametrize(("players", "text"), [(6, TABLE_OF_6), (14, FIRST_OF_14)])
def test_the_tables_are_those_of_fide(players: int, text: str) -> None:
    for number, line in enumerate(text.split("\n")[1:-1], 1):
        told = " ".join(f"{white}-{black}" for white, black in berger.table(players, number))
        assert told == line, f"round {number}"


@pytest.mark.parametrize("players", range(2, 17))
def test_everybody_meets_everybody_once(players: int) -> None:
    evening = Evening(TERMS, players)
    evening.play()
    met = [frozenset(pair) for each in evening.pairs for pair in each]
    assert len(met) == len(set(met))
    assert set(met) == {frozenset(pair) for pair in combinations(range(1, players + 1), 2)}
    assert evening.is_in(Phase.FINISHED)


@pytest.mark.parametrize("players", range(2, 13))
def test_in_a_double_one_everybody_has_each_opponent_with_both_colours(players: int) -> None:
    evening = Evening(replace(TERMS, cycles=2), players)
    evening.play()
    met = [pair for each in evening.pairs for pair in each]
    assert sorted(met) == sorted(permutations(range(1, players + 1), 2))


@pytest.mark.parametrize("players", range(3, 13))
@pytest.mark.parametrize("cycles", [1, 2])
def test_colours_are_balanced_and_never_three_in_a_row(players: int, cycles: int) -> None:
    evening = Evening(replace(TERMS, cycles=cycles), players)
    evening.play()
    for number in range(1, players + 1):
        whites = [
            number == white
            for each in evening.pairs
            for white, black in each
            if number in (white, black)
        ]
        assert abs(2 * sum(whites) - len(whites)) <= 1, f"{number}: {whites}"
        text = "".join("W" if is_white else "B" for is_white in whites)
        assert not {"WWW", "BBB"} & {text[at : at + 3] for at in range(len(text))}, text


def test_nobody_has_two_boards_in_a_round_and_an_odd_field_has_one_free_place() -> None:
    evening = Evening(TERMS, 7)
    evening.play()
    for each in evening.tournament.rounds:
        there = [n for board in each.boards for n in (board.white, board.black)]
        there += [bye.number for bye in each.byes]
        assert sorted(there) == list(range(1, 8))
        assert [bye.kind.points for bye in each.byes] == [0]
    free = [bye.number for each in evening.tournament.rounds for bye in each.byes]
    assert sorted(free) == list(range(1, 8))


def test_the_higher_number_wins_always_and_is_first() -> None:
    evening = Evening(TERMS, 6)
    evening.play(lambda board: "1-0" if board.white > board.black else "0-1")
    rows = standings(evening.tournament)
    assert [(row.rank, row.number, row.points) for row in rows] == [
        (rank, 7 - rank, 6.0 - rank) for rank in range(1, 7)
    ]


def test_who_leaves_forfeits_what_is_left() -> None:
    evening = Evening(TERMS, 6)
    for _ in range(3):
        evening.play_round()
    evening.say(PlayersWord(player(3), "leave"))
    evening.play()
    later = [
        board
        for each in evening.tournament.rounds[3:]
        for board in each.boards
        if 3 in (board.white, board.black)
    ]
    assert [board.points_of(3) for board in later] == [0, 0]
    assert all(
        board.result in (BoardResult.WHITE_BY_FORFEIT, BoardResult.BLACK_BY_FORFEIT)
        for board in later
    )


@pytest.mark.parametrize(
    ("players", "rounds", "lost"), [(6, 2, 0.5), (6, 3, 0), (5, 1, 0.5), (5, 2, 0)]
)
def test_results_of_who_left_before_half_of_the_games_count_for_neither(
    players: int, rounds: int, lost: float
) -> None:
    evening = Evening(TERMS, players)
    for _ in range(rounds):
        evening.play_round("1/2-1/2")
    evening.say(PlayersWord(player(3), "leave"))
    rows = {row.number: row.points for row in standings(evening.tournament)}
    assert rows[3] == (0 if lost else rounds / 2)
    boards = [pair for each in evening.pairs for pair in each]
    for opponent in (sum(pair) - 3 for pair in boards if 3 in pair):
        played = sum(opponent in pair for pair in boards)
        assert rows[opponent] == played / 2 - lost, f"{opponent} of {played} games"
