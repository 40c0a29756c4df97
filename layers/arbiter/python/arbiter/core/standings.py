"""Who stands where at which speed, and what one game did to it."""

from dataclasses import dataclass, field, replace

from arbiter.core.early_ends import short_name
from arbiter.core.rating import Rating
from arbiter.core.timing import Speed

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
    rating: Rating = Rating()  # noqa: RUF009 - a frozen value
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
