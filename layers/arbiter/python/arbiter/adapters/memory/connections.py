"""Sockets of our gateway, subscriptions and rate limits, in the process that holds the sockets."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Lock

from arbiter.application.connections import Connection, Subscriber, TopicSubscribers

FRAME_WINDOW_MS = 10_000

LOOKED_AT = 300
"""Subscriptions of a topic that are read to see whether one address crowds it."""

_Key = tuple[str, str]
"""A socket's id and a subscription's."""


@dataclass(slots=True)
class _Socket:
    connection: Connection
    window: int = 0
    frames: int = 0
    pubkeys: frozenset[str] = frozenset()
    authors: frozenset[str] = frozenset()
    subscriptions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The topics of each subscription."""


class MemoryConnections:
    """The open sockets of this process. Thread-safe."""

    def __init__(self, changed: Callable[[str], None] = lambda _: None) -> None:
        self.changed = changed
        self._lock = Lock()
        self._sockets: dict[str, _Socket] = {}
        self._by_topic: dict[str, dict[_Key, Subscriber]] = defaultdict(dict)
        self._by_player: dict[str, dict[str, None]] = defaultdict(dict)
        self._by_author: dict[str, dict[str, None]] = defaultdict(dict)
        self._open_from = Counter[str]()

    def add(self, connection: Connection, now_ms: int) -> None:
        del now_ms
        with self._lock:
            self._forget(connection.id)
            self._sockets[connection.id] = _Socket(connection)

    def count_frame(self, connection_id: str, now_ms: int) -> Connection | None:
        window = now_ms // FRAME_WINDOW_MS
        with self._lock:
            socket = self._sockets.get(connection_id)
            if socket is None:
                return None
            if socket.window != window:
                socket.window, socket.frames = window, 0
            socket.frames += 1
            return replace(
                socket.connection,
                pubkeys=socket.pubkeys,
                frames=socket.frames,
                subscriptions=frozenset(socket.subscriptions),
                authors=socket.authors,
            )

    def authenticate(self, connection_id: str, pubkey: str) -> None:
        with self._lock:
            if socket := self._sockets.get(connection_id):
                socket.pubkeys |= {pubkey}
                self._by_player[pubkey][connection_id] = None

    def meet(self, connection_id: str, pubkey: str) -> None:
        with self._lock:
            socket = self._sockets.get(connection_id)
            if socket is None:
                return
            socket.authors |= {pubkey}
            self._by_author[pubkey][connection_id] = None
        self.changed(pubkey)

    def here_since(self, pubkey: str) -> int | None:
        with self._lock:
            found = map(self._sockets.__getitem__, self._by_author.get(pubkey, ()))
            return min((it.connection.opened_at_ms for it in found), default=None)

    def sockets_of(self, pubkey: str) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._by_player.get(pubkey, ()))

    def brought_by(self, pubkey: str) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._by_author.get(pubkey, ()))

    def open_subscriptions(self, address: str, now_ms: int) -> int:
        del now_ms
        with self._lock:
            return self._open_from[address]

    def is_crowded(self, topics: Sequence[str], address: str, most: int) -> bool:
        with self._lock:
            return any(self._count_from(address, topic) >= most for topic in topics)

    def subscribe(
        self, connection_id: str, subscription: Subscriber, topics: Sequence[str], now_ms: int
    ) -> None:
        id_ = subscription.subscription_id
        with self._lock:
            socket = self._sockets.get(connection_id)
            if socket is None:
                return
            self._remove(socket, id_)
            filed = replace(subscription, filed_at=now_ms // 1000)
            socket.subscriptions[id_] = tuple(dict.fromkeys(topics))
            self._open_from[socket.connection.address] += 1
            for topic in socket.subscriptions[id_]:
                self._by_topic[topic][connection_id, id_] = filed

    def unsubscribe(self, connection_id: str, subscription_id: str) -> None:
        with self._lock:
            if socket := self._sockets.get(connection_id):
                self._remove(socket, subscription_id)

    def subscribers(
        self, topics: Sequence[str], kinds: Collection[int], now_ms: int
    ) -> Mapping[str, TopicSubscribers]:
        del kinds, now_ms
        with self._lock:
            found = {topic: self._by_topic.get(topic) for topic in topics}
            return {
                topic: TopicSubscribers(tuple(it.values())) for topic, it in found.items() if it
            }

    def overflow_subscribers(self, topic: str) -> Sequence[Subscriber]:
        del topic
        return ()

    def sample_subscribers(self, topic: str, most: int) -> Sequence[Subscriber]:
        with self._lock:
            return tuple(islice(self._by_topic.get(topic, {}).values(), most))

    def remove(self, connection_id: str) -> None:
        with self._lock:
            authors = self._forget(connection_id)
        for pubkey in authors:
            self.changed(pubkey)

    def _forget(self, connection_id: str) -> Collection[str]:
        socket = self._sockets.pop(connection_id, None)
        if socket is None:
            return ()
        for id_ in [*socket.subscriptions]:
            self._remove(socket, id_)
        for of_key, pubkeys in (
            (self._by_author, socket.authors),
            (self._by_player, socket.pubkeys),
        ):
            for pubkey in pubkeys:
                del of_key[pubkey][connection_id]
                if not of_key[pubkey]:
                    del of_key[pubkey]
        return socket.authors

    def _remove(self, socket: _Socket, id_: str) -> None:
        if id_ not in socket.subscriptions:
            return
        address = socket.connection.address
        self._open_from[address] -= 1
        if not self._open_from[address]:
            del self._open_from[address]
        for topic in socket.subscriptions.pop(id_):
            del self._by_topic[topic][socket.connection.id, id_]
            if not self._by_topic[topic]:
                del self._by_topic[topic]

    def _count_from(self, address: str, topic: str) -> int:
        filed = self._by_topic.get(topic, {}).values()
        return sum(one.address == address for one in islice(reversed(filed), LOOKED_AT))


MAX_KEYS = 100_000
"""Of one window, some ten megabytes; then the half that was counted first is forgotten."""


class MemoryRateLimits:
    """Counters of the present window of each length, and of the one before; thread-safe. A restart
    begins anew, and up to twice the limit can pass across a boundary.
    """

    def __init__(self, most_keys: int = MAX_KEYS) -> None:
        self._most_keys = most_keys
        self._lock = Lock()
        self._windows: dict[int, dict[int, dict[str, int]]] = {}

    def take(self, key: str, limit: int, window_seconds: int, now_ms: int, count: int = 1) -> bool:
        number = now_ms // (window_seconds * 1000)
        with self._lock:
            of_length = self._windows.setdefault(window_seconds, {})
            counts = of_length.get(number)
            if counts is None:
                counts = of_length[number] = {}
                for older in sorted(of_length)[:-2]:
                    del of_length[older]
            counts[key] = taken = counts.get(key, 0) + count
            if len(counts) > self._most_keys:
                for oldest in [*counts][: self._most_keys // 2]:
                    del counts[oldest]
        return taken <= limit


class MemoryDayCounters:
    """Amounts that this process spent today. For one thread."""

    def __init__(self) -> None:
        self._day = ""
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, day: str, name: str, amounts: Mapping[str, int]) -> Mapping[str, int]:
        if day != self._day:
            self._day = day
            self._counts.clear()
        self._counts[name].update(amounts)
        return self._counts[name]

    def spent(self, day: str) -> Mapping[str, Mapping[str, int]]:
        return dict(self._counts) if day == self._day else {}
