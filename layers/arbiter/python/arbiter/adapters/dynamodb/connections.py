"""The short-lived table: connections and subscriptions of our gateway, and rate limits.

Invariant: a frame costs one read or one write (`FramesHeard`); a delivery one read of all its
topics, and one query more for each that is crowded. Nothing is scanned.

Frames of one socket are handled concurrently, and it may close meanwhile. So a subscription is
filed first and then listed with its socket, if that exists: if not, the filing is removed again.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.calls import (
    Write,
    delete,
    failed_its_condition,
    get,
    partition,
    put,
    write_all,
)
from arbiter.adapters.dynamodb.connection_items import (
    FRAME_WINDOW_MS,
    KEPT_SECONDS,
    address_key,
    connection_key,
    connection_of_item,
    counting,
    expiry,
    filing_key,
    item_of_connection,
    item_of_filing,
    member_name,
    player_keys,
    short,
    topics_of_filing,
)
from arbiter.adapters.dynamodb.topics import Topics
from arbiter.adapters.items.attributes import Item
from arbiter.application.connections import Connection, Subscriber, TopicSubscribers

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

WRITTEN_TOGETHER = 10
"""A count is written at every tenth frame: a person at a board sends fewer in ten seconds, and a
write costs as much as five reads. So of the three hundred that a socket may send, each process
misses at most nine that others heard. Every tenth is also counted for its address
(`FRAMES_COUNTED_AS_ONE`).
"""


class FramesHeard:
    """Frames heard here from each socket in the present ten seconds. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._window = 0
        self._heard = Counter[str]()

    @contextmanager
    def counting(self, connection_id: str, now_ms: int) -> Iterator[int]:
        """Count one frame of this socket; how many there were, for the block, alone."""
        window = now_ms // FRAME_WINDOW_MS
        with self._lock:
            if window != self._window:
                self._window = window
                self._heard.clear()
            self._heard[connection_id] += 1
            yield self._heard[connection_id]


