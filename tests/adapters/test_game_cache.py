"""What is remembered of games is a memo: nothing may come of it but speed."""

from dataclasses import replace

import chess

from arbiter.adapters.dynamodb.game_cache import GameCache
from arbiter.adapters.dynamodb.game_items import game_of_item, item_of_game
from tests.builders import a_game, after

MOVES = ("e4 e5", "e4 e5 Nf3")


def test_the_very_item_that_was_packed_brings_back_its_game_board_and_all() -> None:
    seen, game = GameCache(), after(a_game(), "e4 e5")
    board = game.board()
    seen.keep(item_of_game(game), game)

    found = seen.take(item_of_game(game))

    assert found is game
    assert found.board() is board


def test_a_game_is_given_away_once_because_its_board_is_played_on() -> None:
    seen, game = GameCache(), after(a_game(), "e4 e5")
    seen.keep(item_of_game(game), game)
    first = seen.take(item_of_game(game))
    assert first is not None
    first.board().push(chess.Move.from_uci("g1f3"))

    assert seen.take(item_of_game(game)) is None


def test_an_item_that_somebody_else_wrote_is_not_believed_to_be_ours() -> None:
    seen, game = GameCache(), after(a_game(), "e4 e5")
    seen.keep(item_of_game(game), game)
    other = after(a_game(), "e4 c5")

    assert seen.take(item_of_game(replace(other, item_version=game.item_version))) is None
    assert seen.take(item_of_game(game)) is None


def test_an_attribute_of_a_newer_schema_is_no_attribute_of_ours() -> None:
    seen, game = GameCache(), after(a_game(), "e4")
    seen.keep(item_of_game(game), game)

    assert seen.take({**item_of_game(game), "new": {"S": "?"}}) is None


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


def test_a_remembered_game_is_what_its_item_would_have_been_unpacked_to() -> None:
    seen, game = GameCache(), after(a_game(), "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O")
    seen.keep(item_of_game(game), game)

    assert seen.take(item_of_game(game)) == game_of_item(item_of_game(game))
