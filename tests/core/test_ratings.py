"""Glicko-2 against Glickman's own example, and what must hold of every game.

What one game did to two ratings is of one game, one speed and two players.
"""

from dataclasses import replace
from math import exp, isfinite, log, pi, sqrt

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from arbiter.core.clocks import Speed
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
    after_games,
    rate,
)
from tests.builders import ALICE, BOB, NOW_MS

YEAR_MS = round(365.25 * 24 * 60 * 60 * 1000)

RATINGS = st.builds(
    Rating,
    value=st.floats(MIN_VALUE, MAX_VALUE),
    deviation=st.floats(MIN_DEVIATION, START_DEVIATION),
    volatility=st.floats(MIN_VOLATILITY, MAX_VOLATILITY),
    rated_at_ms=st.integers(0, NOW_MS),
)
CERTAIN = Rating(deviation=MIN_DEVIATION, volatility=MAX_VOLATILITY, rated_at_ms=NOW_MS)
SCORES = st.sampled_from([0.0, 0.5, 1.0])
WAITS_MS = st.one_of(st.integers(0, 1000), st.integers(0, 50 * YEAR_MS))


def test_glickmans_example_comes_out_as_printed() -> None:
    own = Rating(value=1500, deviation=200, volatility=0.06)
    games = [
        (Rating(value=1400, deviation=30), 1.0),
        (Rating(value=1550, deviation=100), 0.0),
        (Rating(value=1700, deviation=300), 0.0),
    ]

    rated = after_games(own, games, periods=1.0, tau=0.5)

    # The paper rounds every step; without that it is 1464.0507.
    assert rated.value == pytest.approx(1464.06, abs=0.01)
    assert rated.deviation == pytest.approx(151.52, abs=0.005)
    assert rated.volatility == pytest.approx(0.05999, abs=0.00001)


def counted(own: Rating, opponent: Rating) -> float:
    """The part of a game that counts for one's own rating."""
    return min(1.0, (max(own.deviation, 110) / opponent.deviation) ** 2)


def off_step_5(own: Rating, opponent: Rating, score: float, volatility: float) -> float:
    """The distance of this new volatility from solving step 5, in the paper's words; its sign is
    the side.
    """
    mu, mu_j = (own.value - 1500) / 173.7178, (opponent.value - 1500) / 173.7178
    phi, phi_j = own.deviation / 173.7178, opponent.deviation / 173.7178
    g = 1 / sqrt(1 + 3 * phi_j**2 / pi**2)
    e = 1 / (1 + exp(-g * (mu - mu_j)))
    share = counted(own, opponent)
    v = 1 / (share * g**2 * e * (1 - e))
    delta = v * share * g * (score - e)
    x, a = log(volatility**2), log(own.volatility**2)
    top = exp(x) * (delta**2 - phi**2 - v - exp(x))
    return top / (2 * (phi**2 + v + exp(x)) ** 2) - (x - a) / 0.75**2


@given(RATINGS, RATINGS, SCORES)
@example(CERTAIN, replace(CERTAIN, volatility=0.097), 0.5)
@example(CERTAIN, replace(CERTAIN, volatility=MIN_VOLATILITY), 1.0)
def test_the_new_volatility_solves_step_5(white: Rating, black: Rating, score: float) -> None:
    before, now = white.at(NOW_MS), black.at(NOW_MS)
    found = rate(white, black, score, NOW_MS)[0].volatility
    assume(MIN_VOLATILITY < found < MAX_VOLATILITY)

    assert off_step_5(before, now, score, found * 0.999999) > 0
    assert off_step_5(before, now, score, found * 1.000001) < 0


ESTABLISHED = Rating(deviation=60, rated_at_ms=NOW_MS)


def test_a_stranger_counts_for_a_tenth_of_an_opponent_to_an_established_player() -> None:
    won, lost = (
        rate(ESTABLISHED, Rating(), score, NOW_MS)[0].value - ESTABLISHED.value
        for score in (1.0, 0.0)
    )
    equal = rate(ESTABLISHED, ESTABLISHED, 1.0, NOW_MS)[0].value - ESTABLISHED.value

    assert won == pytest.approx(0.68, abs=0.01)
    assert lost == pytest.approx(-won, abs=1e-6)
    assert equal == pytest.approx(9.89, abs=0.01)


def test_a_game_counts_in_full_for_a_provisional_player_and_against_an_established_one() -> None:
    newcomer = Rating(deviation=110, rated_at_ms=NOW_MS)
    known = replace(newcomer, deviation=109.99)

    for own, opponent in ((newcomer, Rating()), (newcomer, known), (known, known)):
        full = after_games(own, [(opponent, 1.0)], periods=0.0)
        phi = own.deviation / 173.7178
        g = 1 / sqrt(1 + 3 * (opponent.deviation / 173.7178 / pi) ** 2)
        gained = 173.7178 * g * 0.5 / (1 / phi**2 + g**2 / 4)
        assert full.value == pytest.approx(1500 + gained, abs=1e-6)
    assert rate(known, Rating(), 1.0, NOW_MS)[0].value < 1503


def test_the_first_game_of_two_strangers() -> None:
    white, black = rate(Rating(), Rating(), 1.0, NOW_MS)

    assert (round(white.value), round(black.value)) == (1662, 1338)
    assert white.deviation == black.deviation == pytest.approx(290.23, abs=0.005)
    assert white.rated_at_ms == black.rated_at_ms == NOW_MS


