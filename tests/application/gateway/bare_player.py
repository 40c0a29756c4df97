"""A client of the NIP-100 draft as it is written, at the gateway: no event of theirs has a tag, and
they know no AUTH.
"""

from typing import Any

from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.gateway.relay_world import RelayWorld
from tests.application.socket_player import brief
from tests.builders import an_event


class BarePlayer:
    """One player on one socket; each event is dated a second after the last."""

    def __init__(self, relay: RelayWorld, key: SecretKey) -> None:
        self.relay, self.key, self.pubkey = relay, key, key.pubkey
        self.socket = key.pubkey[:8]
        relay.open(self.socket)

    def event(self, kind: int, content: str) -> VerifiedEvent:
        """Sign this a second later."""
        self.relay.world.clock.ms += 1000
        return an_event(self.key, kind, content, (), self.relay.world.clock.ms // 1000)

    def send(self, event: VerifiedEvent) -> list[tuple[Any, ...]]:
        """Send this event, by any author; what is heard on the socket from then on."""
        self.relay.sockets.heard(self.socket)
        told = self.relay.publish(event, on=self.socket)
        self.relay.arbitrate()
        return [brief(message) for message in (*told, *self.relay.sockets.heard(self.socket))]

    def connect(self) -> list[tuple[Any, ...]]:
        return self.send(self.event(5000, "connect"))

    def cancel(self) -> list[tuple[Any, ...]]:
        return self.send(self.event(5000, "cancelsearch"))

    def move(self, uci: str) -> list[tuple[Any, ...]]:
        return self.send(self.event(5001, uci))

    def offer(self) -> list[tuple[Any, ...]]:
        return self.send(self.event(5002, "offer"))

    def resign(self) -> list[tuple[Any, ...]]:
        return self.send(self.event(5003, "resign"))
