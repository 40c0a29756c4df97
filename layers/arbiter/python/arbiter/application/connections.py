"""The ports to our gateway's sockets, and the one way to write to a socket."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import Protocol

from arbiter.nostr.filters import Filter

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One open socket, between two frames. ``address`` is an IP address or its network;
    ``challenge`` is NIP-42's; ``pubkeys`` are proved, ``authors`` of events it brought; ``frames``
    of these ten seconds, this one too; ``subscriptions`` ids.
    """

    id: str
    address: str
    challenge: str
    opened_at_ms: int
    pubkeys: frozenset[str] = frozenset()
    frames: int = 0
    subscriptions: frozenset[str] = frozenset()
    authors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A subscription that may want an event; equality ignores ``filed_at`` and ``address``."""

    connection_id: str
    subscription_id: str
    filters: tuple[Filter, ...]
    filed_at: int = field(default=0, compare=False)
    address: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class TopicSubscribers:
    """A topic's subscribers. If ``has_more``, `overflow_subscribers` has the rest."""

    subscribers: tuple[Subscriber, ...]
    has_more: bool = False


class Connections(Protocol):
    """The open sockets and their subscriptions; reads are strongly consistent unless said."""

    def add(self, connection: Connection, now_ms: int) -> None:
        """Remember a new socket, for as long as API Gateway lets one live."""
        ...

    def count_frame(self, connection_id: str, now_ms: int) -> Connection | None:
        """Count one frame; the socket, None if closed. Other processes' last few may be missing."""
        ...

    def authenticate(self, connection_id: str, pubkey: str) -> None:
        """Let this socket speak for this player from now on, and receive what is sent to them."""
        ...

    def meet(self, connection_id: str, pubkey: str) -> None: ...

    def here_since(self, pubkey: str) -> int | None:
        """When the oldest open socket that brought this player's events opened (ms). May lag."""
        ...

    def sockets_of(self, pubkey: str) -> tuple[str, ...]: ...

    def brought_by(self, pubkey: str) -> tuple[str, ...]:
        """The ids of the sockets that brought an event of this player's. This may lag."""
        ...

    def open_subscriptions(self, address: str, now_ms: int) -> int:
        """The number of subscriptions of this address that are open, on all its sockets."""
        ...

    def is_crowded(self, topics: Sequence[str], address: str, most: int) -> bool:
        """Whether ``most`` subscriptions of this address are under a topic. May lag."""
        ...

    def subscribe(
        self, connection_id: str, subscription: Subscriber, topics: Sequence[str], now_ms: int
    ) -> None:
        """File a subscription under each topic, in place of an older one of its id."""
        ...

    def unsubscribe(self, connection_id: str, subscription_id: str) -> None: ...

    def subscribers(
        self, topics: Sequence[str], kinds: Collection[int], now_ms: int
    ) -> Mapping[str, TopicSubscribers]:
        """The subscriptions under each topic, by one read; empty topics may be absent."""
        ...

    def overflow_subscribers(self, topic: str) -> Sequence[Subscriber]:
        """The subscriptions to a crowded topic that ``subscribers`` did not return."""
        ...

    def sample_subscribers(self, topic: str, most: int) -> Sequence[Subscriber]:
        """At least ``most`` subscriptions under this topic, or all. One read; may lag."""
        ...

    def remove(self, connection_id: str) -> None:
        """Forget a socket and all that was filed for it, if it is known."""
        ...


class SocketBusy(Exception):
    """A socket did not take a frame, and may take the next: its client or the way is slow."""


class Sockets(Protocol):
    """The way to our gateway's open sockets."""

    def send(self, connection_id: str, text: str) -> bool:
        """Send one text frame; False when the socket is gone. Raises SocketBusy, and others."""
        ...

    def close(self, connection_id: str) -> None: ...


def send_frame(connections: Connections, sockets: Sockets, connection_id: str, text: str) -> bool:
    """Send one text frame; False when the socket is gone, which is forgotten. Raises as that."""
    if sockets.send(connection_id, text):
        return True
    try:
        connections.remove(connection_id)
    except Exception as failure:  # noqa: BLE001 - the next frame finds it gone again
        _log.warning("a gone socket was not forgotten: %s", type(failure).__name__)
    return False


def network_of(address: str) -> str:
    """The client behind an address, to count by: of IPv6 the first half; or ``unknown``."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv6Address):
        # An IPv4 client on an IPv6 address keeps its own.
        return str(parsed.ipv4_mapped or parsed.exploded[:19])
    return str(parsed)
