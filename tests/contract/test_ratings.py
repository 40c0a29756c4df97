"""What every implementation of ``Ratings`` does, and what those on a table do besides."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from arbiter.adapters.dynamodb.rating_items import (
    PAIR_KEPT_DAYS,
    item_of_standing,
    pair_key,
    rated_key,
    rating_key,
)
from arbiter.adapters.sqlite.ratings import SqliteRatings
from arbiter.application.deps import Contended
from arbiter.application.ports import Ratings
from arbiter.application.ratings import rate_game
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.early_ends import short_name
from arbiter.core.ratings import PERIOD_MS, RATED_GAMES_OF_A_PAIR, RatedGame, Rating, Standing
from tests.builders import NOW_MS
from tests.contract.candidates import DYNAMODB_LOCAL, TABLES, Ladder
from tests.contract.race import race

ALICE, BOB, CAROL = "a1" * 32, "b2" * 32, "c3" * 32

LONG_MS = NOW_MS + 300 * PERIOD_MS


def rated_at(standing: Standing, value: float, deviation: float = 50.0) -> Standing:
    """The same player one game later."""
    rating = Rating(value=value, deviation=deviation, rated_at_ms=NOW_MS)
    return replace(standing, rating=rating, games=standing.games + 1)


def a_rated_game(
    ratings: Ratings, white: tuple[str, float], black: tuple[str, float], deviation: float = 50.0
) -> RatedGame:
    """A blitz game that gives two players these values, on top of what stands."""
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


def test_a_stranger_has_played_no_rated_game(ladder: Ladder) -> None:
    standing = ladder.ratings.standing(ALICE, Speed.BLITZ)

    assert standing == Standing(ALICE, Speed.BLITZ, Rating(), 0)
    assert ladder.ratings.leaderboard(Speed.BLITZ, 100, NOW_MS) == ()


def test_a_game_that_was_not_rated_did_nothing(ladder: Ladder) -> None:
    assert ladder.ratings.rated(uuid4().hex) is None


@pytest.mark.parametrize("text", ["", "x" * 3000, "AB" * 16, "\ud800"])
def test_what_is_no_game_id_is_a_bug_and_says_so(ladder: Ladder, text: str) -> None:
    with pytest.raises(ValueError, match="game id"):
        ladder.ratings.rated(text)


def test_both_ratings_are_kept_to_the_last_digit_and_so_is_what_made_them(ladder: Ladder) -> None:
    for number in range(3):
        rated = play(ladder.ratings, f"{number:032x}", "1/2-1/2" if number else "0-1")

        assert rated
        assert ladder.ratings.standing(ALICE, Speed.BLITZ) == rated.white[1]
        assert ladder.ratings.standing(BOB, Speed.BLITZ) == rated.black[1]
        assert ladder.ratings.rated(rated.game_id) == rated
        assert (rated.white[1].games, rated.black[1].games) == (number + 1, number + 1)


def test_whom_a_player_met_is_kept_with_the_rating(ladder: Ladder) -> None:
    for _ in range(2):
        assert play(ladder.ratings, uuid4().hex)
    game = rate_game(ladder.ratings, uuid4().hex, Speed.BLITZ, CAROL, BOB, "1-0", 40, NOW_MS)

    assert game
    of_bob = ladder.ratings.standing(BOB, Speed.BLITZ).opponents
    assert of_bob == (short_name(ALICE), short_name(CAROL))
    assert ladder.ratings.standing(ALICE, Speed.BLITZ).opponents == (short_name(BOB),)
    assert ladder.ratings.standing(CAROL, Speed.RAPID).opponents == ()


def test_each_speed_has_a_rating_of_its_own(ladder: Ladder) -> None:
    assert play(ladder.ratings, uuid4().hex)

    for speed in Speed:
        assert ladder.ratings.standing(ALICE, speed).games == int(speed is Speed.BLITZ)


def test_a_player_may_be_called_anything(ladder: Ladder) -> None:
    name = "@feed#with.ed25519"

    assert ladder.ratings.commit(a_rated_game(ladder.ratings, (name, 1600), (BOB, 1500)))

    assert ladder.ratings.standing(name, Speed.BLITZ).rating.value == 1600
    assert names(ladder.ratings.leaderboard(Speed.BLITZ, 9, NOW_MS)) == [name, BOB]


def test_a_game_is_rated_once_and_every_asker_is_told_the_same(ladder: Ladder) -> None:
    game_id = uuid4().hex
    once = play(ladder.ratings, game_id)
    assert play(ladder.ratings, uuid4().hex)
    standing = ladder.ratings.standing(ALICE, Speed.BLITZ)

    assert play(ladder.ratings, game_id) == once

    assert ladder.ratings.standing(ALICE, Speed.BLITZ) == standing


def test_the_games_of_a_pair_are_counted_by_the_day_in_whichever_order_they_sit(
    ladder: Ladder,
) -> None:
    assert play(ladder.ratings, uuid4().hex)
    back = rate_game(ladder.ratings, uuid4().hex, Speed.RAPID, BOB, ALICE, "1-0", 40, NOW_MS)
    day = NOW_MS // DAY_MS

    assert back
    assert (back.of_pair, back.day) == (2, day)
    assert ladder.ratings.games_of_pair(ALICE, BOB, day) == 2
    assert ladder.ratings.games_of_pair(BOB, ALICE, day) == 2
    assert ladder.ratings.games_of_pair(ALICE, BOB, day + 1) == 0
    assert ladder.ratings.games_of_pair(ALICE, CAROL, day) == 0


def test_a_game_beyond_the_limit_of_a_pair_is_kept_as_rated_and_moves_no_rating(
    ladder: Ladder,
) -> None:
    for _ in range(RATED_GAMES_OF_A_PAIR):
        assert play(ladder.ratings, uuid4().hex)
    before = [ladder.ratings.standing(player, Speed.BLITZ) for player in (ALICE, BOB)]
    game_id = uuid4().hex

    beyond = play(ladder.ratings, game_id)

    assert beyond
    assert not beyond.counted
    assert beyond.of_pair == RATED_GAMES_OF_A_PAIR + 1
    assert [ladder.ratings.standing(player, Speed.BLITZ) for player in (ALICE, BOB)] == before
    assert ladder.ratings.rated(game_id) == beyond
    assert play(ladder.ratings, game_id) == beyond


def test_a_pair_that_rated_another_game_meanwhile_refuses_this_one(ladder: Ladder) -> None:
    first = a_rated_game(ladder.ratings, (ALICE, 1600), (BOB, 1400))
    first = replace(first, of_pair=1, day=NOW_MS // DAY_MS)
    assert ladder.ratings.commit(first)
    again = a_rated_game(ladder.ratings, (ALICE, 1650), (BOB, 1350))

    assert not ladder.ratings.commit(replace(again, of_pair=1, day=first.day))
    assert ladder.ratings.rated(again.game_id) is None
    assert ladder.ratings.commit(replace(again, of_pair=2, day=first.day))


def test_a_rated_game_is_refused_whatever_it_would_do_now(ladder: Ladder) -> None:
    game = a_rated_game(ladder.ratings, (ALICE, 1600), (BOB, 1400))
    assert ladder.ratings.commit(game)
    other = a_rated_game(ladder.ratings, (ALICE, 1700), (CAROL, 900))
    other = replace(other, game_id=game.game_id)

    assert not ladder.ratings.commit(game)
    assert not ladder.ratings.commit(other)

    assert ladder.ratings.rated(game.game_id) == game
    assert ladder.ratings.standing(ALICE, Speed.BLITZ) == game.white[1]
    assert ladder.ratings.standing(CAROL, Speed.BLITZ).games == 0


@pytest.mark.parametrize("moved", ["white", "black"])
def test_a_rating_that_changed_meanwhile_refuses_the_whole_game(ladder: Ladder, moved: str) -> None:
    assert ladder.ratings.commit(a_rated_game(ladder.ratings, (ALICE, 1600), (BOB, 1400)))
    late = a_rated_game(ladder.ratings, (ALICE, 1650), (BOB, 1350))
    mover = (ALICE if moved == "white" else BOB, 1500)
    between = a_rated_game(ladder.ratings, mover, (CAROL, 1500))
    assert ladder.ratings.commit(between)
    before = [ladder.ratings.standing(player, Speed.BLITZ) for player in (ALICE, BOB)]

    assert not ladder.ratings.commit(late)

    assert [ladder.ratings.standing(player, Speed.BLITZ) for player in (ALICE, BOB)] == before
    assert ladder.ratings.rated(late.game_id) is None


def test_a_game_that_many_rate_at_once_is_rated_once(ladder: Ladder) -> None:
    for number in range(5):
        game_id = uuid4().hex
        told: list[RatedGame | None] = []

        def ask(game_id: str = game_id, told: list[RatedGame | None] = told) -> None:
            told.append(play(ladder.ratings, game_id))

        race(*[ask] * 4)

        assert told == [ladder.ratings.rated(game_id)] * 4
        assert ladder.ratings.standing(ALICE, Speed.BLITZ).games == number + 1
        assert ladder.ratings.standing(BOB, Speed.BLITZ).games == number + 1


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


def test_the_leaderboard_is_the_best_first_and_no_longer_than_asked_for(ladder: Ladder) -> None:
    values = {f"{n:064x}": 1000.0 + 37 * n % 500 + n / 7 for n in range(12)}
    players = list(values.items())
    for white, black in zip(players[::2], players[1::2], strict=True):
        assert ladder.ratings.commit(a_rated_game(ladder.ratings, white, black))
    best = sorted(values, key=lambda player: values[player], reverse=True)

    for limit in (1, 5, 12, 100):
        assert names(ladder.ratings.leaderboard(Speed.BLITZ, limit, NOW_MS)) == best[:limit]
    (first,) = ladder.ratings.leaderboard(Speed.BLITZ, 1, NOW_MS)
    assert first == ladder.ratings.standing(best[0], Speed.BLITZ)
    assert ladder.ratings.leaderboard(Speed.RAPID, 100, NOW_MS) == ()


def test_who_plays_again_moves_on_the_leaderboard(ladder: Ladder) -> None:
    ratings = ladder.ratings
    assert ratings.commit(a_rated_game(ratings, (ALICE, 1600), (BOB, 1400)))
    assert names(ratings.leaderboard(Speed.BLITZ, 9, NOW_MS)) == [ALICE, BOB]

    assert ratings.commit(a_rated_game(ratings, (ALICE, 1500), (BOB, 1500.5)))

    assert names(ratings.leaderboard(Speed.BLITZ, 9, NOW_MS)) == [BOB, ALICE]


def test_a_provisional_player_is_on_no_leaderboard_until_he_is_established(ladder: Ladder) -> None:
    ratings = ladder.ratings
    assert ratings.commit(a_rated_game(ratings, (ALICE, 2000), (BOB, 1000), 110.0))
    assert ratings.leaderboard(Speed.BLITZ, 9, NOW_MS) == ()

    assert ratings.commit(a_rated_game(ratings, (ALICE, 2100), (BOB, 900), 109.0))
    assert names(ratings.leaderboard(Speed.BLITZ, 9, NOW_MS)) == [ALICE, BOB]

    assert ratings.commit(a_rated_game(ratings, (ALICE, 2200), (BOB, 800), 111.0))
    assert ratings.leaderboard(Speed.BLITZ, 9, NOW_MS) == ()


def test_who_stays_away_too_long_leaves_the_leaderboard_and_comes_back(ladder: Ladder) -> None:
    ratings = ladder.ratings
    assert ratings.commit(a_rated_game(ratings, (ALICE, 2000), (BOB, 1000)))
    assert names(ratings.leaderboard(Speed.BLITZ, 9, NOW_MS)) == [ALICE, BOB]

    assert ratings.leaderboard(Speed.BLITZ, 9, LONG_MS) == ()
    assert ratings.standing(ALICE, Speed.BLITZ).rating.value == 2000

    assert ratings.commit(a_rated_game(ratings, (ALICE, 2000), (BOB, 1000)))
    assert names(ratings.leaderboard(Speed.BLITZ, 9, NOW_MS)) == [ALICE, BOB]


@pytest.mark.parametrize("limit", [0, -1, 101])
def test_a_leaderboard_of_another_length_is_a_bug_and_says_so(ladder: Ladder, limit: int) -> None:
    with pytest.raises(ValueError, match="hundred"):
        ladder.ratings.leaderboard(Speed.BLITZ, limit, NOW_MS)


@pytest.mark.parametrize("ladder", ["sqlite", *TABLES], indirect=True)
def test_who_stays_away_is_passed_over_once_and_then_is_out_of_the_way(ladder: Ladder) -> None:
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

    late = 0 if isinstance(ratings, SqliteRatings) else 3
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
    key = rating_key(ALICE, Speed.BLITZ)
    kept = ladder.client.get_item(TableName=ladder.table, Key=key, ConsistentRead=True)["Item"]
    assert {name: kept[name] for name in newer} == newer
    assert kept["v"] == {"N": "2"}
    assert ladder.ratings.standing(ALICE, Speed.BLITZ) == rated.white[1]


@pytest.mark.parametrize("ladder", ["sqlite", *TABLES], indirect=True)
def test_neither_a_rating_nor_a_rated_game_expires(ladder: Ladder) -> None:
    game_id = uuid4().hex
    play(ladder.ratings, game_id)

    for key in (rating_key(ALICE, Speed.BLITZ), rated_key(game_id)):
        item = ladder.client.get_item(TableName=ladder.table, Key=key, ConsistentRead=True)["Item"]
        assert "expires_at" not in item


# moto counts no capacity.
@pytest.mark.parametrize("ladder", [DYNAMODB_LOCAL], indirect=True)
def test_a_hundred_ranks_cost_three_units_however_many_players_there_are(ladder: Ladder) -> None:
    for number in range(120):
        pair = (f"{number:064x}", 1500.0 + number / 7), (f"{999 - number:064x}", 1499 - number / 7)
        assert ladder.ratings.commit(a_rated_game(ladder.ratings, *pair))
    spent: list[float] = []

    def spend(parsed: dict[str, Any], **_: object) -> None:
        spent.append(parsed["ConsumedCapacity"]["CapacityUnits"])

    def ask(params: dict[str, Any], **_: object) -> None:
        params["ReturnConsumedCapacity"] = "TOTAL"

    hooks: dict[str, Callable[..., None]] = {
        "provide-client-params.dynamodb.*": ask,
        "after-call.dynamodb.*": spend,
    }
    for event, hook in hooks.items():
        ladder.client.meta.events.register(event, hook)
    try:
        assert len(ladder.ratings.leaderboard(Speed.BLITZ, 100, NOW_MS)) == 100
    finally:
        for event, hook in hooks.items():
            ladder.client.meta.events.unregister(event, hook)

    assert len(spent) == 1
    assert spent[0] <= 3


@pytest.mark.parametrize("ladder", ["sqlite", *TABLES], indirect=True)
def test_the_number_of_a_pairs_games_expires(ladder: Ladder) -> None:
    assert play(ladder.ratings, uuid4().hex)

    day = NOW_MS // DAY_MS
    key = pair_key(BOB, ALICE, day)
    item = ladder.client.get_item(TableName=ladder.table, Key=key, ConsistentRead=True)["Item"]
    assert int(item["expires_at"]["N"]) == (day + 1 + PAIR_KEPT_DAYS) * DAY_MS // 1000
