"""Games that count for the ratings, and that each counts once."""

from dataclasses import replace

import pytest

from arbiter.application.deps import Contended
from arbiter.application.play.ratings import ATTEMPTS, rate_game
from arbiter.core.clocks import Speed
from arbiter.core.ratings import RatedGame, Rating, Standing, rate
from tests.builders import ALICE, BOB, NOW_MS
from tests.fakes.stores import FakeRatings

GAME_ID = "0123456789abcdef0123456789abcdef"


def play(
    ratings: FakeRatings,
    result: str = "1-0",
    plies: int = 40,
    white: str = ALICE.pubkey,
    black: str = BOB.pubkey,
    game_id: str | int = GAME_ID,
    speed: Speed = Speed.RAPID,
    now_ms: int = NOW_MS,
) -> RatedGame | None:
    id_ = game_id if isinstance(game_id, str) else f"{game_id:032x}"
    return rate_game(ratings, id_, speed, white, black, result, plies, now_ms)


def known(player: str, rating: Rating, games: int = 60) -> Standing:
    """A player who has met as many others as it takes."""
    return Standing(player, Speed.RAPID, rating, games, opponents=None)


def test_two_fresh_keys_that_farm_twenty_games_gain_no_more_than_by_ten() -> None:
    def winner(games: int) -> Rating:
        ratings = FakeRatings()
        for number in range(games):
            play(ratings, plies=2, game_id=number)
        return ratings.standing(ALICE.pubkey, Speed.RAPID).rating

    assert winner(20) == winner(10)
    assert round(winner(20).value) == 1541
    assert winner(500).is_provisional(NOW_MS)


@pytest.mark.parametrize(("keys", "games"), [(10, 10), (200, 1)])
@pytest.mark.parametrize(
    "before",
    [
        Standing(ALICE.pubkey, Speed.RAPID),
        known(ALICE.pubkey, Rating(deviation=60, rated_at_ms=NOW_MS)),
    ],
)
def test_keys_that_lose_to_one_player_and_meet_none_else_lift_them_by_less_than_fifty_points(
    keys: int, games: int, before: Standing
) -> None:
    ratings = FakeRatings(before)
    for number in range(keys * games):
        play(ratings, plies=2, black=f"{number % keys:064x}", game_id=number)
    after = ratings.standing(ALICE.pubkey, Speed.RAPID)
    assert 0 < after.rating.value - 1500 < 50
    assert after.rating.is_provisional(NOW_MS) == before.rating.is_provisional(NOW_MS)


def test_a_game_counts_in_full_against_a_newcomer_who_has_met_three_others() -> None:
    ratings = FakeRatings()

    def gained(number: int) -> float:
        fresh = f"{number:064x}"
        play(ratings, "1/2-1/2", white=fresh, game_id=number)
        return 350 - ratings.standing(fresh, Speed.RAPID).rating.deviation

    deviations = [gained(number) for number in range(5)]
    assert deviations[0] < deviations[1] < deviations[2] < deviations[3]
    alone = rate(Rating(), Rating(), 0.5, NOW_MS)[0].deviation
    assert deviations[3] == pytest.approx(350 - alone, abs=4)
    assert len(ratings.standing(BOB.pubkey, Speed.RAPID).opponents or ()) == 4


@pytest.mark.parametrize("rivals", [2, ATTEMPTS])
def test_a_rating_that_changes_meanwhile_is_read_again_so_many_times(rivals: int) -> None:
    ratings, tries = FakeRatings(), list[str]()

    def rival(point: str) -> None:
        """Alice ends another game, behind the port."""
        if point == "ratings.commit" and len(tries) < rivals:
            tries.append(point)
            key = (ALICE.pubkey, Speed.RAPID)
            before = ratings.standings.get(key, Standing(*key))
            won, _ = rate(before.rating, Rating(), 1.0, NOW_MS)
            ratings.standings[key] = replace(before, rating=won, games=before.games + 1)

    ratings.hook = rival
    if rivals == ATTEMPTS:
        with pytest.raises(Contended):
            play(ratings)
        assert (len(tries), len(ratings.games)) == (ATTEMPTS, 0)
    else:
        rated = play(ratings)
        assert rated
        assert rated.white[0].games == rivals
        assert rated.white[0].rating.value != Rating().value
