"""What one game did to two ratings is of one game, one speed and two players."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import Speed
from arbiter.core.ratings import RATED_GAMES_OF_A_PAIR, RatedGame, Rating, Standing
from tests.builders import ALICE, BOB

WHITE, BLACK = (Standing(key.pubkey, Speed.BLITZ, games=6) for key in (ALICE, BOB))
WHITE_AFTER, BLACK_AFTER = (replace(it, games=7) for it in (WHITE, BLACK))


def test_who_has_played_no_rated_game_at_a_speed_stands_there_as_a_stranger() -> None:
    standing = Standing(ALICE.pubkey, Speed.RAPID)

    assert (standing.rating, standing.games) == (Rating(), 0)


def test_a_game_is_rated_at_the_speed_of_both() -> None:
    rated = RatedGame(game_id="1", white=(WHITE, WHITE_AFTER), black=(BLACK, BLACK_AFTER))

    assert rated.speed is Speed.BLITZ


def test_a_game_beyond_the_limit_of_a_pair_leaves_both_as_they_were() -> None:
    beyond = RATED_GAMES_OF_A_PAIR + 1
    rated = RatedGame(game_id="1", white=(WHITE, WHITE), black=(BLACK, BLACK), of_pair=beyond)

    assert not rated.counted
    with pytest.raises(ValueError, match="a game"):
        replace(rated, white=(WHITE, WHITE_AFTER))
    with pytest.raises(ValueError, match="a game"):
        replace(rated, of_pair=RATED_GAMES_OF_A_PAIR)


@pytest.mark.parametrize(
    ("white", "black"),
    [
        ((WHITE, WHITE_AFTER), (WHITE, WHITE_AFTER)),
        ((WHITE, BLACK_AFTER), (BLACK, WHITE_AFTER)),
        ((WHITE, WHITE), (BLACK, BLACK_AFTER)),
        ((WHITE, replace(WHITE, games=8)), (BLACK, BLACK_AFTER)),
        ((WHITE, WHITE_AFTER), (BLACK, replace(BLACK_AFTER, speed=Speed.RAPID))),
        (
            (WHITE, WHITE_AFTER),
            tuple(replace(it, speed=Speed.RAPID) for it in (BLACK, BLACK_AFTER)),
        ),
    ],
)
def test_what_no_game_can_do_to_two_ratings_is_refused(
    white: tuple[Standing, Standing], black: tuple[Standing, Standing]
) -> None:
    with pytest.raises(ValueError, match="a game"):
        RatedGame(game_id="1", white=white, black=black)
