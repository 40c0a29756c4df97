"""Who is connected to our gateway, in the short-lived table.

The law: a frame costs one write before anything else is done with it, a delivery one query for each
topic, and nothing is ever scanned.

Frames of one socket are handled at the same time, and API Gateway may close it meanwhile. So a
subscription is filed first and then listed with its socket, on the condition that the socket is
still remembered: whoever finds it forgotten takes his filing back, and whoever forgets it finds
what was filed before.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.connection_items import (
    connection_key,
    connection_of_item,
    counting,
    filing_key,
    item_of_connection,
    item_of_filing,
    items_of_topics,
    short,
    subscriber_of_item,
    topic_key,
    topics_of_filing,
    voice_keys,
)
from arbiter.adapters.dynamodb.items import Item
from arbiter.application.connections import Connection, Subscriber

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_log = logging.getLogger(__name__)

WRITES_PER_CALL = 25
"""DynamoDB's own limit."""

ATTEMPTS = 5
_FIRST_PAUSE_SECONDS = 0.05
"""Doubled each time: a throttled table is given three quarters of a second."""

LOOKED_AT = 300
"""Items of a topic, to find out whether one address crowds it: twelve read units at the most, where
the filters are short.
"""

QUERIES_AT_ONCE = 8
"""A state has six topics. At four milliseconds a query they took 14 instead of 36."""

_Write = dict[str, Any]
_T = TypeVar("_T")


class ConnectionsOverloaded(Exception):
    """The table did not take a batch of writes, time and again."""


