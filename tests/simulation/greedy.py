"""A seated player who asks for another game while he plays one, on the terms of the first.

He plays on honestly: the arbiter shows him the game that he has.
"""

from typing import TYPE_CHECKING

from tests.simulation.keyring import Tags
from tests.simulation.native_voice import REQUEST
from tests.simulation.natives import NativePlayer

if TYPE_CHECKING:
    from tests.simulation.world import World


class Greedy:
    """The greed of one player."""

    def __init__(self, world: "World", player: NativePlayer) -> None:
        self._world = world
        self._player = player

    def start(self) -> None:
        """Begin to want more."""
        self._world.soon(2.0 + self._world.chance.random() * 12.0, self._ask)

    def _ask(self) -> None:
        player, world = self._player, self._world
        if world.faults.is_healed:
            return
        self.start()
        seen = player.games.get(player.game or "")
        if seen is None or seen.is_over or player.is_away:
            return
        tags: Tags = (("p", world.server.pubkey),)
        if player.plan.time:
            tags += (("time", player.plan.time), ("mode", "rated"))
        player.say_again(player.hand.sign(REQUEST, "", tags))
        world.faults.note("greed", player.name)
