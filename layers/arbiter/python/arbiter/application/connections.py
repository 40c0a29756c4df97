"""The ports to our gateway's sockets, beside those of `ports`, and the one way to write to a
socket.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import Protocol

from arbiter.nostr.filters import Filter

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One open socket, as it is remembered between two frames.

    ``address`` is the client's IP address, or its network; ``challenge`` is what NIP-42 has it
    sign; ``pubkeys`` are those it has proved, ``authors`` those whose events it brought; ``frames``
    counts those of the present ten seconds, this one among them; ``subscriptions`` are the ids of
    its open ones.
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
    """A subscription that may want an event: its filters decide. ``filed_at`` is when it was filed
    (unix seconds) and ``address`` from where; neither counts for equality.
    """

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
    """The open sockets of our gateway and their subscriptions. Reads are strongly consistent where
    nothing else is said, or an event could pass between a subscription and its first answer.
    """

    def add(self, connection: Connection, now_ms: int) -> None:
        """Remember a new socket, for as long as API Gateway lets one live."""
        ...

    def count_frame(self, connection_id: str, now_ms: int) -> Connection | None:
        """Count one frame; what is known of this socket, None for one that is closed. The count may
        miss a few frames that other processes heard in the same ten seconds.
        """
        ...

    def authenticate(self, connection_id: str, pubkey: str) -> None:
        """Let this socket speak for this player from now on, and receive what is sent to them."""
        ...

    def meet(self, connection_id: str, pubkey: str) -> None:
        """Note that this socket brought an event of this player's."""
        ...

    def here_since(self, pubkey: str) -> int | None:
        """When the oldest open socket that brought an event of this player's was opened (unix ms);
        None without one. This may lag.
        """
        ...

    def sockets_of(self, pubkey: str) -> tuple[str, ...]:
        """The ids of the sockets that speak for this player."""
        ...

    def brought_by(self, pubkey: str) -> tuple[str, ...]:
        """The ids of the sockets that brought an event of this player's. This may lag."""
        ...

    def open_subscriptions(self, address: str, now_ms: int) -> int:
        """The number of subscriptions of this address that are open, on all its sockets."""
        ...

    def is_crowded(self, topics: Sequence[str], address: str, most: int) -> bool:
        """Whether ``most`` subscriptions from this address are filed under one of these topics. Of
        a topic with hundreds some are looked at, so that asking costs little; and this may lag.
        """
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
        """The subscriptions filed under each of these topics, by one read. Topics that have none to
        one of these kinds of events may be absent.
        """
        ...

    def overflow_subscribers(self, topic: str) -> Sequence[Subscriber]:
        """The subscriptions to a crowded topic that ``subscribers`` did not return."""
        ...

    def sample_subscribers(self, topic: str, most: int) -> Sequence[Subscriber]:
        """The subscriptions filed under this topic: all if there are fewer than ``most``, at least
        ``most`` if there are more. One read; this may lag.
        """
        ...

    def remove(self, connection_id: str) -> None:
        """Forget a socket and all that was filed for it, if it is known."""
        ...


class SocketBusy(Exception):
    """A socket did not take a frame, and may take the next: its client reads slowly, or the way
    there was too busy. Neither is a fault of ours or of what is behind the frame.
    """


class Sockets(Protocol):
    """The way to our gateway's open sockets."""

    def send(self, connection_id: str, text: str) -> bool:
        """Send one text frame; False when the socket is gone. Raises SocketBusy, and for
        infrastructure.
        """
        ...

    def close(self, connection_id: str) -> None: ...


def send_frame(connections: Connections, sockets: Sockets, connection_id: str, text: str) -> bool:
    """Send one text frame; False when the socket is gone, which is then forgotten. Raises
    SocketBusy, and for infrastructure if the frame may not have been sent.
    """
    if sockets.send(connection_id, text):
        return True
    try:
        connections.remove(connection_id)
    except Exception as failure:  # noqa: BLE001 - the next frame finds it gone again
        _log.warning("a gone socket was not forgotten: %s", type(failure).__name__)
    return False


def network_of(address: str) -> str:
    """The client behind an address, as a key to count by: of IPv6 every client has 2^64 addresses,
    so the first half counts. ``unknown`` for what is no address.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv6Address):
        # An IPv4 client on an IPv6 address keeps its own.
        return str(parsed.ipv4_mapped or parsed.exploded[:19])
    return str(parsed)
