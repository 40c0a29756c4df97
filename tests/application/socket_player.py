"""A client of the NIP-100 draft on a socket of the gateway, and short ways to read what it
hears.
"""

from typing import Any

from arbiter.application.connections import Connection
from arbiter.nostr.event import ParseError, VerifiedEvent, event_from_json, verify
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import an_event

ACCEPTED = ("OK", True, "")


class SocketPlayer:
    """A player on their own socket, whose clock is fast by so many seconds. Each event that they
    ``send`` is dated a second after the last.
    """

    def __init__(self, world: World, key: SecretKey, socket: str, fast_seconds: int = 0) -> None:
        self.world, self.key, self.pubkey, self.socket = world, key, key.pubkey, socket
        self.fast_seconds = fast_seconds
        opened = Connection(
            id=socket, address="203.0.113.7", challenge="", opened_at_ms=world.clock.ms
        )
        world.connections.add(opened, world.clock.ms)

    def event(self, kind: int, content: str, *tags: tuple[str, ...]) -> VerifiedEvent:
        """Sign this a second later."""
        self.world.clock.ms += 1000
        at = self.world.clock.ms // 1000 + self.fast_seconds
        return an_event(self.key, kind, content, tags, at)

    def send(self, kind: int, content: str, *tags: tuple[str, ...]) -> list[tuple[Any, ...]]:
        """Say this; what is heard on the socket then."""
        return self.pass_on(self.event(kind, content, *tags))

    def pass_on(self, event: VerifiedEvent) -> list[tuple[Any, ...]]:
        """Send this event, by any author and of any date; what is heard on the socket then."""
        self.world.hear(event, self.socket)
        return self.heard()

    def heard(self) -> list[tuple[Any, ...]]:
        """Messages since the last call: ("OK", accepted, text) and ("EVENT", label, content)."""
        return [brief(message) for message in self.world.sockets.heard(self.socket)]

    def connect(self, *tags: tuple[str, ...]) -> list[tuple[Any, ...]]:
        return self.send(5000, "connect", *tags)

    def move(self, uci: str) -> list[tuple[Any, ...]]:
        return self.send(5001, uci)

    def offer(self) -> list[tuple[Any, ...]]:
        return self.send(5002, "offer")

    def resign(self) -> list[tuple[Any, ...]]:
        return self.send(5003, "resign")


def brief(message: list[Any]) -> tuple[Any, ...]:
    """A message without its ids; an event in it must be genuine."""
    match message:
        case ["OK", str(), bool(accepted), str(text)]:
            return ("OK", accepted, text)
        case ["EVENT", int(label), dict(event)]:
            return ("EVENT", label, genuine(event).content)
        case _:
            raise AssertionError(message)


def genuine(value: object) -> VerifiedEvent:
    """The event in this JSON, if its signature holds."""
    event = event_from_json(value)
    assert not isinstance(event, ParseError), event
    verified = verify(event)
    assert not isinstance(verified, ParseError), verified
    return verified