class DynamoDbConnections:
    """Sockets, subscriptions and players in one table. Methods raise botocore's errors."""

    def __init__(
        self,
        client: "Callable[[], DynamoDBClient]",
        table: str,
        pause: Callable[[float], None] = time.sleep,
        changed: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``client`` returns it on first use; ``changed`` is told whose sockets are others now."""
        self._client = client
        self._table = table
        self._pause = pause
        self._changed = changed
        self._topics = Topics(client, table, pause)
        self._frames = FramesHeard()

    def add(self, connection: Connection, now_ms: int) -> None:
        item = item_of_connection(connection, now_ms)
        self._client().put_item(TableName=self._table, Item=item)

    def count_frame(self, connection_id: str, now_ms: int) -> Connection | None:
        with self._frames.counting(connection_id, now_ms) as heard:
            unwritten = heard % WRITTEN_TOGETHER
            key = connection_key(connection_id)
            if unwritten:
                item = get(self._client(), self._table, key)
            else:
                some = {":some": {"N": str(WRITTEN_TOGETHER)}}
                item = self._change(key, counting(now_ms), some)
        if item is None:
            return None
        known = connection_of_item(item, now_ms)
        return replace(known, frames=known.frames + unwritten)

    def authenticate(self, connection_id: str, pubkey: str) -> None:
        """The socket, unless closed, is this player's. Raises ValueError for a bad pubkey."""
        proved = {":pubkey": {"BS": [bytes.fromhex(pubkey)]}}
        item = self._change(connection_key(connection_id), "ADD p :pubkey", proved)
        if item:
            kept = {"expires_at": item["expires_at"]}
            self._write(put({**key, **kept}) for key in player_keys(connection_id, pubkey))

    def meet(self, connection_id: str, pubkey: str) -> None:
        """The socket, unless closed, brought an event of this player's. ValueError as above."""
        brought = {":pubkey": {"BS": [bytes.fromhex(pubkey)]}}
        item = self._change(connection_key(connection_id), "ADD w :pubkey", brought)
        if item:
            kept = {"expires_at": item["expires_at"]}
            keys = player_keys(connection_id, pubkey, kind="a")
            self._write(put({**key, **kept}) for key in keys)
            self._changed(pubkey)

    def here_since(self, pubkey: str) -> int | None:
        expiries = (int(item["expires_at"]["N"]) for item in self._query(f"a#{pubkey}"))
        return min(((it - KEPT_SECONDS) * 1000 for it in expiries), default=None)

    def sockets_of(self, pubkey: str) -> tuple[str, ...]:
        return tuple(item["sk"]["S"] for item in self._query(f"n#{pubkey}"))

    def brought_by(self, pubkey: str) -> tuple[str, ...]:
        return tuple(item["sk"]["S"] for item in self._query(f"a#{pubkey}"))

    def open_subscriptions(self, address: str, now_ms: int) -> int:
        """As counted, in an item that expires when the sockets of the latest must be gone."""
        item = get(self._client(), self._table, address_key(address))
        if item is None or int(item["expires_at"]["N"]) <= now_ms // 1000:
            return 0
        return int(item["n"]["N"])

    def is_crowded(self, topics: Sequence[str], address: str, most: int) -> bool:
        return bool(topics) and self._topics.count_from(address, map(short, topics)) >= most

    def subscribe(
        self, connection_id: str, subscription: Subscriber, topics: Sequence[str], now_ms: int
    ) -> None:
        """File a subscription under each topic, in place of one of its id, unless closed."""
        id_ = subscription.subscription_id
        filed = [*dict.fromkeys(short(topic) for topic in topics)]
        older = self._client().put_item(
            TableName=self._table,
            Item=item_of_filing(connection_id, id_, filed, now_ms),
            ReturnValues="ALL_OLD",
        )
        before = set(topics_of_filing(older.get("Attributes", {})))
        self._topics.join(subscription, filed, before, now_ms)
        self._topics.leave(member_name(connection_id, id_), sorted(before - set(filed)))
        self._topics.mark_joined(subscription, now_ms)
        listed = {":ids": {"SS": [id_]}}
        if item := self._change(connection_key(connection_id), "ADD s :ids", listed):
            if not older.get("Attributes"):
                self._count_opened(item["a"]["S"], now_ms)
        else:
            # Closing the socket may have removed our filing already, so delete what we wrote.
            self._topics.leave(member_name(connection_id, id_), filed)
            self._topics.mark_left()
            self._write([delete(filing_key(connection_id, id_))])

    def unsubscribe(self, connection_id: str, subscription_id: str) -> None:
        key = filing_key(connection_id, subscription_id)
        answer = self._client().delete_item(TableName=self._table, Key=key, ReturnValues="ALL_OLD")
        topics = topics_of_filing(answer.get("Attributes", {}))
        if topics:
            self._topics.leave(member_name(connection_id, subscription_id), topics)
            self._topics.mark_left()
        listed = {":ids": {"SS": [subscription_id]}}
        item = self._change(connection_key(connection_id), "DELETE s :ids", listed)
        if item and answer.get("Attributes"):
            self._count_closed(item["a"]["S"], 1)

    def subscribers(
        self, topics: Sequence[str], kinds: Collection[int], now_ms: int
    ) -> Mapping[str, TopicSubscribers]:
        names = {short(topic): topic for topic in topics}
        filed = self._topics.filed(names, kinds, now_ms)
        return {names[name]: of_one for name, of_one in filed.items()}

    def overflow_subscribers(self, topic: str) -> Sequence[Subscriber]:
        return tuple(self._topics.overflow_subscribers(short(topic)))

    def sample_subscribers(self, topic: str, most: int) -> Sequence[Subscriber]:
        return self._topics.sample_subscribers(short(topic), most)

    def remove(self, connection_id: str) -> None:
        """Remove a socket and its filings; the list of those goes last, to be repeated."""
        client = self._client()
        key = connection_key(connection_id)
        known = client.delete_item(TableName=self._table, Key=key, ReturnValues="ALL_OLD")
        listed = [*partition(client, self._table, f"c#{connection_id}")]
        for item in listed:
            kind, _, rest = item["sk"]["S"].partition("#")
            if kind == "s":
                # ``rest`` is the ``short`` id already.
                self._topics.leave(f"{connection_id}#{rest}", topics_of_filing(item))
        if any(map(topics_of_filing, listed)):
            self._topics.mark_left()
        of_players = [it["sk"]["S"] for it in listed if it["sk"]["S"].startswith(("n#", "a#"))]
        self._write(
            delete(player_keys(connection_id, name[2:], kind=name[0])[0]) for name in of_players
        )
        self._write(delete({"pk": item["pk"], "sk": item["sk"]}) for item in listed)
        socket = known.get("Attributes", {})
        if open_ids := socket.get("s", {}).get("SS", ()):
            self._count_closed(socket["a"]["S"], len(open_ids))
        for name in of_players:
            if name.startswith("a#"):
                self._changed(name[2:])

    def _change(self, key: Item, expression: str, values: Item) -> Item | None:
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
            if not failed_its_condition(error):
                raise
            return None

    def _count_opened(self, address: str, now_ms: int) -> None:
        """Count one more of this address; anew, where those counted must be gone."""
        try:
            self._client().update_item(
                TableName=self._table,
                Key=address_key(address),
                UpdateExpression="ADD n :one SET expires_at = :expiry",
                ConditionExpression="attribute_not_exists(pk) OR expires_at > :now",
                ExpressionAttributeValues={
                    ":one": {"N": "1"},
                    ":expiry": expiry(now_ms)["expires_at"],
                    ":now": {"N": str(now_ms // 1000)},
                },
            )
        except ClientError as error:
            if not failed_its_condition(error):
                raise
            item = {**address_key(address), "n": {"N": "1"}, **expiry(now_ms)}
            self._client().put_item(TableName=self._table, Item=item)

    def _count_closed(self, address: str, number: int) -> None:
        self._change(address_key(address), "ADD n :less", {":less": {"N": str(-number)}})

    def _query(self, name: str) -> Iterator[Item]:
        return partition(self._client(), self._table, name)

    def _write(self, writes: Iterable[Write]) -> None:
        write_all(self._client(), self._table, writes, self._pause)


_SLACK_SECONDS = 60
"""Machines' clocks differ: a counter must outlast its window on all of them."""


class DynamoDbRateLimits:
    """Counters, one write each: ``r#``, key, window's length and number; ``n`` is the count.
    Windows are fixed, so up to twice the limit can pass across a boundary.
    """

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        self._client = client
        self._table = table

    def take(self, key: str, limit: int, window_seconds: int, now_ms: int, count: int = 1) -> bool:
        """Add ``count`` in the present window; False above ``limit``. Raises botocore's errors."""
        number = now_ms // (window_seconds * 1000)
        expires_at = (number + 1) * window_seconds + _SLACK_SECONDS
        answer = self._client().update_item(
            TableName=self._table,
            Key={"pk": {"S": f"r#{short(key)}"}, "sk": {"S": f"{window_seconds}#{number}"}},
            UpdateExpression="ADD n :count SET expires_at = :expires_at",
            ExpressionAttributeValues={
                ":count": {"N": str(count)},
                ":expires_at": {"N": str(expires_at)},
            },
            ReturnValues="UPDATED_NEW",
        )
        return int(answer["Attributes"]["n"]["N"]) <= limit


_KEPT_DAYS_SECONDS = 8 * 86_400


class DynamoDbDayCounters:
    """Amounts spent: key ``b#`` and the day, then the name, ``-`` for all; an attribute a unit."""

    def __init__(self, client: "Callable[[], DynamoDBClient]", table: str) -> None:
        self._client = client
        self._table = table

    def add(self, day: str, name: str, amounts: Mapping[str, int]) -> Mapping[str, int]:
        """One write. Raises botocore's errors."""
        began = datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()
        values = {f":{unit}": {"N": str(amount)} for unit, amount in amounts.items()}
        added = ", ".join(f"{unit} :{unit}" for unit in amounts)
        answer = self._client().update_item(
            TableName=self._table,
            Key={"pk": {"S": f"b#{day}"}, "sk": {"S": short(name) if name else "-"}},
            UpdateExpression=f"ADD {added} SET expires_at = :expires_at",
            ExpressionAttributeValues={
                **values,
                ":expires_at": {"N": str(round(began) + _KEPT_DAYS_SECONDS)},
            },
            ReturnValues="ALL_NEW",
        )
        return _amounts(answer["Attributes"])

    def spent(self, day: str) -> Mapping[str, Mapping[str, int]]:
        found = partition(self._client(), self._table, f"b#{day}")
        return {item["sk"]["S"].removeprefix("-"): _amounts(item) for item in found}


def _amounts(item: Item) -> Mapping[str, int]:
    numbers = {unit: it["N"] for unit, it in item.items() if "N" in it and unit != "expires_at"}
    return {unit: int(number) for unit, number in numbers.items()}
