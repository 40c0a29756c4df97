"""A player on relays, and one of Scuttlebutt to play against him."""

from arbiter.nostr.keys import SecretKey
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.builders import BOB, SERVER, an_event


class NativePlayer:
    """As `SocketPlayer`, on relays."""

    def __init__(self, world: World, key: SecretKey) -> None:
        self.world, self.key, self.pubkey = world, key, key.pubkey

    def connect(self) -> object:
        self.world.clock.ms += 1000
        return self.world.ask(self.key)

    def say(self, text: str) -> object:
        self.world.clock.ms += 1000
        game_id = self.world.lobby.player(self.key.pubkey).game_id or ""
        tags = (("d", game_id), ("p", SERVER.pubkey))
        return self.world.hear(an_event(self.key, 20303, text, tags, self.world.clock.ms // 1000))

    def move(self, uci: str) -> object:
        return self.say(uci)

    def offer(self) -> object:
        return self.say("draw")

    def resign(self) -> object:
        return self.say("resign")


def against_native(color: str = "white") -> tuple[World, SsbPlayer, NativePlayer]:
    """A player of Scuttlebutt who invited us as this colour, and Bob on relays."""
    world = World()
    sue, bob = SsbPlayer(world, "sue"), NativePlayer(world, BOB)
    sue.invite(color)
    bob.connect()
    return world, sue, bob
