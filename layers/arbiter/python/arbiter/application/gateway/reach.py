"""The subscriptions that one event reaches: each once, its players' first, and of others so many
that no address makes us deliver without end. Up to ``MAX_OTHERS`` it costs no call; beyond, it is
looked up which sockets are the players'.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from arbiter.application.connections import Connections, Subscriber
from arbiter.nostr.event import VerifiedEvent, all_tags
from arbiter.nostr.filters import matches

MAX_OTHERS = 200
"""Deliveries of one event beside its players'."""

DELIVERED_FREELY = 8
"""Deliveries of one event that are not counted: two players have as many."""

MayReach = Callable[[int], bool]
"""Whether so many more deliveries are within the share of who causes them; they are counted."""

_PLAYERS = 2
_ADDRESSABLE = range(30_000, 40_000)
"""Events of a tournament have as many readers as it has players (NIP-01's range)."""


class Reach:
    """The subscriptions that were found for one event so far. For one thread."""

    def __init__(
        self,
        event: VerifiedEvent,
        connections: Connections,
        may_reach: MayReach | None = None,
        *,
        is_spent: bool = False,
    ) -> None:
        """Where the day's budget ``is_spent``, an event reaches its players alone."""
        self._event = event
        self._connections = connections
        self._may_reach = may_reach
        self._is_spent = is_spent
        self._served: set[tuple[str, str]] = set()
        self._others = 0

    def among(self, subscribers: Iterable[Subscriber]) -> tuple[Subscriber, ...]:
        """Those of them that are to be sent the event now, in this order."""
        new: list[Subscriber] = []
        for it in subscribers:
            key = it.connection_id, it.subscription_id
            if key not in self._served and any(
                matches(wanted, self._event) for wanted in it.filters
            ):
                self._served.add(key)
                new.append(it)
        return self._within(in_line(new) if len(new) > 1 else new)

    def _within(self, waiting: Sequence[Subscriber]) -> tuple[Subscriber, ...]:
        room = self._room(len(waiting))
        self._others += min(len(waiting), room)
        if len(waiting) <= room:
            return (*waiting,)
        players = self._players()
        first = [it for it in waiting if it.connection_id in players]
        others = [it for it in waiting if it.connection_id not in players]
        return (*first, *others[:room])

    def _room(self, more: int) -> int:
        if self._is_spent:
            return 0
        free = max(DELIVERED_FREELY - self._others, 0)
        if more > free and self._may_reach is not None:
            is_within = self._may_reach(min(more, max(MAX_OTHERS - self._others, 0)))
            if not is_within:
                return free
        if self._event.kind in _ADDRESSABLE:
            return more
        return max(MAX_OTHERS - self._others, 0)

    def _players(self) -> frozenset[str]:
        """The sockets of who wrote the event and of the players that it names."""
        named = [tag[1] for tag in all_tags(self._event, "p") if len(tag) > 1][:_PLAYERS]
        found: set[str] = set()
        for pubkey in dict.fromkeys((self._event.pubkey, *named)):
            found.update(self._connections.sockets_of(pubkey))
            found.update(self._connections.brought_by(pubkey))
        return frozenset(found)


def in_line(wanting: Iterable[Subscriber]) -> tuple[Subscriber, ...]:
    """Subscriptions in the order of delivery: those that name a player, who may have a clock,
    before those that name a game; then each address's first before any second; then as they came.
    """
    served: Counter[tuple[bool, str]] = Counter()
    places: list[tuple[bool, int, Subscriber]] = []
    for subscriber in sorted(wanting, key=lambda subscriber: subscriber.filed_at):
        is_late = not any(wanted.tags.get("p") for wanted in subscriber.filters)
        where = is_late, subscriber.address or subscriber.connection_id
        places.append((is_late, served[where], subscriber))
        served[where] += 1
    return tuple(subscriber for _, _, subscriber in sorted(places, key=lambda place: place[:2]))
