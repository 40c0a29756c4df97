"""Who stands where at which speed, and what one game did to it."""

from dataclasses import dataclass

from arbiter.core.rating import Rating
from arbiter.core.timing import Speed

RATED_GAMES_OF_A_PAIR = 10
"""How many games of the same two players count for the ratings on one day (UTC), at all speeds
together. Two keys of one person could else make a rating in half an hour; see
docs/decisions/0011-ratings-and-leaderboards.md.
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's rating at one speed. ``games`` counts those that made it, and every change is one
    more: it is the version as well.
    """

    player: str
    speed: Speed
    rating: Rating = Rating()  # noqa: RUF009 - a frozen value
    games: int = 0


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
