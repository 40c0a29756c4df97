"""A stranger on Scuttlebutt who reads logs and writes into games that others play.

He owns a feed of his own, can name any root, and repeat what he read; he cannot write into another
log.
"""

from typing import TYPE_CHECKING, Any

from arbiter.nostr.stand_in import stand_in
from tests.simulation.feeds import Message, Reader, named
from tests.simulation.history import Actor, Belief

if TYPE_CHECKING:
    from tests.simulation.world import World


class Bystander:
    """One feed that plays nowhere."""

    def __init__(self, world: "World", victims: list[str]) -> None:
        self.name = "bystander"
        self.is_away = False
        self._world = world
        self._feed = named("@", self.name, world.settings.seed)
        self._victims = victims
        reader = Reader(self.name, self._hear)
        world.bridges.read(self._feed)
        for victim in victims:
            world.feeds.follow(reader, victim)

    def actor(self) -> Actor:
        """Nobody is owed anything here."""
        pubkeys = tuple(stand_in(server, "ssb", self._feed) for server in self._world.servers)
        return Actor(name=self.name, pubkeys=pubkeys, dialect="ssb", is_honest=False)

    def beliefs(self) -> tuple[Belief, ...]:
        """Nothing that matters."""
        return ()

    def start(self) -> None:
        """He reads as it is."""

    def finish(self) -> None:
        """Write nothing more."""
        self.is_away = True

    def go_away(self) -> None:
        """He stays: only players go."""

    def come_back(self) -> None:
        """He was there all the time."""

    def is_content(self) -> bool:
        """Always: he waits for nothing."""
        return True

    def _hear(self, message: Message) -> None:
        if self.is_away or not self._world.faults.strikes("bystander", self.name):
            return
        content = message.content
        is_invite = content["type"] == "chess_invite"
        root = message.key if is_invite else content.get("root")
        if root is None:
            return
        chance = self._world.chance
        said: list[dict[str, Any]] = [
            {**content, "root": root},
            {"type": "chess_game_end", "root": root, "status": "resigned"},
            {"type": "chess_game_end", "root": root, "status": "draw"},
            {"type": "chess_move", "root": root, "orig": "e2", "dest": "e4", "ply": 1},
            {"type": "chess_invite_accept", "root": root},
            {"type": "chess_move", "root": root, "orig": ["e2"], "dest": {}, "ply": -1},
            {"type": "chess_invite", "inviting": self._feed, "myColor": "white"},
            {"type": ["chess_move"], "root": root},
        ]
        self._world.feeds.write(self.name, self._feed, chance.choice(said))
