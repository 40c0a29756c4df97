"""Ratings computed again from the rated games, in the order in which they ended, without those that
the operator made void. Those beyond a pair's limit of a day do not count, as before.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from arbiter.core.clocks import Speed
from arbiter.core.ratings import RATED_GAMES_OF_A_PAIR, Standing, standings_after


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A rated game: players, White's score, its end (unix ms), its number that day (0: none)."""

    id: str
    speed: Speed
    white: str
    black: str
    score: float
    ended_at_ms: int
    of_pair: int = 0


Held = tuple[str, Speed]
"""A player and a speed at which they have a rating."""


def rated_anew(
    games: Iterable[PlayedGame], voids: Callable[[str, str], bool]
) -> dict[Held, tuple[Standing, str]]:
    """Each player's standing, and the id of the last game that counts for it (or "")."""
    found: dict[Held, tuple[Standing, str]] = {}
    for game in sorted(games, key=lambda one: (one.ended_at_ms, one.id)):
        sides = (game.white, game.speed), (game.black, game.speed)
        white, black = (found.setdefault(at, (Standing(*at), ""))[0] for at in sides)
        if voids(game.white, game.black) or game.of_pair > RATED_GAMES_OF_A_PAIR:
            continue
        after = standings_after(white, black, game.score, game.ended_at_ms)
        for at, standing in zip(sides, after, strict=True):
            found[at] = (standing, game.id)
    return found
