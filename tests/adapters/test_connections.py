"""What the memory of sockets asks of DynamoDB, and what it makes of answers no emulator gives."""

import threading
from collections import Counter
from typing import Any

import pytest
from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.connection_items import items_of_topics
from arbiter.adapters.dynamodb.connections import (
    ATTEMPTS,
    ConnectionsOverloaded,
    DynamoDbConnections,
)
from arbiter.adapters.dynamodb.counters import DynamoDbRateLimits
from arbiter.application.connections import Connection, Subscriber
from arbiter.nostr.filters import Filter
from tests.builders import ALICE, NOW_MS

STATES = Filter(kinds=(20302,))


class Table:
    """A table of nothing that remembers what it was asked, and answers as it was told to."""

    def __init__(self, **answers: Any) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.pauses: list[float] = []
        self._answers = answers
        self._lock = threading.Lock()

    def __getattr__(self, operation: str) -> Any:
        def ask(**arguments: Any) -> Any:
            with self._lock:
                self.asked.append((operation, arguments))
                answer = self._answers.get(operation, {})
                if isinstance(answer, list):
                    answer = answer.pop(0) if answer else {}
            if isinstance(answer, Exception):
                raise answer
            return answer(arguments) if callable(answer) else answer

        return ask

    @property
    def operations(self) -> list[str]:
        return [operation for operation, _ in self.asked]

    @property
    def written(self) -> list[int]:
        """How many writes each call had."""
        return [
            len(arguments["RequestItems"]["sockets"])
            for operation, arguments in self.asked
            if operation == "batch_write_item"
        ]

    @property
    def connections(self) -> DynamoDbConnections:
        return DynamoDbConnections(lambda: self, "sockets", self.pauses.append)  # type: ignore[arg-type,return-value]


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": ""}}, "AnOperation")


def standing(frames: dict[str, Any] | None = None) -> dict[str, Any]:
    """The answer to an update of a socket's item."""
    item = {"pk": {"S": "c#one"}, "sk": {"S": "-"}, "a": {"S": ""}, "h": {"S": ""}}
    return {"Attributes": {**item, "o": {"N": "1"}, "expires_at": {"N": "2"}, **(frames or {})}}


def no_items(arguments: dict[str, Any]) -> dict[str, Any]:
    del arguments
    return {"Items": []}


def test_a_frame_costs_one_write_and_no_read() -> None:
    table = Table(update_item=standing())

    table.connections.heard_from("one", NOW_MS)

    ((operation, arguments),) = table.asked
    assert operation == "update_item"
    assert arguments["ConditionExpression"] == "attribute_exists(pk)"
    # DynamoDB's own limit on an expression.
    assert len(arguments["UpdateExpression"]) < 4_096


def test_the_counters_of_past_windows_do_not_pile_up() -> None:
    table = Table(update_item=standing())
    counters: set[str] = set()

    for minute in range(120):
        table.connections.heard_from("one", NOW_MS + minute * 60_000)
        added, _, removed = table.asked[-1][1]["UpdateExpression"].partition(" REMOVE ")
        counters.add(added.split()[1])
        counters -= set(removed.split(", "))

    assert len(counters) == 1


def test_a_socket_is_half_a_kilobyte_in_the_table() -> None:
    table = Table()
    table.connections.opened(
        Connection(id="L0SM9cOFvHcCIhw=", address="f" * 39, challenge="c" * 64, opened_at_ms=1),
        NOW_MS,
    )

    assert len(str(table.asked[0][1]["Item"])) < 512


@pytest.mark.parametrize("operation", ["heard_from", "proved", "subscribe", "unsubscribe"])
def test_a_failure_of_the_table_is_not_taken_for_a_socket_that_closed(operation: str) -> None:
    table = Table(update_item=refused("InternalServerError"))
    arguments: dict[str, tuple[Any, ...]] = {
        "heard_from": ("one", NOW_MS),
        "proved": ("one", ALICE.pubkey),
        "subscribe": ("one", Subscriber("one", "s", (STATES,)), ["a"], NOW_MS),
        "unsubscribe": ("one", "s"),
    }

    with pytest.raises(ClientError):
        getattr(table.connections, operation)(*arguments[operation])


