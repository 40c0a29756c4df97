"""Glicko-2 ratings, one game at a time, after Glickman, "Example of the Glicko-2 system" (2013).

Invariant: both are rated from their ratings before the game, which increases no deviation. Only
time does, in fractions of ``PERIOD_MS``. A ``Rating`` is finite and within bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import exp, log, pi, sqrt

from arbiter.core.clocks import Speed
from arbiter.core.early_ends import short_name

START_VALUE = 1500.0
MIN_VALUE = 600.0
MAX_VALUE = 4000.0
"""Above any real rating; expected scores over this range still differ from certainty."""

START_DEVIATION = 350.0
MIN_DEVIATION = 30.0
"""A lower deviation would let the rating follow its player too slowly."""

PROVISIONAL_DEVIATION = 110.0
"""From here a rating is not ranked, and a game against it counts in part."""

START_VOLATILITY = 0.06
MIN_VOLATILITY = 0.01
MAX_VOLATILITY = 0.1

TAU = 0.75
"""Rate of change of volatility: Glickman recommends 0.3 to 1.2."""

PERIOD_MS = 112 * 60 * 60 * 1000
"""A deviation of 60 becomes provisional within a year without games."""

_SCALE = 173.7178
"""Rating points for one unit of Glicko-2's own scale."""

_PRECISION = 1e-6
_MAX_ROUNDS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A player's strength at one speed, in points, its deviation as of ``rated_at_ms`` (unix); the
    defaults are a new player's. Raises ValueError out of bounds.
    """

    value: float = START_VALUE
    deviation: float = START_DEVIATION
    volatility: float = START_VOLATILITY
    rated_at_ms: int = 0

    def __post_init__(self) -> None:
        # NaN fails every comparison.
        if not (
            MIN_VALUE <= self.value <= MAX_VALUE
            and MIN_DEVIATION <= self.deviation <= START_DEVIATION
            and MIN_VOLATILITY <= self.volatility <= MAX_VOLATILITY
        ):
            raise ValueError("a rating is out of bounds")

    def at(self, now_ms: int) -> "Rating":
        """The rating at a later time, its deviation grown. An earlier time changes nothing."""
        waited_ms = now_ms - self.rated_at_ms
        if waited_ms <= 0:
            return self
        phi, periods = self.deviation / _SCALE, waited_ms / PERIOD_MS
        grown = _SCALE * sqrt(phi**2 + periods * self.volatility**2)
        return replace(self, deviation=min(grown, START_DEVIATION), rated_at_ms=now_ms)

    def is_provisional(self, now_ms: int) -> bool:
        return self.at(now_ms).deviation >= PROVISIONAL_DEVIATION


def rate(
    white: Rating,
    black: Rating,
    score: float,
    now_ms: int,
    shares: tuple[float, float] = (1.0, 1.0),
) -> tuple[Rating, Rating]:
    """Both ratings after a game at ``now_ms``, ``score`` White's; ``shares`` is how much counts."""
    white, black = white.at(now_ms), black.at(now_ms)
    for_white, for_black = shares[0] * _share(white, black), shares[1] * _share(black, white)
    return (
        after_games(white, [(black, score)], periods=0.0, share=for_white),
        after_games(black, [(white, 1 - score)], periods=0.0, share=for_black),
    )


def after_games(
    own: Rating,
    games: Sequence[tuple[Rating, float]],
    *,
    periods: float,
    tau: float = TAU,
    share: float = 1.0,
) -> Rating:
    """The rating after these games at once, in so many ``periods``, each a ``share``."""
    information = surprise = 0.0
    for opponent, score in games:
        weight = 1 / sqrt(1 + 3 * (opponent.deviation / _SCALE / pi) ** 2)
        expected = 1 / (1 + exp(-weight * (own.value - opponent.value) / _SCALE))
        information += share * weight**2 * expected * (1 - expected)  # step 3: v is its reciprocal
        surprise += share * weight * (score - expected)  # step 4: delta is v times this
    phi = own.deviation / _SCALE
    volatility = _new_volatility(own, 1 / information, surprise / information, tau)
    before = phi**2 + periods * volatility**2  # step 6
    variance = 1 / (1 / before + information)  # step 7
    return replace(
        own,
        value=_within(own.value + _SCALE * variance * surprise, MIN_VALUE, MAX_VALUE),
        deviation=_within(_SCALE * sqrt(variance), MIN_DEVIATION, START_DEVIATION),
        volatility=_within(volatility, MIN_VOLATILITY, MAX_VOLATILITY),
    )


