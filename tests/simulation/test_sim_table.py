"""What the simulated table does that nothing else can be asked for: time, lag, and faults on call.

What it has in common with DynamoDB is in tests/contract.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.fakes.faults import Crash, Hook, crash_at, quiet
from tests.simulation.aws_errors import (
    Unsupported,
    answer_lost,
    internal_error,
    throttled,
    transaction_conflict,
)
from tests.simulation.sim_table import SimDynamoDb
from tests.simulation.table_changes import Wrote
from tests.template.source import properties

KEY = {"pk": {"S": "one"}}
ONCE = {"ConditionExpression": "attribute_not_exists(pk)"}


def a_table(clock: FakeClock | None = None, hook: Hook = quiet, **more: Any) -> SimDynamoDb:
    made = SimDynamoDb(clock or FakeClock(NOW_MS), hook, **more)
    written = properties("Table")
    asked = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
    made.create_table(TableName="t", **{name: written[name] for name in asked})
    return made


def put(table: SimDynamoDb, version: int, **more: Any) -> None:
    table.put_item(TableName="t", Item=KEY | {"v": {"N": str(version)}}, **more)


def got(table: SimDynamoDb, **more: Any) -> str | None:
    item = table.get_item(TableName="t", Key=KEY, **more).get("Item")
    return item["v"]["N"] if item else None


def raising(point: str, *errors: Exception) -> Hook:
    """A hook that raises these, one each time it comes to this point."""
    left = [*errors]

    def hook(reached: str) -> None:
        if reached == point and left:
            raise left.pop(0)

    return hook


def test_a_read_that_need_not_be_consistent_may_be_late() -> None:
    clock = FakeClock(NOW_MS)
    table = a_table(clock, lag_ms=lambda: 500)
    put(table, 1)
    assert got(table) is None
    assert got(table, ConsistentRead=True) == "1"

    clock.advance(1)
    put(table, 2)
    clock.advance(0.4)
    assert got(table) == "1"
    clock.advance(0.2)
    assert got(table) == "2"


def test_an_index_may_be_later_than_its_table() -> None:
    clock = FakeClock(NOW_MS)
    table = a_table(clock, index_lag_ms=lambda: 2_000)
    live = KEY | {"l": {"S": "1"}, "c": {"N": "1"}}
    ask: dict[str, Any] = {
        "TableName": "t",
        "IndexName": "live",
        "KeyConditionExpression": "l = :it",
        "ExpressionAttributeValues": {":it": {"S": "1"}},
    }

    table.put_item(TableName="t", Item=live)
    assert table.query(**ask)["Items"] == []
    clock.advance(2)
    assert table.query(**ask)["Items"] == [live]
    table.put_item(TableName="t", Item=KEY)
    assert table.query(**ask)["Items"] == [live]
    clock.advance(2)
    assert table.query(**ask)["Items"] == []


def test_what_expired_is_there_until_it_is_swept() -> None:
    clock = FakeClock(NOW_MS)
    table = a_table(clock)
    table.update_time_to_live(
        TableName="t", TimeToLiveSpecification={"AttributeName": "expires_at", "Enabled": True}
    )
    table.put_item(TableName="t", Item=KEY | {"expires_at": {"N": str(NOW_MS // 1000 + 10)}})
    table.put_item(TableName="t", Item={"pk": {"S": "kept"}})

    clock.advance(10)
    assert table.sweep() == 0
    clock.advance(1)
    assert table.peek("t", "one") is not None
    assert table.sweep() == 1
    assert table.items("t") == [{"pk": {"S": "kept"}}]


def test_a_fault_before_a_write_is_tried_again_and_the_write_is_made_once() -> None:
    errors = throttled("PutItem"), internal_error("PutItem")
    table = a_table(hook=raising("dynamodb.put_item.asked", *errors))

    put(table, 1, **ONCE)

    assert got(table) == "1"
    assert table.units["write"] == 1


def test_a_fault_that_lasts_is_told() -> None:
    errors = [throttled("PutItem") for _ in range(3)]
    table = a_table(hook=raising("dynamodb.put_item.asked", *errors))

    with pytest.raises(ClientError, match="ThrottlingException"):
        put(table, 1)

    assert got(table) is None


def test_a_write_whose_answer_is_lost_meets_itself_when_it_is_sent_again() -> None:
    table = a_table(hook=raising("dynamodb.put_item.done", answer_lost()))

    with pytest.raises(ClientError) as error:
        put(table, 1, **ONCE, ReturnValuesOnConditionCheckFailure="ALL_OLD")

    assert error.value.response["Item"] == KEY | {"v": {"N": "1"}}  # type: ignore[typeddict-item]


def test_a_write_whose_answers_are_all_lost_was_made() -> None:
    lost = [answer_lost() for _ in range(3)]
    table = a_table(hook=raising("dynamodb.put_item.done", *lost))

    with pytest.raises(ReadTimeoutError):
        put(table, 1)

    assert got(table) == "1"


def test_a_crash_is_not_tried_again() -> None:
    table = a_table(hook=crash_at("dynamodb.put_item.done"))

    with pytest.raises(Crash):
        put(table, 1)

    assert got(table) == "1"


def counting(key: dict[str, Any]) -> dict[str, Any]:
    add = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    return {"Update": {"TableName": "t", "Key": key, **add}}


def test_a_transaction_whose_answer_is_lost_is_made_once() -> None:
    table = a_table(hook=raising("dynamodb.transact_write_items.done", answer_lost()))

    table.transact_write_items(TransactItems=[counting(KEY)])

    assert table.peek("t", "one") == KEY | {"n": {"N": "1"}}


def test_a_token_is_forgotten_after_ten_minutes() -> None:
    clock = FakeClock(NOW_MS)
    table = a_table(clock)
    for seconds in (0, 599, 1):
        clock.advance(seconds)
        table.transact_write_items(TransactItems=[counting(KEY)], ClientRequestToken="same")

    assert table.peek("t", "one") == KEY | {"n": {"N": "2"}}


def test_a_conflict_of_transactions_is_not_tried_again() -> None:
    conflict = transaction_conflict("TransactWriteItems", items=2)
    table = a_table(hook=raising("dynamodb.transact_write_items.asked", conflict))

    with pytest.raises(ClientError) as error:
        table.transact_write_items(TransactItems=[counting(KEY), counting({"pk": {"S": "two"}})])

    answer: Any = error.value.response
    codes = [reason["Code"] for reason in answer["CancellationReasons"]]
    assert codes == ["TransactionConflict", "None"]
    assert table.items("t") == []


def test_an_entry_of_a_batch_may_be_left_out() -> None:
    table = a_table(hook=raising("dynamodb.batch_write_item.entry", throttled("BatchWriteItem")))
    first, second = ({"PutRequest": {"Item": {"pk": {"S": name}}}} for name in ("one", "two"))

    answer = table.batch_write_item(RequestItems={"t": [first, second]})

    assert answer["UnprocessedItems"] == {"t": [first]}
    assert table.items("t") == [{"pk": {"S": "two"}}]


def test_who_wants_to_know_hears_of_each_write_when_it_is_made() -> None:
    heard: list[tuple[str, Wrote]] = []

    def wrote(name: str, writes: Wrote) -> None:
        heard.append((name, writes))

    table = a_table()
    table.wrote = wrote
    put(table, 1)
    table.delete_item(TableName="t", Key=KEY)
    with pytest.raises(ClientError):
        put(table, 1, ConditionExpression="attribute_exists(pk)")

    item = KEY | {"v": {"N": "1"}}
    assert heard == [("t", [(("one",), None, item)]), ("t", [(("one",), item, None)])]


UNKNOWN: Sequence[dict[str, Any]] = [
    {"UpdateExpression": "SET v = v + :one"},
    {"UpdateExpression": "SET address = :one"},
    {"UpdateExpression": "SET v = :one", "ConditionExpression": "begins_with(pk, :one)"},
    {"UpdateExpression": "SET v = :one", "ConditionExpression": "v = :one OR v = :one"},
    {"UpdateExpression": "SET v = :one", "ReturnItemCollectionMetrics": "SIZE"},
    {"UpdateExpression": "SET v = :one", "ReturnValues": "UPDATED_OLD"},
]


@pytest.mark.parametrize("call", UNKNOWN, ids=str)
def test_what_the_table_was_not_taught_it_refuses_to_do(call: dict[str, Any]) -> None:
    values = {":one": {"N": "1"}}

    with pytest.raises(Unsupported):
        a_table().update_item(TableName="t", Key=KEY, ExpressionAttributeValues=values, **call)
