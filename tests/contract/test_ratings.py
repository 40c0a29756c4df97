"""The contract of ``Ratings``, and more for those on a table."""

from dataclasses import replace
from uuid import uuid4

import pytest

from arbiter.adapters.items.ratings import (
    PAIR_KEPT_DAYS,
    item_of_standing,
    pair_key,
    rated_key,
    rating_key,
)
from arbiter.application.deps import Contended
from arbiter.application.play.ratings import rate_game
from arbiter.application.ports import Ratings
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.early_ends import short_name
from arbiter.core.ratings import PERIOD_MS, RATED_GAMES_OF_A_PAIR, RatedGame, Rating, Standing
from tests.builders import NOW_MS
from tests.contract.candidates import DYNAMODB_LOCAL, TABLES, Ladder, capacity_spent, item_at
from tests.contract.race import race
from tests.contract.sqlite_file import Items

ALICE, BOB, CAROL = "a1" * 32, "b2" * 32, "c3" * 32

LONG_MS = NOW_MS + 300 * PERIOD_MS


def rated_at(standing: Standing, value: float, deviation: float = 50.0) -> Standing:
    rating = Rating(value=value, deviation=deviation, rated_at_ms=NOW_MS)
    return replace(standing, rating=rating, games=standing.games + 1)


def a_rated_game(
    ratings: Ratings, white: tuple[str, float], black: tuple[str, float], deviation: float = 50.0
) -> RatedGame:
    """A blitz game that gives two players these values, on top of what is stored."""
    before = [ratings.standing(player, Speed.BLITZ) for player, _ in (white, black)]
    return RatedGame(
        game_id=uuid4().hex,
        white=(before[0], rated_at(before[0], white[1], deviation)),
        black=(before[1], rated_at(before[1], black[1], deviation)),
    )


def names(standings: tuple[Standing, ...]) -> list[str]:
    return [standing.player for standing in standings]


def play(ratings: Ratings, game_id: str, result: str = "1-0") -> RatedGame | None:
    return rate_game(ratings, game_id, Speed.BLITZ, ALICE, BOB, result, 40, NOW_MS)


@pytest.fixture
def ratings(ladder: Ladder) -> Ratings:
    return ladder.ratings


def of_both(ratings: Ratings) -> list[Standing]:
    return [ratings.standing(player, Speed.BLITZ) for player in (ALICE, BOB)]


def test_without_a_rated_game_there_are_no_ratings(ratings: Ratings) -> None:
    assert ratings.standing(ALICE, Speed.BLITZ) == Standing(ALICE, Speed.BLITZ, Rating(), 0)
    assert ratings.leaderboard(Speed.BLITZ, 100, NOW_MS) == ()
    assert ratings.rated(uuid4().hex) is None


def test_many_ratings_are_read_together_as_each_is_alone(ratings: Ratings) -> None:
    ratings.commit(a_rated_game(ratings, (ALICE, 1600.0), (BOB, 1400.0)))

    assert ratings.load_standings([CAROL, BOB, ALICE], Speed.BLITZ) == {
        player: ratings.standing(player, Speed.BLITZ) for player in (ALICE, BOB, CAROL)
    }
    assert ratings.load_standings([ALICE], Speed.RAPID) == {ALICE: Standing(ALICE, Speed.RAPID)}


def test_no_game_id_and_a_leaderboard_of_another_length_are_bugs(ratings: Ratings) -> None:
    for text in ("", "x" * 3000, "AB" * 16, "\ud800"):
        with pytest.raises(ValueError, match="game id"):
            ratings.rated(text)
    for limit in (0, -1, 101):
        with pytest.raises(ValueError, match="hundred"):
            ratings.leaderboard(Speed.BLITZ, limit, NOW_MS)


def test_each_game_is_rated_once_and_ratings_are_kept_to_the_last_digit(ratings: Ratings) -> None:
    games: list[RatedGame | None] = []
    for number in range(3):
        rated = play(ratings, f"{number:032x}", "1/2-1/2" if number else "0-1")
        games.append(rated)

        assert rated
        assert of_both(ratings) == [rated.white[1], rated.black[1]]
        assert [standing.games for standing in of_both(ratings)] == [number + 1, number + 1]
        assert [play(ratings, f"{at:032x}") for at in range(number + 1)] == games
        assert ratings.rated(rated.game_id) == rated
        assert of_both(ratings) == [rated.white[1], rated.black[1]]


def test_the_opponents_of_a_speed_are_kept_with_its_rating(ratings: Ratings) -> None:
    for _ in range(2):
        assert play(ratings, uuid4().hex)
    assert rate_game(ratings, uuid4().hex, Speed.BLITZ, CAROL, BOB, "1-0", 40, NOW_MS)

    met = [standing.opponents for standing in of_both(ratings)]
    assert met == [(short_name(BOB),), (short_name(ALICE), short_name(CAROL))]
    for speed in Speed:
        standing = ratings.standing(CAROL, speed)
        assert (standing.games, len(standing.opponents or ())) == (speed is Speed.BLITZ,) * 2


