"""Subscriptions by topic: one item a topic, and one more for each that does not fit there."""

import logging
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.calls import (
    delete,
    failed_its_condition,
    partition,
    put,
    read_all,
    write_all,
)
from arbiter.adapters.dynamodb.connection_items import (
    MEMBER_CHARS,
    expired_members,
    has_more,
    joining,
    leaving,
    member_name,
    member_value,
    members_of,
    overflowing,
    own_item,
    own_key,
    subscribers_of,
    topic_key,
    topic_of_item,
)
from arbiter.adapters.dynamodb.topic_cache import (
    MARK_KEYS,
    CachedTopics,
    TopicCache,
    kinds_of_mark,
    mark_of_item,
    marking,
    marking_filed,
)
from arbiter.adapters.items.attributes import Item
from arbiter.application.connections import Subscriber, TopicSubscribers

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

LOOKED_AT = 300
"""Items of a topic that are read to see whether one address crowds it: twelve read units."""

CALLS_AT_ONCE = 8


class Topics:
    """Topics are given as `short` makes them. All methods raise botocore's errors."""

    def __init__(
        self, client: "Callable[[], DynamoDBClient]", table: str, pause: Callable[[float], None]
    ) -> None:
        self._client = client
        self._table = table
        self._pause = pause
        self._cache = TopicCache()
        self._mark_key = secrets.choice(MARK_KEYS)

    def join(
        self, subscriber: Subscriber, topics: Sequence[str], before: set[str], now_ms: int
    ) -> None:
        """File a subscription under each topic. Under those ``before`` it is filed already."""
        member = member_name(subscriber.connection_id, subscriber.subscription_id)
        value = member_value(subscriber, now_ms)
        is_short = len(value) <= MEMBER_CHARS
        fits = self._of_each(
            lambda topic: is_short and self._fits(topic, member, value, now_ms), topics
        )
        has_room = dict(zip(topics, fits, strict=True))
        full = [topic for topic in topics if not has_room[topic]]
        self._write(
            [
                *(put(own_item(topic, member, value, now_ms)) for topic in full),
                *(
                    delete(own_key(topic, member))
                    for topic in topics
                    if has_room[topic] and topic in before
                ),
            ]
        )
        # Its own item is there before the topic names it, and before it leaves the topic's item.
        self._of_each(lambda topic: self._update(overflowing(topic, member, now_ms)), full)

    def leave(self, member: str, topics: Sequence[str]) -> None:
        was_there = self._of_each(lambda topic: self._update(leaving(topic, member)), topics)
        self._write(
            delete(own_key(topic, member))
            for topic, left in zip(topics, was_there, strict=True)
            if not left
        )

    def filed(
        self, topics: Iterable[str], kinds: Collection[int], now_ms: int
    ) -> Mapping[str, TopicSubscribers]:
        """These topics' items that are not empty, if a subscription to one of these kinds may be
        open: one call for ninety-nine topics, two if a subscription changed.
        """
        asked = dict.fromkeys(topics)
        known = self._cache.present
        here = known.of(asked)
        is_wanted = known.may_want(kinds, now_ms)
        marked, found = self._read([it for it in asked if it not in here] if is_wanted else [])
        if marked.mark == known.mark:
            self._cache.learn(marked, found)
            found |= here
        else:
            is_wanted = marked.may_want(kinds, now_ms)
            found_anew = self._filed([it for it in asked if it not in found] if is_wanted else [])
            self._cache.learn(marked, found_anew)
            found |= found_anew
        return {topic: filed for topic, filed in found.items() if filed}

    def _read(
        self, topics: Iterable[str]
    ) -> tuple[CachedTopics, dict[str, TopicSubscribers | None]]:
        marked = CachedTopics(mark=None)
        found: dict[str, TopicSubscribers | None] = dict.fromkeys(topics)
        keys = [self._mark_key, *map(topic_key, found)]
        for item in read_all(self._client(), self._table, keys, self._pause):
            if mark := mark_of_item(item):
                marked = CachedTopics(mark, kinds_of_mark(item))
            else:
                found[topic_of_item(item)] = _filed_in(item)
        return marked, found

    def _filed(self, topics: Iterable[str]) -> dict[str, TopicSubscribers | None]:
        found: dict[str, TopicSubscribers | None] = dict.fromkeys(topics)
        return found | {topic_of_item(item): _filed_in(item) for item in self._items(found)}

    def mark_left(self) -> None:
        """Have every process read anew what it knows of topics: call it after `leave`."""
        mark = secrets.token_hex(8)
        self._of_each(lambda key: self._update(marking(key, mark)), MARK_KEYS)

    def mark_joined(self, subscriber: Subscriber, now_ms: int) -> None:
        """The same after `join`, before anything is read for the subscription."""
        mark = secrets.token_hex(8)
        self._of_each(
            lambda key: self._update(marking_filed(key, mark, subscriber, now_ms)), MARK_KEYS
        )

    def overflow_subscribers(self, topic: str) -> Iterator[Subscriber]:
        for item in partition(self._client(), self._table, f"t#{topic}"):
            if "w" in item:
                yield from _served(members_of(item))

    def sample_subscribers(self, topic: str, most: int) -> Sequence[Subscriber]:
        """All subscriptions, or at least ``most`` of more, by one query."""
        # One of the items may be the topic's, which may have no members left.
        found = self._page(topic, most + 1)
        return tuple(one for item in found for one in _served(members_of(item)))

    def count_from(self, address: str, topics: Iterable[str]) -> int:
        """The most subscriptions of this address to one topic, counted in part."""
        items = [*self._items(topics)]
        here = [_count(_served(members_of(item)), address) for item in items]
        crowded = [topic_of_item(item) for item in items if has_more(item)]
        counts = dict(zip(map(topic_of_item, items), here, strict=True))
        others = self._of_each(lambda topic: self._others_from(address, topic), crowded)
        for topic, more in zip(crowded, others, strict=True):
            counts[topic] += more
        return max(counts.values(), default=0)

    def _fits(self, topic: str, member: str, value: str, now_ms: int) -> bool:
        """Whether the topic's item took the member, perhaps once expired ones are removed."""
        if self._update(joining(topic, member, value, now_ms)):
            return True
        item = next(self._items([topic]), None)
        gone = expired_members(item, now_ms) if item else ()
        return bool(
            gone
            and self._update(leaving(topic, *gone))
            and self._update(joining(topic, member, value, now_ms))
        )

    def _others_from(self, address: str, topic: str) -> int:
        found = self._page(topic, LOOKED_AT)
        return sum(_count(_served(members_of(it)), address) for it in found if "w" in it)

    def _page(self, topic: str, most: int) -> Sequence[Item]:
        page = self._client().query(
            TableName=self._table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": f"t#{topic}"}},
            Limit=most,
        )
        return page["Items"]

    def _items(self, topics: Iterable[str]) -> Iterator[Item]:
        keys = [topic_key(topic) for topic in dict.fromkeys(topics)]
        return read_all(self._client(), self._table, keys, self._pause)

    def _update(self, arguments: dict[str, Any]) -> bool:
        try:
            self._client().update_item(TableName=self._table, **arguments)
        except ClientError as error:
            if not failed_its_condition(error):
                raise
            return False
        return True

    def _write(self, writes: Iterable[dict[str, Any]]) -> None:
        write_all(self._client(), self._table, writes, self._pause)

    def _of_each(self, ask: Callable[[_T], Any], these: Sequence[_T]) -> list[Any]:
        if len(these) == 1:  # without a thread
            return [ask(these[0])]
        return [*self._threads.map(ask, these)] if these else []

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(CALLS_AT_ONCE, thread_name_prefix="topics")


def _filed_in(item: Item) -> TopicSubscribers:
    return TopicSubscribers(_served(members_of(item)), has_more(item))


def _served(members: Mapping[str, str]) -> tuple[Subscriber, ...]:
    found = [*subscribers_of(members)]
    if None in found:
        _log.warning("a subscription written by a later release is not served")
    return tuple(one for one in found if one is not None)


def _count(subscribers: Iterable[Subscriber], address: str) -> int:
    return sum(one.address == address for one in subscribers)
