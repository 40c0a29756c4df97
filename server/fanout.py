"""Delivers events at our own gateway, as `ports.Publisher`: each subscription that wants one gets
one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from arbiter.application.connections import Connections
from arbiter.application.gateway.reach import MayReach, Reach
from arbiter.application.gateway.subscriptions import topics_at_large, topics_by_name
from arbiter.application.spending import Spending, is_for_games_only
from arbiter.nostr.client_messages import delivery_text, event_text
from arbiter.nostr.event import VerifiedEvent
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

    def __init__(
        self, connections: Connections, sockets: LocalSockets, spending: Spending | None = None
    ) -> None:
        self._spending = spending
        self._connections = connections
        self._sockets = sockets

    def publish(
        self,
        events: Sequence[VerifiedEvent],
        deadline_seconds: float,
        may_reach: MayReach | None = None,
    ) -> Accepted:
        """Send each event, in this order on each socket, after an OK that waits for the disk."""
        del deadline_seconds
        held = self._sockets.held
        for event in events:
            if held is None:
                self._deliver(event, may_reach)
            else:
                held.append(partial(self._deliver, event, may_reach))
        return Accepted()

    def _deliver(self, event: VerifiedEvent, may_reach: MayReach | None) -> None:
        topics = (*topics_by_name(event), *topics_at_large(event))
        filed = self._connections.subscribers(topics, (event.kind,), 0)
        # Those by name come first.
        found = (one for topic in topics if topic in filed for one in filed[topic].subscribers)
        is_spent = is_for_games_only(self._spending)
        reach = Reach(event, self._connections, may_reach, is_spent=is_spent)
        text = ""
        for subscriber in reach.among(found):
            text = text or event_text(event)
            frame = delivery_text(subscriber.subscription_id, text)
            self._sockets.send(subscriber.connection_id, frame)