def _share(own: Rating, opponent: Rating) -> float:
    """The part of a game that counts, less against an unknown opponent, for keys are free."""
    known = max(own.deviation, PROVISIONAL_DEVIATION)
    return min(1.0, (known / opponent.deviation) ** 2)


def _new_volatility(own: Rating, v: float, delta: float, tau: float) -> float:
    """Step 5, by the Illinois algorithm; as it was if that does not converge."""
    phi_squared = (own.deviation / _SCALE) ** 2
    spread, start = phi_squared + v, log(own.volatility**2)

    def f(x: float) -> float:
        growth = exp(x)
        pull = growth * (delta**2 - spread - growth) / (2 * (spread + growth) ** 2)
        return pull - (x - start) / tau**2

    # The other bound must lie beyond the root. The paper steps down by tau until it does; one step
    # is enough, for f(start - tau) > 1 / tau - 1 / 2, and tau is below 2.
    across = log(delta**2 - spread) if delta**2 > spread else start - tau
    near, far = start, across
    f_near, f_far = f(near), f(far)
    for _ in range(_MAX_ROUNDS):
        if abs(far - near) <= _PRECISION:
            return exp(near / 2)
        middle = near + (near - far) * f_near / (f_far - f_near)
        f_middle = f(middle)
        if f_middle * f_far <= 0:
            near, f_near = far, f_far
        else:
            f_near /= 2
        far, f_far = middle, f_middle
    return own.volatility


def _within(number: float, least: float, most: float) -> float:
    return min(max(number, least), most)


RATED_GAMES_OF_A_PAIR = 10
"""Games of the same two players that count for the ratings on one day (UTC), at all speeds
together: two keys of one person could otherwise build a rating in half an hour. See
docs/decisions/0011-ratings-and-leaderboards.md.
"""

OTHERS_MET = 3
"""A game counts in full against who has met so many others, for keys are free."""

FIRST_SHARE = 1 / 8
"""The part of a first game that counts against who met no others; in all a fifth of one."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's rating at one speed. ``games`` counts rated ones, and is the item's version.
    ``opponents`` are short names of the first four (None: earlier releases'), not part of equality.
    """

    player: str
    speed: Speed
    rating: Rating = Rating()
    games: int = 0
    opponents: tuple[bytes, ...] | None = field(default=(), compare=False)

    def share_against(self, opponent: "Standing") -> float:
        """The part of a game that counts, by the number of others that the opponent met."""
        if opponent.opponents is None:
            return 1.0
        others = [name for name in opponent.opponents if name != short_name(self.player)]
        if not others:
            return FIRST_SHARE / (self.games + 1) ** 2
        return min(1.0, len(others) / OTHERS_MET)

    def after(self, opponent: "Standing", rating: Rating) -> "Standing":
        met = self.opponents
        name = short_name(opponent.player)
        if met is not None and name not in met:
            met = (*met, name)[: OTHERS_MET + 1]
        return replace(self, rating=rating, games=self.games + 1, opponents=met)


def standings_after(
    white: Standing, black: Standing, score: float, ended_at_ms: int
) -> tuple[Standing, Standing]:
    shares = white.share_against(black), black.share_against(white)
    ends = rate(white.rating, black.rating, score, ended_at_ms, shares)
    return white.after(black, ends[0]), black.after(white, ends[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedGame:
    """Two standings before and after one game, ``of_pair`` from 1 on ``day`` (since the epoch); 0:
    unknown. Raises ValueError for other than two players one game apart.
    """

    game_id: str
    white: tuple[Standing, Standing]
    black: tuple[Standing, Standing]
    of_pair: int = 0
    day: int = 0

    def __post_init__(self) -> None:
        if self.white[0].player == self.black[0].player:
            raise ValueError("a game is rated for two players")
        for before, after in (self.white, self.black):
            was = (before.player, self.speed, before.games + int(self.counted))
            if before.speed != self.speed or (after.player, after.speed, after.games) != was:
                raise ValueError("a game takes one rating from one version to the next")

    @property
    def counted(self) -> bool:
        return self.of_pair <= RATED_GAMES_OF_A_PAIR

    @property
    def speed(self) -> Speed:
        return self.white[0].speed
