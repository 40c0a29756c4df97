"""Connections in memory, under the same contract suite as DynamoDB's."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from threading import RLock

from arbiter.application.connections import Connection, Subscriber, TopicSubscribers
from tests.fakes.faults import Hook, quiet

FRAME_WINDOW_MS = 10_000

_Key = tuple[str, str]


class FakeConnections:
    """Each method has a point of the hook of its own name, such as ``connections.subscribe``, and
    one when it is done: ``connections.subscribed``. ``looked_up`` holds the topics of every
    look-up, ``kinds`` its kinds. A topic with more than ``most`` subscriptions is crowded.
    """

    def __init__(self, hook: Hook = quiet) -> None:
        self.open: dict[str, Connection] = {}
        self.filed: dict[_Key, tuple[Subscriber, tuple[str, ...]]] = {}
        self.looked_up: list[tuple[str, ...]] = []
        self.kinds: list[frozenset[int]] = []
        self.most = 3
        self.hook = hook
        self.lock = RLock()
        self._frames: dict[tuple[str, int], int] = {}

    def add(self, connection: Connection, now_ms: int) -> None:
        del now_ms
        self.hook("connections.add")
        with self.lock:
            self.open[connection.id] = replace(
                connection, pubkeys=frozenset(), frames=0, subscriptions=frozenset()
            )

    def count_frame(self, connection_id: str, now_ms: int) -> Connection | None:
        self.hook("connections.count_frame")
        with self.lock:
            connection = self.open.get(connection_id)
            if connection is None:
                return None
            window = (connection_id, now_ms // FRAME_WINDOW_MS)
            self._frames[window] = self._frames.get(window, 0) + 1
            return replace(connection, frames=self._frames[window])

    def authenticate(self, connection_id: str, pubkey: str) -> None:
        self.hook("connections.authenticate")
        with self.lock:
            if connection := self.open.get(connection_id):
                self.open[connection_id] = replace(
                    connection, pubkeys=connection.pubkeys | {pubkey}
                )

    def meet(self, connection_id: str, pubkey: str) -> None:
        self.hook("connections.meet")
        with self.lock:
            if connection := self.open.get(connection_id):
                self.open[connection_id] = replace(
                    connection, authors=connection.authors | {pubkey}
                )

    def is_here(self, pubkey: str) -> bool:
        self.hook("connections.is_here")
        with self.lock:
            return any(pubkey in one.authors for one in self.open.values())

    def sockets_of(self, pubkey: str) -> tuple[str, ...]:
        self.hook("connections.sockets_of")
        with self.lock:
            return tuple(id_ for id_, one in self.open.items() if pubkey in one.pubkeys)

    def is_crowded(self, topics: Sequence[str], address: str, most: int) -> bool:
        self.hook("connections.is_crowded")
        with self.lock:
            return any(
                sum(topic in filed and one.address == address for one, filed in self.filed.values())
                >= most
                for topic in topics
            )

    def subscribe(
        self, connection_id: str, subscription: Subscriber, topics: Sequence[str], now_ms: int
    ) -> None:
        self.hook("connections.subscribe")
        with self.lock:
            if connection := self.open.get(connection_id):
                id_ = subscription.subscription_id
                filed = replace(subscription, filed_at=now_ms // 1000)
                self.filed[connection_id, id_] = (filed, tuple(topics))
                self.open[connection_id] = replace(
                    connection, subscriptions=connection.subscriptions | {id_}
                )
        self.hook("connections.subscribed")

    def unsubscribe(self, connection_id: str, subscription_id: str) -> None:
        self.hook("connections.unsubscribe")
        with self.lock:
            self.filed.pop((connection_id, subscription_id), None)
            if connection := self.open.get(connection_id):
                self.open[connection_id] = replace(
                    connection, subscriptions=connection.subscriptions - {subscription_id}
                )

    def subscribers(
        self, topics: Sequence[str], kinds: Collection[int], now_ms: int
    ) -> Mapping[str, TopicSubscribers]:
        del now_ms
        self.hook("connections.subscribers")
        with self.lock:
            self.looked_up.append(tuple(topics))
            self.kinds.append(frozenset(kinds))
            found = {topic: self._under(topic) for topic in topics}
            return {
                topic: TopicSubscribers(it[: self.most], len(it) > self.most)
                for topic, it in found.items()
                if it
            }

    def overflow_subscribers(self, topic: str) -> Sequence[Subscriber]:
        self.hook("connections.overflow_subscribers")
        with self.lock:
            return self._under(topic)[self.most :]

    def sample_subscribers(self, topic: str, most: int) -> Sequence[Subscriber]:
        self.hook("connections.sample_subscribers")
        with self.lock:
            return self._under(topic)[:most]

    def _under(self, topic: str) -> tuple[Subscriber, ...]:
        return tuple(one for one, filed in self.filed.values() if topic in filed)

    def remove(self, connection_id: str) -> None:
        self.hook("connections.remove")
        with self.lock:
            self.open.pop(connection_id, None)
            for key in [key for key in self.filed if key[0] == connection_id]:
                del self.filed[key]