class DynamoDbConnections:
    """The sockets of one table, what they subscribed to, and whom they speak for."""

    def __init__(
        self,
        client: "Callable[[], DynamoDBClient]",
        table: str,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """``client`` makes or returns the client when it is first needed; ``pause`` waits for so
        many seconds. All methods raise botocore's errors for infrastructure.
        """
        self._client = client
        self._table = table
        self._pause = pause

    def opened(self, connection: Connection, now_ms: int) -> None:
        """Remember a new socket, for as long as API Gateway lets one live."""
        item = item_of_connection(connection, now_ms)
        self._client().put_item(TableName=self._table, Item=item)

    def heard_from(self, connection_id: str, now_ms: int) -> Connection | None:
        """Count one frame, and tell what is known of this socket; None for one that is closed."""
        one = {":one": {"N": "1"}}
        item = self._change(connection_key(connection_id), counting(now_ms), one)
        return connection_of_item(item, now_ms) if item else None

    def proved(self, connection_id: str, pubkey: str) -> None:
        """This socket speaks for this player from now on; nothing for a socket that is closed.

        ValueError for a pubkey that is no hexadecimal.
        """
        proved = {":pubkey": {"BS": [bytes.fromhex(pubkey)]}}
        item = self._change(connection_key(connection_id), "ADD p :pubkey", proved)
        if item:
            kept = {"expires_at": item["expires_at"]}
            self._write(_put({**key, **kept}) for key in voice_keys(connection_id, pubkey))

    def sockets_of(self, pubkey: str) -> tuple[str, ...]:
        """The ids of the sockets that speak for this player."""
        return tuple(item["sk"]["S"] for item in self._query(f"n#{pubkey}"))

    def is_crowded(self, topics: Sequence[str], address: str, most: int) -> bool:
        """Whether so many subscriptions from this address are filed under one of these topics."""
        asked = dict.fromkeys(f"t#{short(topic)}" for topic in topics)
        return any(
            count >= most
            for count in self._of_each(lambda topic: self._count_from(address, topic), asked)
        )

    def subscribe(
        self, connection_id: str, subscription: Subscriber, topics: Sequence[str], now_ms: int
    ) -> None:
        """File a subscription under each topic, in place of an older one of its id; nothing for a
        socket that is closed.
        """
        id_ = subscription.subscription_id
        filed = [*dict.fromkeys(short(topic) for topic in topics)]
        older = self._client().put_item(
            TableName=self._table,
            Item=item_of_filing(connection_id, id_, filed, now_ms),
            ReturnValues="ALL_OLD",
        )
        left = set(topics_of_filing(older.get("Attributes", {}))) - set(filed)
        self._write(
            [
                *(_put(item) for item in items_of_topics(subscription, filed, now_ms)),
                *(_delete(topic_key(topic, connection_id, id_)) for topic in sorted(left)),
            ]
        )
        listed = {":ids": {"SS": [id_]}}
        if not self._change(connection_key(connection_id), "ADD s :ids", listed):
            # Whoever closed the socket may have removed our filing already, so we go by what we
            # wrote.
            keys = [topic_key(topic, connection_id, id_) for topic in filed]
            self._write(_delete(key) for key in [*keys, filing_key(connection_id, id_)])

    def unsubscribe(self, connection_id: str, subscription_id: str) -> None:
        """Forget a subscription; no matter whether there is one."""
        key = filing_key(connection_id, subscription_id)
        answer = self._client().delete_item(TableName=self._table, Key=key, ReturnValues="ALL_OLD")
        self._write(
            _delete(topic_key(topic, connection_id, subscription_id))
            for topic in topics_of_filing(answer.get("Attributes", {}))
        )
        listed = {":ids": {"SS": [subscription_id]}}
        self._change(connection_key(connection_id), "DELETE s :ids", listed)

    def subscribers(self, topics: Sequence[str]) -> Sequence[Subscriber]:
        """Whoever filed a subscription under one of these topics, each subscription once."""
        found: dict[tuple[str, str], Subscriber] = {}
        for item in self._query_all(dict.fromkeys(f"t#{short(topic)}" for topic in topics)):
            subscriber = subscriber_of_item(item)
            if subscriber is None:
                _log.warning("a subscription of a newer kind is not served by this version")
                continue
            found[subscriber.connection_id, subscriber.subscription_id] = subscriber
        return tuple(found.values())

    def closed(self, connection_id: str) -> None:
        """Forget a socket and all that was filed for it; no matter whether it is known.

        What tells where something is filed goes last, so that one who was interrupted can do the
        whole again.
        """
        client = self._client()
        client.delete_item(TableName=self._table, Key=connection_key(connection_id))
        listed = [*self._query(f"c#{connection_id}")]
        self._write(_delete(key) for item in listed for key in _filed(connection_id, item))
        self._write(_delete({"pk": item["pk"], "sk": item["sk"]}) for item in listed)

    def _change(self, key: Item, expression: str, values: Item) -> Item | None:
        """The item as it is after the change; None if there is none."""
        try:
            return self._client().update_item(
                TableName=self._table,
                Key=key,
                UpdateExpression=expression,
                ConditionExpression="attribute_exists(pk)",
                ExpressionAttributeValues=values,
                ReturnValues="ALL_NEW",
            )["Attributes"]
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            return None

    def _query_all(self, partitions: Iterable[str]) -> Iterator[Item]:
        for items in self._of_each(lambda partition: [*self._query(partition)], partitions):
            yield from items

    def _of_each(self, ask: Callable[[str], _T], partitions: Iterable[str]) -> Iterator[_T]:
        """What is answered about each partition, in their order."""
        asked = [*partitions]
        # One alone has nothing to share with another thread.
        return map(ask, asked) if len(asked) == 1 else self._threads.map(ask, asked)

    def _count_from(self, address: str, partition: str) -> int:
        """How many of the first ``LOOKED_AT`` items of a topic are of this address. They stand in
        the order of their sockets' ids, which are drawn by lot.
        """
        page = self._client().query(
            TableName=self._table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": partition}},
            Limit=LOOKED_AT,
        )
        return sum(item.get("a") == {"S": address} for item in page["Items"])

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(QUERIES_AT_ONCE, thread_name_prefix="subscribers")

    def _query(self, partition: str) -> Iterator[Item]:
        """All items of a partition (strongly consistent), page by page."""
        question: Any = {
            "TableName": self._table,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": partition}},
            "ConsistentRead": True,
        }
        while True:
            page = self._client().query(**question)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            question["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _write(self, writes: Iterable[_Write]) -> None:
        """Make all of these writes, in any order. ConnectionsOverloaded if the table lets some of
        them wait for too long.
        """
        asked = [*writes]
        for start in range(0, len(asked), WRITES_PER_CALL):
            waiting: Any = asked[start : start + WRITES_PER_CALL]
            for attempt in range(ATTEMPTS):
                if attempt:
                    self._pause(_FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))
                answer = self._client().batch_write_item(RequestItems={self._table: waiting})
                waiting = answer.get("UnprocessedItems", {}).get(self._table)
                if not waiting:
                    break
            else:
                raise ConnectionsOverloaded


def _put(item: Item) -> _Write:
    return {"PutRequest": {"Item": item}}


def _delete(key: Item) -> _Write:
    return {"DeleteRequest": {"Key": key}}


def _filed(connection_id: str, item: Item) -> Iterator[Item]:
    """The keys of what stands elsewhere because of this item of the socket's partition."""
    kind, _, rest = item["sk"]["S"].partition("#")
    if kind == "n":
        yield voice_keys(connection_id, rest)[0]
    elif kind == "s":
        for topic in topics_of_filing(item):
            # The id is hashed in both keys alike, or in neither.
            yield {"pk": {"S": f"t#{topic}"}, "sk": {"S": f"{connection_id}#{rest}"}}
