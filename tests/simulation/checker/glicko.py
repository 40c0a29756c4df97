"""Glicko-2 for one game, a second time: from Glickman's paper, with the root found by halving.

The bounds are PROTOCOL.md's and those that the stored numbers have. A player's deviation first
grows by the time since his last game, in periods of 112 hours.
"""

from math import exp, log, pi, sqrt

from tests.simulation.checker.items import Rating

SCALE = 173.7178
TAU = 0.75
PERIOD_MS = 112 * 3_600_000
HALVINGS = 200
PROVISIONAL = 110.0

LEAST_VALUE, MOST_VALUE = 600.0, 4000.0
LEAST_DEVIATION, MOST_DEVIATION = 30.0, 350.0
LEAST_VOLATILITY, MOST_VOLATILITY = 0.01, 0.1


OTHERS_MET = 3
"""PROTOCOL.md: against an opponent who has met so many others a game counts in full."""

_FIRST = 0.125


def counted(games: int, others: int | None) -> float:
    """How much of a game counts for a player of so many games, whose opponent has met so many
    others; None for one of whom that was never noted.
    """
    if others is None:
        return 1.0
    return min(others / OTHERS_MET, 1.0) if others else _FIRST / (games + 1) ** 2


def rated(own: Rating, other: Rating, score: float, at_ms: int, share: float = 1.0) -> Rating:
    """A rating after one game against the other as he was before it."""
    own, other = _waited(own, at_ms), _waited(other, at_ms)
    mu, phi = (own.value - 1500) / SCALE, own.deviation / SCALE
    mu_other, phi_other = (other.value - 1500) / SCALE, other.deviation / SCALE
    g = 1 / sqrt(1 + 3 * phi_other**2 / pi**2)
    expected = 1 / (1 + exp(-g * (mu - mu_other)))
    counts = share * min(1.0, (max(own.deviation, PROVISIONAL) / other.deviation) ** 2)
    v = 1 / (counts * g**2 * expected * (1 - expected))
    delta = v * counts * g * (score - expected)
    sigma = _volatility(own.volatility, phi, v, delta)
    phi_new = 1 / sqrt(1 / phi**2 + 1 / v)
    mu_new = mu + phi_new**2 * counts * g * (score - expected)
    return Rating(
        value=_within(1500 + SCALE * mu_new, LEAST_VALUE, MOST_VALUE),
        deviation=_within(SCALE * phi_new, LEAST_DEVIATION, MOST_DEVIATION),
        volatility=_within(sigma, LEAST_VOLATILITY, MOST_VOLATILITY),
        at_ms=own.at_ms,
    )


def _waited(rating: Rating, at_ms: int) -> Rating:
    if at_ms <= rating.at_ms:
        return rating
    periods = (at_ms - rating.at_ms) / PERIOD_MS
    grown = SCALE * sqrt((rating.deviation / SCALE) ** 2 + periods * rating.volatility**2)
    return Rating(
        value=rating.value,
        deviation=min(grown, MOST_DEVIATION),
        volatility=rating.volatility,
        at_ms=at_ms,
    )


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """The root of the paper's f, which falls as x rises."""
    a = log(sigma**2)

    def f(x: float) -> float:
        grown = exp(x)
        pull = grown * (delta**2 - phi**2 - v - grown) / (2 * (phi**2 + v + grown) ** 2)
        return pull - (x - a) / TAU**2

    low, high = a - 20, a + 20
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return exp((low + high) / 4)


def _within(number: float, least: float, most: float) -> float:
    return min(max(number, least), most)
