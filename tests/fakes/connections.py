"""The connections of one process, with points at which a test steps in."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arbiter.adapters.memory.connections import MemoryConnections
from arbiter.application.connections import Connection, Subscriber, TopicSubscribers
from tests.fakes.faults import Hook, quiet, with_points


@with_points("connections", "subscribe", "subscribed")
class FakeConnections(MemoryConnections):
    """``looked_up`` holds the topics of every look-up, ``kinds`` its kinds. A topic with more than
    ``most`` subscriptions is crowded.
    """

    def __init__(self, hook: Hook = quiet) -> None:
        super().__init__()
        self.looked_up: list[tuple[str, ...]] = []
        self.kinds: list[frozenset[int]] = []
        self.most = 3
        self.hook = hook

    @property
    def open(self) -> dict[str, Connection]:
        return {
            id_: replace(
                it.connection, pubkeys=it.pubkeys, subscriptions=frozenset(it.subscriptions)
            )
            for id_, it in self._sockets.items()
        }

    @property
    def filed(self) -> dict[tuple[str, str], tuple[Any, tuple[str, ...]]]:
        """The subscriptions and their topics, by socket and name."""
        return {
            (id_, name): (self._by_topic[topics[0]][id_, name] if topics else None, topics)
            for id_, it in self._sockets.items()
            for name, topics in it.subscriptions.items()
        }

    def subscribers(
        self, topics: Sequence[str], kinds: Collection[int], now_ms: int
    ) -> Mapping[str, TopicSubscribers]:
        self.looked_up.append(tuple(topics))
        self.kinds.append(frozenset(kinds))
        return {
            topic: TopicSubscribers(it.subscribers[: self.most], len(it.subscribers) > self.most)
            for topic, it in super().subscribers(topics, kinds, now_ms).items()
        }

    def overflow_subscribers(self, topic: str) -> Sequence[Subscriber]:
        return [*self._by_topic[topic].values()][self.most :]
