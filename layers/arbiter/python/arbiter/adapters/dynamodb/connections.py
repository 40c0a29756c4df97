"""Connections and subscriptions of our gateway, in the short-lived table.

Invariant: a frame costs one write before anything else is done with it, a delivery one query for
each topic, and nothing is scanned.

Frames of one socket are handled concurrently, and API Gateway may close it meanwhile. So a
subscription is filed first and then listed with its socket, on the condition that the socket
exists: if it does not, the filing is removed again, and closing finds whatever was filed before.
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
    player_keys,
    short,
    subscriber_of_item,
    topic_key,
    topics_of_filing,
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
"""Doubled each time: 0.75 seconds in all for a throttled table."""

LOOKED_AT = 300
"""How many items of a topic are read to see whether one address crowds it: at most twelve read
units with short filters.
"""

QUERIES_AT_ONCE = 8
"""A state has six topics. In parallel, at four milliseconds a query, they take 14 ms instead
of 36.
"""

_Write = dict[str, Any]
_T = TypeVar("_T")


class ConnectionsOverloaded(Exception):
    """The table left writes unprocessed in every attempt."""


class DynamoDbConnections:
    """Sockets, their subscriptions and their players in one table. All methods raise botocore's
    errors.
    """

    def __init__(
        self,
        client: "Callable[[], DynamoDBClient]",
        table: str,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """``client`` returns the client, on first use; ``pause`` sleeps for so many seconds."""
        self._client = client
        self._table = table
        self._pause = pause

    def opened(self, connection: Connection, now_ms: int) -> None:
        """Store a new socket."""
        item = item_of_connection(connection, now_ms)
        self._client().put_item(TableName=self._table, Item=item)

    def heard_from(self, connection_id: str, now_ms: int) -> Connection | None:
        """Count one frame; returns the socket, or None if it is closed."""
        one = {":one": {"N": "1"}}
        item = self._change(connection_key(connection_id), counting(now_ms), one)
        return connection_of_item(item, now_ms) if item else None

    def proved(self, connection_id: str, pubkey: str) -> None:
        """The socket is authenticated as this player; no effect if it is closed. Raises ValueError
        for an invalid pubkey.
        """
        proved = {":pubkey": {"BS": [bytes.fromhex(pubkey)]}}
        item = self._change(connection_key(connection_id), "ADD p :pubkey", proved)
        if item:
            kept = {"expires_at": item["expires_at"]}
            self._write(_put({**key, **kept}) for key in player_keys(connection_id, pubkey))

    def sockets_of(self, pubkey: str) -> tuple[str, ...]:
        """The ids of this player's sockets."""
        return tuple(item["sk"]["S"] for item in self._query(f"n#{pubkey}"))

    def is_crowded(self, topics: Sequence[str], address: str, most: int) -> bool:
        """Whether one of these topics has ``most`` subscriptions from this address."""
        asked = dict.fromkeys(f"t#{short(topic)}" for topic in topics)
        return any(
            count >= most
            for count in self._of_each(lambda topic: self._count_from(address, topic), asked)
        )

    def subscribe(
        self, connection_id: str, subscription: Subscriber, topics: Sequence[str], now_ms: int
    ) -> None:
        """File a subscription under each topic, replacing one of the same id; no effect if the
        socket is closed.
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
            # Closing the socket may have removed our filing already, so delete what we wrote.
            keys = [topic_key(topic, connection_id, id_) for topic in filed]
            self._write(_delete(key) for key in [*keys, filing_key(connection_id, id_)])

    def unsubscribe(self, connection_id: str, subscription_id: str) -> None:
        """Remove a subscription, if it exists."""
        key = filing_key(connection_id, subscription_id)
        answer = self._client().delete_item(TableName=self._table, Key=key, ReturnValues="ALL_OLD")
        self._write(
            _delete(topic_key(topic, connection_id, subscription_id))
            for topic in topics_of_filing(answer.get("Attributes", {}))
        )
        listed = {":ids": {"SS": [subscription_id]}}
        self._change(connection_key(connection_id), "DELETE s :ids", listed)

    def subscribers(self, topics: Sequence[str]) -> Sequence[Subscriber]:
        """Subscriptions under any of these topics, each once."""
        found: dict[tuple[str, str], Subscriber] = {}
        for item in self._query_all(dict.fromkeys(f"t#{short(topic)}" for topic in topics)):
            subscriber = subscriber_of_item(item)
            if subscriber is None:
                _log.warning("a subscription written by a later release is not served")
                continue
            found[subscriber.connection_id, subscriber.subscription_id] = subscriber
        return tuple(found.values())

    def closed(self, connection_id: str) -> None:
        """Remove a socket and all that was filed for it. The items that list its filings go last,
        so that an interrupted call can be repeated.
        """
        client = self._client()
        client.delete_item(TableName=self._table, Key=connection_key(connection_id))
        listed = [*self._query(f"c#{connection_id}")]
        self._write(_delete(key) for item in listed for key in _filed(connection_id, item))
        self._write(_delete({"pk": item["pk"], "sk": item["sk"]}) for item in listed)

    def _change(self, key: Item, expression: str, values: Item) -> Item | None:
        """The item after the change; None if there is none."""
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
        """The results of ``ask`` for each partition, in order."""
        asked = [*partitions]
        # A single query needs no thread.
        return map(ask, asked) if len(asked) == 1 else self._threads.map(ask, asked)

    def _count_from(self, address: str, partition: str) -> int:
        """How many of the first ``LOOKED_AT`` items of a topic are of this address. They are
        ordered by socket ids, which are random.
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
        """All items of a partition (strongly consistent)."""
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
        """Make all of these writes, in any order. Raises ConnectionsOverloaded."""
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
    """The keys of items elsewhere that belong to this item of the socket's partition."""
    kind, _, rest = item["sk"]["S"].partition("#")
    if kind == "n":
        yield player_keys(connection_id, rest)[0]
    elif kind == "s":
        for topic in topics_of_filing(item):
            # ``rest`` is the ``short`` id, the same in both keys.
            yield {"pk": {"S": f"t#{topic}"}, "sk": {"S": f"{connection_id}#{rest}"}}