def test_a_player_may_be_called_anything(ratings: Ratings) -> None:
    name = "@feed#with.ed25519"

    assert ratings.commit(a_rated_game(ratings, (name, 1600), (BOB, 1500)))

    assert ratings.standing(name, Speed.BLITZ).rating.value == 1600
    assert names(ratings.leaderboard(Speed.BLITZ, 9, NOW_MS)) == [name, BOB]


def test_the_games_of_a_pair_are_counted_by_the_day_in_any_colours(ratings: Ratings) -> None:
    assert play(ratings, uuid4().hex)
    back = rate_game(ratings, uuid4().hex, Speed.RAPID, BOB, ALICE, "1-0", 40, NOW_MS)
    day = NOW_MS // DAY_MS

    assert back
    assert (back.of_pair, back.day) == (2, day)
    for one, other, on, count in (
        (ALICE, BOB, day, 2),
        (BOB, ALICE, day, 2),
        (ALICE, BOB, day + 1, 0),
        (ALICE, CAROL, day, 0),
    ):
        assert ratings.games_of_pair(one, other, on) == count

    late = replace(a_rated_game(ratings, (ALICE, 1650), (BOB, 1350)), of_pair=2, day=day)
    assert not ratings.commit(late)
    assert ratings.rated(late.game_id) is None
    assert ratings.commit(replace(late, of_pair=3))


def test_a_game_beyond_the_limit_of_a_pair_is_kept_and_changes_nothing(ratings: Ratings) -> None:
    for _ in range(RATED_GAMES_OF_A_PAIR):
        assert play(ratings, uuid4().hex)
    before, game_id = of_both(ratings), uuid4().hex

    beyond = play(ratings, game_id)

    assert beyond
    assert not beyond.counted
    assert beyond.of_pair == RATED_GAMES_OF_A_PAIR + 1
    assert of_both(ratings) == before
    assert ratings.rated(game_id) == play(ratings, game_id) == beyond


def test_a_rated_game_is_refused_whatever_it_would_do_now(ratings: Ratings) -> None:
    game = a_rated_game(ratings, (ALICE, 1600), (BOB, 1400))
    assert ratings.commit(game)
    other = a_rated_game(ratings, (ALICE, 1700), (CAROL, 900))

    for again in (game, replace(other, game_id=game.game_id)):
        assert not ratings.commit(again)

    assert ratings.rated(game.game_id) == game
    assert ratings.standing(ALICE, Speed.BLITZ) == game.white[1]
    assert ratings.standing(CAROL, Speed.BLITZ).games == 0


@pytest.mark.parametrize("changed", [ALICE, BOB], ids=["white", "black"])
def test_a_rating_changed_meanwhile_refuses_the_whole_game(ratings: Ratings, changed: str) -> None:
    assert ratings.commit(a_rated_game(ratings, (ALICE, 1600), (BOB, 1400)))
    late = a_rated_game(ratings, (ALICE, 1650), (BOB, 1350))
    assert ratings.commit(a_rated_game(ratings, (changed, 1500), (CAROL, 1500)))
    before = of_both(ratings)

    assert not ratings.commit(late)

    assert of_both(ratings) == before
    assert ratings.rated(late.game_id) is None


def test_a_game_that_many_rate_at_once_is_rated_once(ratings: Ratings) -> None:
    for number in range(5):
        game_id = uuid4().hex
        got: list[RatedGame | None] = []

        def ask(game_id: str = game_id, got: list[RatedGame | None] = got) -> None:
            got.append(play(ratings, game_id))

        race(*[ask] * 4)

        assert got == [ratings.rated(game_id)] * 4
        assert [standing.games for standing in of_both(ratings)] == [number + 1, number + 1]


@pytest.mark.parametrize("ladder", ["memory", "sqlite", "ministack", DYNAMODB_LOCAL], indirect=True)
def test_no_game_is_lost_when_a_player_ends_many_at_once(ladder: Ladder) -> None:
    games = [uuid4().hex for _ in range(6)]

    def ask(game_id: str) -> None:
        while True:  # as a queue that delivers again
            try:
                assert play(ladder.ratings, game_id)
            except Contended:
                continue
            return

    race(*(lambda game_id=game_id: ask(game_id) for game_id in games))

    for player in (ALICE, BOB):
        assert ladder.ratings.standing(player, Speed.BLITZ).games == len(games)
    done = [ladder.ratings.rated(game_id) for game_id in games]
    assert sorted(rated.white[0].games for rated in done if rated) == [0, 1, 2, 3, 4, 5]


def test_the_leaderboard_is_the_best_first_and_no_longer_than_asked_for(ratings: Ratings) -> None:
    values = {f"{n:064x}": 1000.0 + 37 * n % 500 + n / 7 for n in range(12)}
    players = list(values.items())
    for white, black in zip(players[::2], players[1::2], strict=True):
        assert ratings.commit(a_rated_game(ratings, white, black))
    best = sorted(values, key=lambda player: values[player], reverse=True)

    for limit in (1, 5, 12, 100):
        assert names(ratings.leaderboard(Speed.BLITZ, limit, NOW_MS)) == best[:limit]
    (first,) = ratings.leaderboard(Speed.BLITZ, 1, NOW_MS)
    assert first == ratings.standing(best[0], Speed.BLITZ)
    assert ratings.leaderboard(Speed.RAPID, 100, NOW_MS) == ()