def test_a_delivery_asks_one_strong_question_a_topic() -> None:
    table = Table(query=no_items)

    table.connections.subscribers(["d:game", "p:alice", "p:bob", "d:game"])

    assert table.operations == ["query"] * 3
    assert [arguments for _, arguments in table.asked if not arguments["ConsistentRead"]] == []
    partitions = {
        arguments["ExpressionAttributeValues"][":pk"]["S"] for _, arguments in table.asked
    }
    assert partitions == {"t#d:game", "t#p:alice", "t#p:bob"}


def test_topics_are_asked_for_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=30)

    def answer(arguments: dict[str, Any]) -> dict[str, Any]:
        together.wait()
        return no_items(arguments)

    table = Table(query=answer)

    assert table.connections.subscribers(["a", "b", "c"]) == ()


def test_a_failed_question_fails_the_look_up() -> None:
    table = Table(query=[refused("InternalServerError"), {"Items": []}, {"Items": []}])

    with pytest.raises(ClientError):
        table.connections.subscribers(["a", "b", "c"])


def test_a_subscription_of_a_newer_version_disturbs_no_other() -> None:
    mine = Subscriber("one", "sub:1", (STATES,))
    (item,) = items_of_topics(mine, ["a"], NOW_MS)
    newer = {**item, "sk": {"S": "one#sub:2"}, "f": {"S": '[{"kinds":[1]},{"near":"Zurich"}]'}}

    assert Table(query={"Items": [newer, item]}).connections.subscribers(["a"]) == (mine,)


def unprocessed(number: int) -> Any:
    """An answer that leaves the last ``number`` of the writes that were asked for."""

    def answer(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"UnprocessedItems": {"sockets": arguments["RequestItems"]["sockets"][-number:]}}

    return answer


def test_writes_that_were_left_are_made_again_and_those_alone() -> None:
    answers = [unprocessed(20), unprocessed(5), {}, {}]
    table = Table(batch_write_item=answers, update_item=standing())
    topics = [f"d:{number}" for number in range(30)]

    table.connections.subscribe("one", Subscriber("one", "s", (STATES,)), topics, NOW_MS)

    assert table.written == [25, 20, 5, 5]
    assert table.pauses == [0.05, 0.1]


def test_a_table_that_takes_nothing_is_given_up_after_a_second() -> None:
    table = Table(batch_write_item=unprocessed(1), update_item=standing())

    with pytest.raises(ConnectionsOverloaded):
        table.connections.subscribe("one", Subscriber("one", "s", (STATES,)), ["a"], NOW_MS)

    assert table.written == [1] * ATTEMPTS
    assert 0.5 < sum(table.pauses) < 1


def test_a_socket_that_was_forgotten_by_half_can_be_forgotten_again() -> None:
    filed = {
        "pk": {"S": "c#one"},
        "sk": {"S": "s#sub:1"},
        "t": {"SS": ["a", "b"]},
        "expires_at": {"N": "1"},
    }
    voice = {"pk": {"S": "c#one"}, "sk": {"S": f"n#{ALICE.pubkey}"}, "expires_at": {"N": "1"}}
    table = Table(
        query={"Items": [filed, voice]},
        batch_write_item=[refused("InternalServerError"), {}, {}],
    )
    with pytest.raises(ClientError):
        table.connections.closed("one")
    # What tells where the rest is has not been touched yet.
    assert table.written == [3]

    table.connections.closed("one")

    assert table.written == [3, 3, 2]
    deleted = [
        write["DeleteRequest"]["Key"]["pk"]["S"]
        for _, arguments in table.asked[-2:]
        for write in arguments["RequestItems"]["sockets"]
    ]
    assert Counter(deleted) == Counter(["t#a", "t#b", f"n#{ALICE.pubkey}", "c#one", "c#one"])


def test_a_rate_is_taken_with_one_write_and_its_counter_expires() -> None:
    table = Table(update_item={"Attributes": {"n": {"N": "4"}}})
    limits = DynamoDbRateLimits(lambda: table, "sockets")  # type: ignore[arg-type,return-value]

    assert limits.take("a", 4, 60, 120_000)
    assert not limits.take("a", 3, 60, 179_999)

    assert table.operations == ["update_item"] * 2
    for _, arguments in table.asked:
        expires_at = int(arguments["ExpressionAttributeValues"][":expires_at"]["N"])
        assert 180 < expires_at <= 180 + 3_600
