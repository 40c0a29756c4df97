"""How often a player acts: every few seconds while he is there, and not before he has thought."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tests.simulation.world import World


class Paced(Protocol):
    """Who acts, unless he is away."""

    world: "World"
    is_away: bool

    def act(self) -> None:
        """Do what there is to do now, if anything."""


class Pace:
    """One player's."""

    def __init__(self, player: Paced) -> None:
        self._player = player
        self._acts_at = 0.0

    def keep(self) -> None:
        """Let him act now, and every few seconds until he is away."""
        world = self._player.world
        if self._player.is_away:
            return
        world.scheduler.after(2.0 + world.chance.random() * 2.0, self.keep)
        self._act()

    def think(self) -> None:
        """Let him act when he has thought, and not before."""
        world = self._player.world
        seconds = world.chance.random() * world.settings.thinks_seconds
        self._acts_at = world.scheduler.now + seconds
        world.scheduler.after(seconds, self._act)

    def _act(self) -> None:
        player = self._player
        if not player.is_away and player.world.scheduler.now >= self._acts_at:
            player.act()
