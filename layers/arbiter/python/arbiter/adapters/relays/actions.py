"""What a conversation wants done: to its connection, and with what came over it."""

from dataclasses import dataclass

from arbiter.adapters.relays.trouble import RelayFailure
from arbiter.nostr.event import NostrEvent
from arbiter.nostr.filters import Filter


@dataclass(frozen=True, slots=True)
class Send:
    """Send this text."""

    text: str


@dataclass(frozen=True, slots=True)
class Ping:
    """Send a websocket ping."""


@dataclass(frozen=True, slots=True)
class EventReceived:
    """An event for our subscription: look at it. ``wanted`` is what was asked for."""

    event: NostrEvent
    wanted: Filter


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Drop the connection."""

    trouble: RelayFailure


Action = Send | Ping | EventReceived | Disconnect
