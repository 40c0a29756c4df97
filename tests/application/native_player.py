"""A player of the native dialect, on relays."""

from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import SERVER, an_event


class NativePlayer:
    """As `SocketPlayer`, on relays."""

    def __init__(self, world: World, key: SecretKey) -> None:
        self.world, self.key, self.pubkey = world, key, key.pubkey

    def connect(self) -> object:
        self.world.clock.ms += 1000
        return self.world.ask(self.key)

    def move(self, uci: str) -> object:
        self.world.clock.ms += 1000
        game_id = self.world.lobby.player(self.key.pubkey).game_id or ""
        tags = (("d", game_id), ("p", SERVER.pubkey))
        return self.world.hear(an_event(self.key, 20303, uci, tags, self.world.clock.ms // 1000))

    def offer(self) -> object:
        return self.move("draw")

    def resign(self) -> object:
        return self.move("resign")
