"""Which games count for the ratings, and that each counts once."""

from dataclasses import replace

import pytest

from arbiter.application.deps import Contended
from arbiter.application.ratings import ATTEMPTS, rate_game
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.early_ends import short_name
from arbiter.core.ratings import RatedGame, Rating, Standing, rate
from tests.builders import ALICE, BOB, EVE, NOW_MS
from tests.fakes.faults import Crash, crash_at
from tests.fakes.ratings import FakeRatings

GAME_ID = "0123456789abcdef0123456789abcdef"


def play(
    ratings: FakeRatings, result: str = "1-0", plies: int = 40, black: str = BOB.pubkey
) -> RatedGame | None:
    return rate_game(ratings, GAME_ID, Speed.RAPID, ALICE.pubkey, black, result, plies, NOW_MS)


def known(player: str, rating: Rating, games: int = 60) -> Standing:
    """Somebody who has met as many others as it takes."""
    return Standing(player, Speed.RAPID, rating, games, opponents=None)


@pytest.mark.parametrize(("result", "score"), [("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5)])
def test_a_game_changes_both_ratings_from_what_they_were(result: str, score: float) -> None:
    white = known(ALICE.pubkey, Rating(value=1800, deviation=60), 7)
    black = known(BOB.pubkey, Rating(value=1700, deviation=150), 3)
    ratings = FakeRatings(white, black)
    new_white, new_black = rate(white.rating, black.rating, score, NOW_MS)
    rated = play(ratings, result)
    assert rated == RatedGame(
        game_id=GAME_ID,
        white=(white, replace(white, rating=new_white, games=8)),
        black=(black, replace(black, rating=new_black, games=4)),
        of_pair=1,
        day=NOW_MS // DAY_MS,
    )
    assert ratings.standing(ALICE.pubkey, Speed.RAPID) == rated.white[1]
    assert ratings.standing(BOB.pubkey, Speed.RAPID) == rated.black[1]


def farmed(ratings: FakeRatings, first: int, games: int, now_ms: int) -> list[RatedGame]:
    """Bob loses to Alice so often, with colours that change, at two speeds."""
    players, rated = (ALICE.pubkey, BOB.pubkey), []
    for number in range(first, first + games):
        white, black = players if number % 2 else players[::-1]
        speed = Speed.RAPID if number % 3 else Speed.BLITZ
        result = "1-0" if number % 2 else "0-1"
        game = rate_game(ratings, f"{number:032x}", speed, white, black, result, 2, now_ms)
        assert game
        rated.append(game)
    return rated


def test_ten_games_of_the_same_two_count_on_one_day_and_those_after_move_no_rating() -> None:
    ratings = FakeRatings()
    games = farmed(ratings, 0, 20, NOW_MS)
    assert [game.counted for game in games] == 10 * [True] + 10 * [False]
    assert [game.of_pair for game in games] == [*range(1, 21)]
    assert all(game.white[0] == game.white[1] for game in games[10:])
    standings = [ratings.standing(ALICE.pubkey, speed) for speed in (Speed.RAPID, Speed.BLITZ)]
    assert sum(standing.games for standing in standings) == 10


def test_the_next_day_the_same_two_count_again_and_others_do_all_the_time() -> None:
    ratings = FakeRatings()
    farmed(ratings, 0, 11, NOW_MS)
    eve = rate_game(ratings, "ab" * 16, Speed.RAPID, EVE.pubkey, ALICE.pubkey, "1-0", 40, NOW_MS)
    (tomorrow,) = farmed(ratings, 11, 1, NOW_MS + DAY_MS)
    assert eve
    assert (eve.of_pair, eve.counted) == (1, True)
    assert (tomorrow.of_pair, tomorrow.counted) == (1, True)


def test_a_game_that_did_not_count_does_not_count_later_either() -> None:
    ratings = FakeRatings()
    *_, last = farmed(ratings, 0, 11, NOW_MS)
    ratings.pairs.clear()
    assert farmed(ratings, 10, 1, NOW_MS) == [last]
    assert not last.counted


def test_two_fresh_keys_that_farm_twenty_games_gain_no_more_than_by_ten() -> None:
    def winner(games: int) -> Rating:
        ratings = FakeRatings()
        for number in range(games):
            rate_game(
                ratings, f"{number:032x}", Speed.RAPID, ALICE.pubkey, BOB.pubkey, "1-0", 2, NOW_MS
            )
        return ratings.standing(ALICE.pubkey, Speed.RAPID).rating

    assert winner(20) == winner(10)
    assert round(winner(20).value) == 1541
    assert winner(500).is_provisional(NOW_MS)


@pytest.mark.parametrize(
    ("keys", "games", "before"),
    [
        (10, 10, Standing(ALICE.pubkey, Speed.RAPID)),
        (200, 1, Standing(ALICE.pubkey, Speed.RAPID)),
        (10, 10, known(ALICE.pubkey, Rating(deviation=60, rated_at_ms=NOW_MS))),
        (200, 1, known(ALICE.pubkey, Rating(deviation=60, rated_at_ms=NOW_MS))),
    ],
)
def test_keys_that_lose_to_one_player_and_meet_nobody_else_lift_them_by_less_than_fifty_points(
    keys: int, games: int, before: Standing
) -> None:
    ratings = FakeRatings(before)
    for number in range(keys * games):
        loser, game_id = f"{number % keys:064x}", f"{number:032x}"
        rate_game(ratings, game_id, Speed.RAPID, ALICE.pubkey, loser, "1-0", 2, NOW_MS)
    after = ratings.standing(ALICE.pubkey, Speed.RAPID)
    assert 0 < after.rating.value - 1500 < 50
    assert after.rating.is_provisional(NOW_MS) == before.rating.is_provisional(NOW_MS)


def test_a_game_counts_in_full_against_a_newcomer_who_has_met_three_others() -> None:
    ratings = FakeRatings()

    def gained(number: int) -> float:
        fresh = f"{number:064x}"
        game_id = f"{number:032x}"
        rate_game(ratings, game_id, Speed.RAPID, fresh, BOB.pubkey, "1/2-1/2", 40, NOW_MS)
        return 350 - ratings.standing(fresh, Speed.RAPID).rating.deviation

    deviations = [gained(number) for number in range(5)]

    assert deviations[0] < deviations[1] < deviations[2] < deviations[3]
    alone = rate(Rating(), Rating(), 0.5, NOW_MS)[0].deviation
    assert deviations[3] == pytest.approx(350 - alone, abs=4)
    opponents = ratings.standing(BOB.pubkey, Speed.RAPID).opponents
    assert opponents is not None
    assert len(opponents) == 4


def test_an_opponent_who_is_met_again_is_one_opponent() -> None:
    ratings = FakeRatings()
    farmed(ratings, 0, 9, NOW_MS)
    assert ratings.standing(BOB.pubkey, Speed.RAPID).opponents == (short_name(ALICE.pubkey),)


def test_two_plies_are_enough() -> None:
    assert play(FakeRatings(), plies=2)


@pytest.mark.parametrize("result", ["*", "", "1-0 ", "½-½"])
def test_what_is_neither_won_nor_drawn_counts_for_nothing(result: str) -> None:
    ratings = FakeRatings()
    assert play(ratings, result) is None
    assert (ratings.standings, ratings.games) == ({}, {})


@pytest.mark.parametrize("plies", [0, 1])
def test_a_game_in_which_not_both_moved_counts_for_nothing(plies: int) -> None:
    ratings = FakeRatings()
    assert play(ratings, plies=plies) is None
    assert ratings.standings == {}


def test_a_game_against_oneself_counts_for_nothing() -> None:
    ratings = FakeRatings()
    assert play(ratings, black=ALICE.pubkey) is None
    assert ratings.standings == {}


def test_a_game_that_is_told_of_again_is_not_rated_again() -> None:
    ratings = FakeRatings()
    once = play(ratings)
    standings = dict(ratings.standings)
    # Even when it is told otherwise the second time.
    assert play(ratings, "0-1") == once
    assert ratings.standings == standings


def test_a_process_that_dies_after_the_commit_loses_nothing_and_rates_nothing_twice() -> None:
    ratings = FakeRatings(hook=crash_at("ratings.committed"))
    with pytest.raises(Crash):
        play(ratings)
    standings = dict(ratings.standings)
    rated = play(ratings)
    assert rated == ratings.games[GAME_ID]
    assert ratings.standings == standings


def test_a_rating_that_changes_meanwhile_is_read_again() -> None:
    ratings, rivals = FakeRatings(), iter(range(2))

    def rival(point: str) -> None:
        if point == "ratings.commit" and next(rivals, None) is not None:
            one_more(ratings)

    ratings.hook = rival
    rated = play(ratings)

    assert rated
    assert rated.white[0].games == 2
    assert rated.white[0].rating.value != Rating().value


def test_who_always_comes_too_late_is_told_to_come_again() -> None:
    ratings, tries = FakeRatings(), []

    def rival(point: str) -> None:
        if point == "ratings.commit":
            tries.append(point)
            one_more(ratings)

    ratings.hook = rival
    with pytest.raises(Contended):
        play(ratings)

    assert len(tries) == ATTEMPTS
    assert ratings.games == {}


def one_more(ratings: FakeRatings) -> None:
    """Alice ends another game, behind the port."""
    key = (ALICE.pubkey, Speed.RAPID)
    before = ratings.standings.get(key, Standing(*key))
    won, _ = rate(before.rating, Rating(), 1.0, NOW_MS)
    ratings.standings[key] = replace(before, rating=won, games=before.games + 1)


def a_change(player: str, speed: Speed = Speed.RAPID, games: int = 1) -> tuple[Standing, Standing]:
    return Standing(player, speed), Standing(player, speed, Rating(value=1600), games)


def test_a_rated_game_that_makes_no_sense_cannot_be_made() -> None:
    one, other = a_change(ALICE.pubkey), a_change(BOB.pubkey)
    swapped = (one[0], replace(other[1], player=EVE.pubkey))
    for white, black in [
        (one, one),
        (one, a_change(BOB.pubkey, Speed.BLITZ)),
        (one, a_change(BOB.pubkey, games=2)),
        (one, a_change(BOB.pubkey, games=0)),
        (swapped, other),
        (one, (replace(other[0], speed=Speed.BLITZ), other[1])),
        (one, (other[0], replace(other[1], speed=Speed.BLITZ))),
    ]:
        with pytest.raises(ValueError, match="a game"):
            RatedGame(game_id=GAME_ID, white=white, black=black)
