"""Topics as one process knows them, while another one files subscriptions to them."""

import itertools
import secrets
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from arbiter.adapters.dynamodb.connection_items import KEPT_SECONDS
from arbiter.adapters.dynamodb.connections import DynamoDbConnections
from arbiter.adapters.dynamodb.topic_cache import MARK_KEYS, kinds_of
from arbiter.application.connections import Connection, Subscriber
from arbiter.nostr.filters import Filter
from tests.adapters.sockets_table import SocketsTable
from tests.builders import NOW_MS

MINE = Subscriber("one", "sub:1", (Filter(kinds=(20302,)),), NOW_MS // 1000, "192.0.2.7")
OF_MOVES = Subscriber("one", "moves", (Filter(kinds=(20303,)),), NOW_MS // 1000, "192.0.2.7")
OF_ALL = Subscriber("one", "all", (Filter(authors=("ab" * 32,)),), NOW_MS // 1000, "192.0.2.7")
TABLE = "sockets"
MARKS = [key["pk"]["S"] for key in MARK_KEYS]


@pytest.fixture(autouse=True)
def first_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process reads the first copy of the mark."""
    monkeypatch.setattr("secrets.choice", lambda keys: keys[0])


class Interrupted:
    """A table of which each key of a batch is read by itself, the mark first or last; ``writes``
    are made when ``moments`` many reads were, in order.
    """

    def __init__(self, *, mark_first: bool) -> None:
        self.table = SocketsTable()
        self.reads: list[str] = []
        self.writes: list[tuple[int, str, dict[str, Any]]] = []
        self._mark_first = mark_first

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def batch_get_item(self, RequestItems: Any) -> Any:  # noqa: N803 - botocore's name
        keys = RequestItems[TABLE]["Keys"]
        found = []
        for key in keys if self._mark_first else reversed(keys):
            self.write()
            answer = self.table.get_item(Key=key)
            self.reads.append(key["pk"]["S"])
            found += [answer["Item"]] if "Item" in answer else []
        return {"Responses": {TABLE: found}}

    def write(self) -> None:
        while self.writes and self.writes[0][0] <= len(self.reads):
            _, name, arguments = self.writes.pop(0)
            getattr(self.table, name)(**arguments)


class Noted:
    """A client that notes each call that is made of it."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        def call(**arguments: Any) -> Any:
            self.calls.append((name, arguments))
            return getattr(self._client, name)(**arguments)

        return call


def process(table: Any) -> DynamoDbConnections:
    return DynamoDbConnections(lambda: table, TABLE)


def opened(table: Any) -> None:
    connection = Connection(id="one", address="192.0.2.7", challenge="c", opened_at_ms=NOW_MS)
    process(table).add(connection, NOW_MS)


def subscribing(topics: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    noted = Noted(Interrupted(mark_first=True))
    opened(noted)
    noted.calls.clear()
    process(noted).subscribe("one", MINE, topics, NOW_MS)
    return [(name, said) for name, said in noted.calls if said.get("Key") not in MARK_KEYS[1:]]


def every_moment(calls: int, last: int) -> Iterator[tuple[int, ...]]:
    """All ways to make so many calls one after the other by the ``last`` read."""
    return itertools.combinations_with_replacement(range(last + 1), calls)


@pytest.mark.parametrize("is_wanted", [False, True])
@pytest.mark.parametrize("mark_first", [True, False])
def test_a_subscription_is_found_whenever_it_was_confirmed_before(
    *, mark_first: bool, is_wanted: bool
) -> None:
    calls = subscribing(["a"])
    begun = SocketsTable()
    opened(begun)
    if is_wanted:  # so that topics are read with the mark, and before it
        process(begun).subscribe("one", replace(MINE, subscription_id="2"), ["b"], NOW_MS)
    for moments in every_moment(len(calls), 8):
        table = Interrupted(mark_first=mark_first)
        table.table = deepcopy(begun)
        table.writes = [
            (at, name, arguments) for at, (name, arguments) in zip(moments, calls, strict=True)
        ]
        publisher = process(table)
        for topics in (["a"], ["a"], ["b", "a"], ["a"], ["a"], ["a"], ["a"]):
            table.write()
            is_confirmed = not table.writes
            found = publisher.subscribers(topics, (20302,), NOW_MS)
            assert not is_confirmed or found["a"].subscribers, moments


@pytest.mark.parametrize("mark", MARKS)
def test_what_is_known_is_not_read_again_until_a_subscription_begins_or_ends(
    mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.choice", lambda keys: keys[MARKS.index(mark)])
    table = Interrupted(mark_first=True)
    opened(table)
    publisher, gateway = process(table), process(table)

    def read(*topics: str) -> list[str]:
        table.reads.clear()
        publisher.subscribers(topics, (20302,), NOW_MS)
        return table.reads[:]

    gateway.subscribe("one", MINE, ["a"], NOW_MS)
    assert read("a", "b") == [mark, "t#a", "t#b"]
    assert read("a", "b") == [mark]
    assert read("b", "c") == [mark, "t#c"]
    gateway.subscribe("one", MINE, ["a"], NOW_MS)
    assert read("a", "b") == [mark, "t#a", "t#b"]
    assert read("a", "d") == [mark, "t#d"]
    gateway.unsubscribe("one", "sub:1")
    assert read("a") == [mark, "t#a"]
    gateway.subscribe("one", MINE, ["a"], NOW_MS)
    read("a")
    gateway.remove("one")
    assert read("a") == [mark, "t#a"]


def test_no_topic_is_read_for_kinds_that_no_open_subscription_wants() -> None:
    table = Interrupted(mark_first=True)
    opened(table)
    publisher, gateway = process(table), process(table)

    def is_read(*kinds: int, now_ms: int = NOW_MS) -> bool:
        table.reads.clear()
        # A topic that is not known.
        publisher.subscribers([secrets.token_hex(8)], kinds, now_ms)
        return len(table.reads) == 2

    assert not is_read(20302)
    gateway.subscribe("one", MINE, ["p:bob"], NOW_MS)
    assert [is_read(20302), is_read(20303), is_read(20303, 20302)] == [True, False, True]
    gateway.subscribe("one", OF_MOVES, ["d:game"], NOW_MS + 1000)
    gateway.unsubscribe("one", "moves")
    assert [is_read(20302), is_read(20303), is_read(20304)] == [True, True, False]
    gone_ms = NOW_MS + KEPT_SECONDS * 1000
    assert is_read(20302, now_ms=gone_ms - 1000)
    assert not is_read(20302, now_ms=gone_ms)
    assert is_read(20303, now_ms=gone_ms)
    gateway.subscribe("one", OF_ALL, ["p:bob"], NOW_MS)
    assert is_read(20304)


@pytest.mark.parametrize("kinds", [(), (20302, 1), tuple(range(40_000))])
def test_what_this_release_does_not_know_of_counts_as_every_kind(kinds: tuple[int, ...]) -> None:
    stranger = replace(MINE, filters=(Filter(kinds=(20302,)), Filter(kinds=kinds)))

    assert kinds_of(stranger) == ["k#*"]


def test_what_ended_is_found_no_more() -> None:
    table = Interrupted(mark_first=True)
    opened(table)
    publisher, gateway = process(table), process(table)
    gateway.subscribe("one", MINE, ["a"], NOW_MS)
    assert [[*publisher.subscribers(["a"], (20302,), NOW_MS)] for _ in range(3)] == [["a"]] * 3

    gateway.remove("one")
    filed = publisher.subscribers(["a"], (20302,), NOW_MS).values()
    assert [one for each in filed for one in each.subscribers] == []


def test_a_process_does_not_remember_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbiter.adapters.dynamodb.topic_cache._MOST", 10)
    table = Interrupted(mark_first=True)
    publisher = process(table)
    for number in range(100):
        publisher.subscribers([f"d:{number}", "k:20302"], (20302,), NOW_MS)

    assert len(publisher._topics._cache.present.filed) <= 10
