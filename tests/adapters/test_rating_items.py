"""Ratings as items: what goes in comes out, and what it weighs."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.dynamodb.rating_items import (
    item_of_rated_game,
    item_of_standing,
    rated_game_of_item,
    standing_of_item,
)
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.ratings import (
    MAX_VALUE,
    MAX_VOLATILITY,
    MIN_DEVIATION,
    MIN_VALUE,
    MIN_VOLATILITY,
    RATED_GAMES_OF_A_PAIR,
    START_DEVIATION,
    RatedGame,
    Rating,
    Standing,
)
from tests.adapters.test_items import CAPACITY_UNIT_BYTES, item_size
from tests.builders import NOW_MS

RATINGS = st.builds(
    Rating,
    value=st.floats(MIN_VALUE, MAX_VALUE),
    deviation=st.floats(MIN_DEVIATION, START_DEVIATION),
    volatility=st.floats(MIN_VOLATILITY, MAX_VOLATILITY),
    rated_at_ms=st.integers(0, 2**53),
)
PLAYERS = st.one_of(
    st.binary(min_size=32, max_size=32).map(bytes.hex),
    st.text(st.characters(codec="utf-8"), min_size=1),
)
GAMES = st.integers(0, 10**6)
FULL = Rating(
    value=1234.5678901234567,
    deviation=123.45678901234567,
    volatility=0.07123456789012345,
    rated_at_ms=NOW_MS,
)


NAMES = st.binary(min_size=8, max_size=8)
OPPONENTS = st.none() | st.lists(NAMES, max_size=4).map(tuple)


@given(PLAYERS, st.sampled_from(Speed), RATINGS, GAMES, OPPONENTS)
def test_a_rating_comes_out_as_it_went_in(
    player: str, speed: Speed, rating: Rating, games: int, opponents: tuple[bytes, ...] | None
) -> None:
    standing = Standing(player, speed, rating, games, opponents)

    item = item_of_standing(standing)

    assert standing_of_item(item) == standing
    assert standing_of_item(item).opponents == opponents
    assert ("ladder" in item) == (rating.deviation < 110)


def test_a_rating_of_a_former_release_is_one_of_a_player_who_is_known() -> None:
    item = item_of_standing(Standing("a1" * 32, Speed.BLITZ, FULL, 7, (b"8 octets",)))
    del item["op"]

    assert standing_of_item(item).opponents is None
    assert Standing("b2" * 32, Speed.BLITZ).share_against(standing_of_item(item)) == 1.0


@given(
    st.lists(PLAYERS, min_size=2, max_size=2, unique=True),
    st.sampled_from(Speed),
    st.integers(0, 2 * RATED_GAMES_OF_A_PAIR),
    st.data(),
)
def test_a_rated_game_comes_out_as_it_went_in(
    players: list[str], speed: Speed, of_pair: int, data: st.DataObject
) -> None:
    changes = []
    for player in players:
        games = data.draw(GAMES)
        before = Standing(player, speed, data.draw(RATINGS), games)
        after = Standing(player, speed, data.draw(RATINGS), games + 1)
        changes.append((before, after if of_pair <= RATED_GAMES_OF_A_PAIR else before))
    day = NOW_MS // DAY_MS if of_pair else 0
    rated = RatedGame(
        game_id="ab" * 16, white=changes[0], black=changes[1], of_pair=of_pair, day=day
    )

    assert rated_game_of_item(item_of_rated_game(rated)) == rated


def test_a_rating_and_a_rated_game_cost_one_unit_each() -> None:
    before = [Standing(name * 32, Speed.CORRESPONDENCE, FULL, 99_999) for name in ("a1", "b2")]
    after = [Standing(it.player, it.speed, FULL, 100_000) for it in before]
    rated = RatedGame(game_id="ab" * 16, white=(before[0], after[0]), black=(before[1], after[1]))

    met = replace(after[0], opponents=4 * (b"8 octets",))
    assert item_size(item_of_standing(met)) < 200
    assert item_size(item_of_rated_game(rated)) < CAPACITY_UNIT_BYTES / 2


def test_a_rated_game_of_the_days_before_the_players_indexes_is_read() -> None:
    before = [Standing(name * 32, Speed.BLITZ, FULL, 1) for name in ("a1", "b2")]
    after = [Standing(it.player, it.speed, FULL, 2) for it in before]
    rated = RatedGame(game_id="ab" * 16, white=(before[0], after[0]), black=(before[1], after[1]))
    item = item_of_rated_game(rated)
    old = {{"sp": "c", "wh": "w", "bl": "b"}.get(name, name): it for name, it in item.items()}

    assert rated_game_of_item(old) == rated
