"""A stranger on Scuttlebutt who reads logs and writes into games that others play.

He owns a feed of his own, can name any root, and repeat what he read; he cannot write into another
log.
"""

from typing import TYPE_CHECKING, Any

from arbiter.nostr.keys import placeholder_key
from tests.simulation.feeds import Message, Reader, named
from tests.simulation.strangers import Stranger

if TYPE_CHECKING:
    from tests.simulation.world import World


class Bystander:
    """One feed that plays nowhere."""

    def __init__(self, world: "World", victims: list[str]) -> None:
        self.stranger = Stranger(world, "bystander", 0, ())
        self.stranger.dialect = "ssb"
        self._world = world
        self._feed = named("@", self.stranger.name, world.settings.seed)
        self.stranger.pubkeys = tuple(
            placeholder_key(one, "ssb", self._feed) for one in world.servers
        )
        reader = Reader(self.stranger.name, self._hear)
        world.bridges.read(self._feed)
        for victim in victims:
            world.feeds.follow(reader, victim)

    def _hear(self, message: Message) -> None:
        name = self.stranger.name
        if self.stranger.is_away or not self._world.faults.strikes("bystander", name):
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
        self._world.feeds.write(name, self._feed, chance.choice(said))
