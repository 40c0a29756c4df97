"""Topics as this process has read them, good until the mark of all topics changes, of which there
are copies: a partition of DynamoDB has 3,000 reads a second.

Invariant: a process that files or removes a subscription then writes a new mark, and only then
answers. So if the copy that is read after a commit is as before the topics were read, no
subscription was confirmed in between.

``k`` is the mark; ``k#20302`` is until when (unix seconds) a subscription to this kind may be open,
``k#*`` to every kind: a publication that no subscription wants reads no topics.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from arbiter.adapters.dynamodb.connection_items import expiry
from arbiter.adapters.items.attributes import Item
from arbiter.application.connections import Subscriber, TopicSubscribers
from arbiter.application.intake.routing import SUBSCRIBED_KINDS

MARK_KEYS: Sequence[Item] = tuple(
    {"pk": {"S": f"t{copy}"}, "sk": {"S": "-"}} for copy in ("", 1, 2, 3)
)
"""Of the copies, in partitions of their own."""

_EVERY_KIND = "k#*"


def kinds_of(subscriber: Subscriber) -> Sequence[str]:
    """The mark's attributes for this subscription's kinds; an unknown kind counts as all."""
    kinds = {kind for wanted in subscriber.filters for kind in wanted.kinds}
    wants_all = not all(wanted.kinds for wanted in subscriber.filters)
    if wants_all or not kinds <= SUBSCRIBED_KINDS:
        return [_EVERY_KIND]
    return [*map(_kind_name, sorted(kinds))]


def marking(key: Item, mark: str) -> dict[str, Any]:
    return {
        "Key": key,
        "UpdateExpression": "SET #mark = :mark",
        "ExpressionAttributeNames": {"#mark": "k"},
        "ExpressionAttributeValues": {":mark": {"S": mark}},
    }


def marking_filed(key: Item, mark: str, subscriber: Subscriber, now_ms: int) -> dict[str, Any]:
    """The same with a filed subscription's kinds. An expired mark is none: its sockets are gone."""
    arguments = marking(key, mark)
    names = {f"#k{number}": name for number, name in enumerate(kinds_of(subscriber))}
    for name in ("expires_at", *names):
        arguments["UpdateExpression"] += f", {name} = :expiry"
    arguments["ExpressionAttributeNames"] |= names
    arguments["ExpressionAttributeValues"][":expiry"] = expiry(now_ms)["expires_at"]
    return arguments


def mark_of_item(item: Item) -> str | None:
    """The mark; None if this is the item of a topic."""
    return item["k"]["S"] if "k" in item else None


def kinds_of_mark(item: Item) -> Mapping[str, int]:
    return {name: int(value["N"]) for name, value in item.items() if name.startswith("k#")}


def may_be_wanted(filed: Mapping[str, int], kinds: Iterable[int], now_ms: int) -> bool:
    """Whether a subscription to one of these kinds may be open; ``filed`` of `kinds_of_mark`."""
    names = (_EVERY_KIND, *map(_kind_name, kinds))
    return any(filed.get(name, 0) > now_ms // 1000 for name in names)


def _kind_name(kind: int) -> str:
    return f"k#{kind}"


_MOST = 10_000
"""Topics of some two thousand games."""

UNREAD = "unread"
"""No mark."""


@dataclass(frozen=True, slots=True)
class CachedTopics:
    """Topics read after ``mark`` (None: no subscriptions); ``kinds`` are the mark's."""

    mark: str | None = UNREAD
    kinds: Mapping[str, int] = field(default_factory=dict)
    filed: dict[str, TopicSubscribers | None] = field(default_factory=dict)

    def may_want(self, kinds: Collection[int], now_ms: int) -> bool:
        return may_be_wanted(self.kinds, kinds, now_ms)

    def of(self, topics: Iterable[str]) -> Mapping[str, TopicSubscribers | None]:
        return {topic: self.filed[topic] for topic in topics if topic in self.filed}


class TopicCache:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.present = CachedTopics()

    def learn(self, marked: CachedTopics, read: Mapping[str, TopicSubscribers | None]) -> None:
        """``read`` were read after ``marked`` was, or at the same time while the mark stayed."""
        with self._lock:
            is_new = self.present.mark != marked.mark
            if is_new or len(self.present.filed) + len(read) > _MOST:
                self.present = marked
            self.present.filed.update(read)
