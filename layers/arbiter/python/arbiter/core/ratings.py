"""Glicko-2, one game at a time. After Glickman, "Example of the Glicko-2 system" (2013); the steps
named below are his.

The law: both players are rated from what they were before the game, and a game makes nobody less
certain than he was. Uncertainty grows by waiting alone. So the periods of the paper are not rounds
of fixed length here: what passed since a player's last game is counted, in fractions of
``PERIOD_MS``, before the game is; and the game itself takes no time.

A ``Rating`` is always finite and within bounds, which is what keeps the arithmetic away from
overflow and from NaN.

Who stands where at which speed, and what one game did to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import exp, log, pi, sqrt

from arbiter.core.clocks import Speed
from arbiter.core.early_ends import short_name

START_VALUE = 1500.0
MIN_VALUE = 600.0
MAX_VALUE = 4000.0
"""More than anybody's; an expectation over this range is still told apart from certainty."""

START_DEVIATION = 350.0
MIN_DEVIATION = 30.0
"""A rating that is too certain would follow its player too slowly."""

PROVISIONAL_DEVIATION = 110.0
"""From this deviation on a rating says too little of its player: it is not ranked, and a game
against it counts in part for a player whose own rating says more.
"""

START_VOLATILITY = 0.06
MIN_VOLATILITY = 0.01
MAX_VOLATILITY = 0.1

TAU = 0.75
"""How readily volatility changes: Glickman asks for 0.3 to 1.2."""

PERIOD_MS = 112 * 60 * 60 * 1000
"""Four days and two thirds: so long that a deviation of 60, which regular players have, becomes
provisional within a year of not playing."""

_SCALE = 173.7178
"""Points of the usual scale for one of Glicko-2's own."""

_PRECISION = 1e-6
_MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """How strong a player is at one speed, and how sure that is. A new one is a stranger's.

    ``value`` and ``deviation`` are points, ``rated_at_ms`` unix milliseconds: when the deviation
    was this small. ValueError for what is out of bounds or not finite.
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
        """The same rating when it was not played for until then: less sure. A clock that went back
        changes nothing.
        """
        waited_ms = now_ms - self.rated_at_ms
        if waited_ms <= 0:
            return self
        phi, periods = self.deviation / _SCALE, waited_ms / PERIOD_MS
        grown = _SCALE * sqrt(phi**2 + periods * self.volatility**2)
        return replace(self, deviation=min(grown, START_DEVIATION), rated_at_ms=now_ms)

    def is_provisional(self, now_ms: int) -> bool:
        """Whether too little is known of the player, by then, to rank him."""
        return self.at(now_ms).deviation >= PROVISIONAL_DEVIATION


def rate(
    white: Rating,
    black: Rating,
    score: float,
    now_ms: int,
    shares: tuple[float, float] = (1.0, 1.0),
) -> tuple[Rating, Rating]:
    """Both ratings after a game that ended at ``now_ms``; ``score`` is White's: 1, 0.5 or 0.
    ``shares`` is how much of the game counts for White and for Black, whatever their deviations.
    """
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
    """The rating after these games, at least one, that all count at once: the opponent as he was
    before them, and the score against him. ``periods`` is how long they took,
    and ``share`` how much of a game each counts for.
    """
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
    """How much of a game counts: all of it between players alike and against an established one.
    An opponent of whom less is known than of the player is a fraction of one: keys are free, and
    each begins at 1500 whatever it is worth.
    """
    known = max(own.deviation, PROVISIONAL_DEVIATION)
    return min(1.0, (known / opponent.deviation) ** 2)


def _new_volatility(own: Rating, v: float, delta: float, tau: float) -> float:
    """Step 5, by the Illinois algorithm. Should it not converge, the volatility stays: it is the
    least of the three numbers, and the next game tries again.
    """
    phi_squared = (own.deviation / _SCALE) ** 2
    spread, start = phi_squared + v, log(own.volatility**2)

    def f(x: float) -> float:
        growth = exp(x)
        pull = growth * (delta**2 - spread - growth) / (2 * (spread + growth) ** 2)
        return pull - (x - start) / tau**2

    # The other bound must be across the root. Where the paper steps down by tau until it is, one
    # step does: f(start - tau) > 1 / tau - 1 / 2, and tau is below 2.
    across = log(delta**2 - spread) if delta**2 > spread else start - tau
    near, far = start, across
    f_near, f_far = f(near), f(far)
    for _ in range(_MOST_ROUNDS):
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
"""How many games of the same two players count for the ratings on one day (UTC), at all speeds
together. Two keys of one person could else make a rating in half an hour; see
docs/decisions/0011-ratings-and-leaderboards.md.
"""

OTHERS_MET = 3
"""A game counts in full against an opponent who has met so many others. Keys are free: one that
has met nobody else says nothing of the player who beats it.
"""

FIRST_SHARE = 1 / 8
"""How much of a first game counts against an opponent who has met nobody else: each further game
counts for less, so that all of them together, however many keys lose, come to a fifth of a game.
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's rating at one speed. ``games`` counts those that made it, and every change is one
    more: it is the version as well.

    ``opponents`` are the short names of the first four whom the player met; None where a former
    release rated without a note of them, and then the player counts as known. What a game did to a
    rating is the same whoever was met before, so they make no difference to equality.
    """

    player: str
    speed: Speed
    rating: Rating = Rating()
    games: int = 0
    opponents: tuple[bytes, ...] | None = field(default=(), compare=False)

    def share_against(self, opponent: "Standing") -> float:
        """How much of a game counts for this player, by how many others the opponent has met."""
        if opponent.opponents is None:
            return 1.0
        others = [name for name in opponent.opponents if name != short_name(self.player)]
        if not others:
            return FIRST_SHARE / (self.games + 1) ** 2
        return min(1.0, len(others) / OTHERS_MET)

    def after(self, opponent: "Standing", rating: Rating) -> "Standing":
        """The standing one game later, with this rating."""
        met = self.opponents
        name = short_name(opponent.player)
        if met is not None and name not in met:
            met = (*met, name)[: OTHERS_MET + 1]
        return replace(self, rating=rating, games=self.games + 1, opponents=met)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedGame:
    """What one game did to two ratings: each before and after. ``of_pair`` says that it was the
    first, second, ... rated game of these two that ended on ``day`` (since the epoch, UTC); 0 where
    that is not known. ValueError unless they are of two players at one speed, and each one game
    apart, or both as they were.
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
        """Whether it moved the ratings."""
        return self.of_pair <= RATED_GAMES_OF_A_PAIR

    @property
    def speed(self) -> Speed:
        """The speed at which both are rated."""
        return self.white[0].speed
