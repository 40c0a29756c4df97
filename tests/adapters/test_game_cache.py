"""The cache of games, which may make nothing but speed."""

from dataclasses import replace

from arbiter.adapters.items.game_cache import GameCache
from arbiter.adapters.items.games import game_of_item, item_of_game
from tests.builders import a_game, after

MOVES = ("e4 e5", "e4 e5 Nf3")


def test_the_very_item_that_was_packed_brings_back_its_game_with_its_board_once() -> None:
    seen, game = GameCache(), after(a_game(), "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O")
    board = game.board()
    seen.keep(item_of_game(game), game)

    found = seen.take(item_of_game(game))

    assert found is game
    assert found.board() is board
    assert found == game_of_item(item_of_game(game))
    assert seen.take(item_of_game(game)) is None, "its board is played on"


def test_the_item_of_a_game_is_its_own_whichever_was_taken_last() -> None:
    seen, first, second = GameCache(), after(a_game(), "e4"), replace(a_game(), id="f" * 32)
    for game in (first, second):
        seen.keep(item_of_game(game), game)
        seen.take(item_of_game(game))

    for game in (second, first, after(second, "d4")):
        assert seen.item_of(game) == item_of_game(game)


def test_an_item_that_another_process_wrote_is_not_taken_for_the_remembered_one() -> None:
    seen, game = GameCache(), after(a_game(), "e4 e5")
    other = replace(after(a_game(), "e4 c5"), item_version=game.item_version)
    for item in (item_of_game(other), {**item_of_game(game), "new": {"S": "?"}}):
        seen.keep(item_of_game(game), game)
        assert seen.take(item) is None
        assert seen.take(item_of_game(game)) is None


def test_the_games_that_were_written_longest_ago_are_forgotten_first() -> None:
    seen = GameCache(most=2)
    first, second, third = (replace(a_game(), id=f"{n:032x}") for n in range(3))
    for game in (first, second, first, third):
        seen.keep(item_of_game(game), game)

    found = [seen.take(item_of_game(game)) for game in (first, second, third)]

    assert found == [first, None, third]


def test_no_more_games_are_remembered_than_have_so_many_plies_together() -> None:
    """However long a game is, and however often it was written or taken since."""
    seen = GameCache(most_plies=5)
    short, long = (replace(after(a_game(), moves), id=f"{len(moves):032x}") for moves in MOVES)
    for game in (short, long, long):
        seen.keep(item_of_game(game), game)
    assert seen.take(item_of_game(short)) == short
    assert seen.take(item_of_game(long)) == long

    endless = replace(after(a_game(), "e4 e5 Nf3 Nc6 Bb5 a6"), id="f" * 32)
    for game in (short, endless):
        seen.keep(item_of_game(game), game)
    assert seen.take(item_of_game(endless)) is None
    assert seen.take(item_of_game(short)) is None
