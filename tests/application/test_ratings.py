"""Games that count for the ratings, and that each counts once."""

from dataclasses import replace

import pytest

from arbiter.application.deps import Contended
from arbiter.application.play.ratings import ATTEMPTS, rate_game
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.early_ends import short_name
from arbiter.core.ratings import RatedGame, Rating, Standing, rate
from tests.builders import ALICE, BOB, EVE, NOW_MS
from tests.fakes.faults import Crash, crash_at
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


@pytest.mark.parametrize(("result", "score"), [("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5)])
def test_a_game_changes_both_ratings_from_what_they_were(result: str, score: float) -> None:
    white = known(ALICE.pubkey, Rating(value=1800, deviation=60), 7)
    black = known(BOB.pubkey, Rating(value=1700, deviation=150), 3)
    ratings = FakeRatings(white, black)
    new_white, new_black = rate(white.rating, black.rating, score, NOW_MS)
    rated = play(ratings, result, plies=2)
    assert rated == RatedGame(
        game_id=GAME_ID,
        white=(white, replace(white, rating=new_white, games=8)),
        black=(black, replace(black, rating=new_black, games=4)),
        of_pair=1,
        day=NOW_MS // DAY_MS,
    )
    assert ratings.standing(ALICE.pubkey, Speed.RAPID) == rated.white[1]
    assert ratings.standing(BOB.pubkey, Speed.RAPID) == rated.black[1]


@pytest.mark.parametrize(
    ("result", "plies", "black"),
    [
        *((result, 40, BOB.pubkey) for result in ("*", "", "1-0 ", "½-½")),
        *(("1-0", plies, BOB.pubkey) for plies in (0, 1)),
        ("1-0", 40, ALICE.pubkey),
    ],
)
def test_what_is_no_result_of_two_who_both_moved_counts_for_nothing(
    result: str, plies: int, black: str
) -> None:
    ratings = FakeRatings()
    assert play(ratings, result, plies, black=black) is None
    assert not ratings.table.items


def farmed(ratings: FakeRatings, first: int, games: int, now_ms: int = NOW_MS) -> list[RatedGame]:
    """Bob loses to Alice so often, with colours that change, at two speeds."""
    rated = []
    for number in range(first, first + games):
        result, white, black = ("0-1", BOB.pubkey, ALICE.pubkey)
        if number % 2:
            result, white, black = ("1-0", ALICE.pubkey, BOB.pubkey)
        speed = Speed.RAPID if number % 3 else Speed.BLITZ
        game = play(ratings, result, 2, white, black, number, speed, now_ms)
        assert game
        rated.append(game)
    return rated


def test_ten_games_of_the_same_two_count_on_one_day_and_those_after_move_no_rating() -> None:
    ratings = FakeRatings()
    games = farmed(ratings, 0, 20)
    assert [game.counted for game in games] == 10 * [True] + 10 * [False]
    assert [game.of_pair for game in games] == [*range(1, 21)]
    assert all(game.white[0] == game.white[1] for game in games[10:])
    standings = [ratings.standing(ALICE.pubkey, speed) for speed in (Speed.RAPID, Speed.BLITZ)]
    assert sum(standing.games for standing in standings) == 10


def test_the_next_day_the_same_two_count_again_and_others_do_all_the_time() -> None:
    ratings = FakeRatings()
    *_, last = farmed(ratings, 0, 11)
    eve = play(ratings, white=EVE.pubkey, black=ALICE.pubkey, game_id="ab" * 16)
    (tomorrow,) = farmed(ratings, 11, 1, NOW_MS + DAY_MS)
    assert [(game.of_pair, game.counted) for game in (eve, tomorrow) if game] == [(1, True)] * 2
    pairs = [pk for pk in ratings.table.items if pk.startswith("pair#")]
    assert len(pairs) == 3
    for pk in pairs:
        del ratings.table.items[pk]
    (again,) = farmed(ratings, 10, 1)
    assert (again.of_pair, again.counted) == (last.of_pair, False), "it does not count later"


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


def test_an_opponent_who_is_met_again_is_one_opponent() -> None:
    ratings = FakeRatings()
    farmed(ratings, 0, 9)
    assert ratings.standing(BOB.pubkey, Speed.RAPID).opponents == (short_name(ALICE.pubkey),)


def test_a_game_that_comes_again_is_not_rated_again_even_with_another_result() -> None:
    ratings = FakeRatings()
    once, standings = play(ratings), dict(ratings.standings)
    assert play(ratings, "0-1") == once
    assert ratings.standings == standings


def test_a_process_that_dies_after_the_commit_loses_nothing_and_rates_nothing_twice() -> None:
    ratings = FakeRatings(hook=crash_at("ratings.committed"))
    with pytest.raises(Crash):
        play(ratings)
    standings = dict(ratings.standings)
    assert play(ratings) == ratings.games[GAME_ID]
    assert ratings.standings == standings


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