def test_a_stranger_is_provisional_and_a_regular_player_after_a_year_away() -> None:
    regular = Rating(deviation=60, rated_at_ms=NOW_MS)

    assert Rating().is_provisional(NOW_MS)
    assert replace(regular, deviation=110).is_provisional(NOW_MS)
    assert not replace(regular, deviation=109.99).is_provisional(NOW_MS)
    assert not regular.is_provisional(NOW_MS + YEAR_MS - 7 * 24 * 60 * 60 * 1000)
    assert regular.is_provisional(NOW_MS + YEAR_MS)


def test_one_period_of_waiting_is_step_6_of_the_paper() -> None:
    # A period is 112 hours, and 173.7178 points are one of the paper's.
    waited = Rating(deviation=200, volatility=0.06).at(112 * 3_600_000)

    grown = sqrt((200 / 173.7178) ** 2 + 0.06**2)
    assert waited.deviation == pytest.approx(grown * 173.7178, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("value", 600, 4000), ("deviation", 30, 350), ("volatility", 0.01, 0.1)],
)
def test_what_is_within_the_bounds_can_be_read(name: str, least: float, most: float) -> None:
    for within in (least, most):
        assert getattr(Rating(**{name: within}), name) == within  # type: ignore[arg-type]
    for beyond in (least * 0.9999, most * 1.0001, 0.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="out of bounds"):
            Rating(**{name: beyond})  # type: ignore[arg-type]


@given(RATINGS, RATINGS, SCORES, WAITS_MS)
def test_a_game_makes_both_surer(white: Rating, black: Rating, score: float, wait_ms: int) -> None:
    now_ms = NOW_MS + wait_ms
    both = rate(white, black, score, now_ms)

    assert rate(black, white, 1 - score, now_ms) == both[::-1]
    for was, becomes in zip((white, black), both, strict=True):
        numbers = (becomes.value, becomes.deviation, becomes.volatility)
        assert all(isfinite(it) for it in numbers)
        assert becomes.rated_at_ms == now_ms
        assert becomes.deviation <= was.at(now_ms).deviation


def test_rounding_makes_neither_less_sure_after_a_game_nor_surer_after_a_moment() -> None:
    # 3,400 points apart: what is learnt is less than what rounding loses.
    for tenths in range(300, 3500):
        best = Rating(value=MAX_VALUE, deviation=tenths / 10, rated_at_ms=NOW_MS)
        worst = replace(best, value=MIN_VALUE)
        for rated in rate(best, worst, 1.0, NOW_MS):
            assert rated.deviation <= tenths / 10

        calm = replace(best, volatility=MIN_VOLATILITY)
        assert calm.at(NOW_MS + 1).deviation >= calm.deviation


def test_the_least_wait_is_counted_and_a_clock_that_went_back_is_not() -> None:
    rating = Rating(rated_at_ms=NOW_MS, deviation=60.0)

    assert rating.at(NOW_MS + 1).rated_at_ms == NOW_MS + 1
    assert rating.at(NOW_MS) is rating
    assert rating.at(NOW_MS - 1) is rating


WHITE, BLACK = (Standing(key.pubkey, Speed.BLITZ, games=6) for key in (ALICE, BOB))
WHITE_AFTER, BLACK_AFTER = (replace(it, games=7) for it in (WHITE, BLACK))


def test_a_game_is_rated_at_the_speed_of_both_and_the_first_is_a_strangers() -> None:
    rated = RatedGame(game_id="1", white=(WHITE, WHITE_AFTER), black=(BLACK, BLACK_AFTER))
    first = Standing(ALICE.pubkey, Speed.RAPID)

    assert rated.speed is Speed.BLITZ
    assert (first.rating, first.rating.value, first.games) == (Rating(), 1500, 0)


def test_a_game_beyond_the_limit_of_a_pair_leaves_both_as_they_were() -> None:
    beyond = RATED_GAMES_OF_A_PAIR + 1
    rated = RatedGame(game_id="1", white=(WHITE, WHITE), black=(BLACK, BLACK), of_pair=beyond)

    assert not rated.counted
    with pytest.raises(ValueError, match="a game"):
        replace(rated, white=(WHITE, WHITE_AFTER))
    with pytest.raises(ValueError, match="a game"):
        replace(rated, of_pair=RATED_GAMES_OF_A_PAIR)


RAPID = (replace(BLACK, speed=Speed.RAPID), replace(BLACK_AFTER, speed=Speed.RAPID))


@pytest.mark.parametrize(
    "standings",
    [
        (WHITE, WHITE_AFTER, WHITE, WHITE_AFTER),
        (WHITE, BLACK_AFTER, BLACK, WHITE_AFTER),
        (WHITE, WHITE, BLACK, BLACK_AFTER),
        (WHITE, replace(WHITE, games=8), BLACK, BLACK_AFTER),
        (WHITE, WHITE_AFTER, BLACK, RAPID[1]),
        (WHITE, WHITE_AFTER, *RAPID),
    ],
)
def test_what_no_game_can_do_to_two_ratings_is_refused(standings: tuple[Standing, ...]) -> None:
    one, then, other, after = standings
    with pytest.raises(ValueError, match="a game"):
        RatedGame(game_id="1", white=(one, then), black=(other, after))
