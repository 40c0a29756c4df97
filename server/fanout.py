"""Delivers events to the subscribers at our own gateway, as `ports.Publisher`, within one process:
each open subscription that wants an event is sent exactly one copy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arbiter.application.connections import Connections
from arbiter.application.gateway.subscriptions import topics_at_large, topics_by_name
from arbiter.nostr.client_messages import delivery_text, event_text
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.filters import matches
from server.sockets import LocalSockets


@dataclass(frozen=True, slots=True)
class Accepted:
    """No subscriber can be out of reach: a socket is here or gone."""

    def is_accepted(self, event_id: str) -> bool:
        """Always True: delivery in this process cannot fail."""
        del event_id
        return True


class LocalFanout:
    """For one thread."""

    def __init__(self, connections: Connections, sockets: LocalSockets) -> None:
        self._connections = connections
        self._sockets = sockets

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> Accepted:
        """Send each event to every subscription that wants it, in this order on each socket. After
        an OK that waits for the disk it waits behind that.
        """
        del deadline_seconds
        held = self._sockets.held
        for event in events:
            if held is None:
                self._deliver(event)
            else:
                held.append(self._later(event))
        return Accepted()

    def _later(self, event: VerifiedEvent) -> Callable[[], None]:
        return lambda: self._deliver(event)

    def _deliver(self, event: VerifiedEvent) -> None:
        topics = (*topics_by_name(event), *topics_at_large(event))
        text = ""
        filed = self._connections.subscribers(topics, (event.kind,), 0).values()
        # Several topics may find one subscription.
        found = {
            (subscriber.connection_id, subscriber.subscription_id): subscriber
            for topic in filed
            for subscriber in topic.subscribers
        }
        for subscriber in found.values():
            if any(matches(wanted, event) for wanted in subscriber.filters):
                text = text or event_text(event)
                frame = delivery_text(subscriber.subscription_id, text)
                self._sockets.send(subscriber.connection_id, frame)
