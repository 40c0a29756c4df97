"""Who stands where at which speed, and what one game did to it."""

from dataclasses import dataclass

from arbiter.core.rating import Rating
from arbiter.core.timing import Speed


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
    """What one game did to two ratings: each before and after. ValueError unless they are of two
    players at one speed, and each one game apart.
    """

    game_id: str
    white: tuple[Standing, Standing]
    black: tuple[Standing, Standing]

    def __post_init__(self) -> None:
        if self.white[0].player == self.black[0].player:
            raise ValueError("a game is rated for two players")
        for before, after in (self.white, self.black):
            was = (before.player, self.speed, before.games + 1)
            if before.speed != self.speed or (after.player, after.speed, after.games) != was:
                raise ValueError("a game takes one rating from one version to the next")

    @property
    def speed(self) -> Speed:
        """The speed at which both are rated."""
        return self.white[0].speed