def test_the_leaderboard_has_the_established_players_who_played_lately(ratings: Ratings) -> None:
    for alice, bob, deviation, board in (
        (2000, 1000, 110.0, []),
        (2100, 900, 109.0, [ALICE, BOB]),
        (1500, 1500.5, 50.0, [BOB, ALICE]),
        (2200, 800, 111.0, []),
        (2000, 1000, 50.0, [ALICE, BOB]),
    ):
        assert ratings.commit(a_rated_game(ratings, (ALICE, alice), (BOB, bob), deviation))
        assert names(ratings.leaderboard(Speed.BLITZ, 9, NOW_MS)) == board

    assert ratings.leaderboard(Speed.BLITZ, 9, LONG_MS) == ()
    assert ratings.standing(ALICE, Speed.BLITZ).rating.value == 2000
    assert ratings.commit(a_rated_game(ratings, (ALICE, 2000), (BOB, 1000)))
    assert names(ratings.leaderboard(Speed.BLITZ, 9, NOW_MS)) == [ALICE, BOB]


@pytest.mark.parametrize("ladder", ["sqlite", *TABLES], indirect=True)
def test_players_who_stayed_away_leave_the_index_as_it_is_read(ladder: Ladder) -> None:
    ratings = ladder.ratings
    for number in range(10):
        pair = (f"{number:064x}", 2000.0 + number), (f"{99 - number:064x}", 1900.0 - number)
        assert ratings.commit(a_rated_game(ratings, *pair))
    active = ratings.standing(ALICE, Speed.BLITZ), ratings.standing(BOB, Speed.BLITZ)
    now = [replace(rated_at(it, 1000.0 + n), games=1) for n, it in enumerate(active)]
    now = [replace(it, rating=replace(it.rating, rated_at_ms=LONG_MS)) for it in now]
    game = RatedGame(game_id=uuid4().hex, white=(active[0], now[0]), black=(active[1], now[1]))
    assert ratings.commit(game)

    # Twenty are above the two: of DynamoDB's index, three pages of two find none but those who
    # stayed away. SQLite's is read to its end.
    boards = [names(ratings.leaderboard(Speed.BLITZ, 2, LONG_MS)) for _ in range(5)]

    late = 0 if isinstance(ladder.client, Items) else 3
    assert boards == [[]] * late + [[BOB, ALICE]] * (5 - late)
    left = ladder.client.query(
        TableName=ladder.table,
        IndexName="ladder",
        KeyConditionExpression="ladder = :speed",
        ExpressionAttributeValues={":speed": {"S": "blitz"}},
    )
    assert left["Count"] == 2


@pytest.mark.parametrize("ladder", ["sqlite", *TABLES], indirect=True)
def test_what_a_newer_schema_wrote_of_a_rating_survives(ladder: Ladder) -> None:
    newer = {"s": {"N": "2"}, "best": {"N": "1700"}}
    standing = rated_at(Standing(ALICE, Speed.BLITZ), 1600)
    item = {**item_of_standing(standing), **newer}
    ladder.client.put_item(TableName=ladder.table, Item=item)

    rated = play(ladder.ratings, uuid4().hex)

    assert rated
    kept = item_at(ladder, rating_key(ALICE, Speed.BLITZ))
    assert {name: kept[name] for name in newer} == newer
    assert kept["v"] == {"N": "2"}
    assert ladder.ratings.standing(ALICE, Speed.BLITZ) == rated.white[1]


@pytest.mark.parametrize("ladder", ["sqlite", *TABLES], indirect=True)
def test_the_number_of_a_pairs_games_expires_and_no_rating_does(ladder: Ladder) -> None:
    game_id, day = uuid4().hex, NOW_MS // DAY_MS
    play(ladder.ratings, game_id)

    for key in (rating_key(ALICE, Speed.BLITZ), rated_key(game_id)):
        assert "expires_at" not in item_at(ladder, key)
    expires_at = int(item_at(ladder, pair_key(BOB, ALICE, day))["expires_at"]["N"])
    assert expires_at == (day + 1 + PAIR_KEPT_DAYS) * DAY_MS // 1000


# The others count no capacity.
@pytest.mark.parametrize("ladder", [DYNAMODB_LOCAL], indirect=True)
def test_a_hundred_ranks_cost_three_units_however_many_players_there_are(ladder: Ladder) -> None:
    for number in range(120):
        pair = (f"{number:064x}", 1500.0 + number / 7), (f"{999 - number:064x}", 1499 - number / 7)
        assert ladder.ratings.commit(a_rated_game(ladder.ratings, *pair))

    with capacity_spent(ladder.client) as spent:
        assert len(ladder.ratings.leaderboard(Speed.BLITZ, 100, NOW_MS)) == 100

    assert len(spent) == 1
    assert spent[0] <= 3
