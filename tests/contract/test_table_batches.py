"""What AWS documents of several items in DynamoDB: transactions, batches, queries, and what each is
counted as. As test_table_semantics.py.
"""

from typing import Any
from uuid import uuid4

import pytest

from tests.contract.table_cloud import Item, TableCloud, a_key, number

CANCELLED = "TransactionCanceledException"
ONCE = {"ConditionExpression": "attribute_not_exists(pk)"}


def keys(count: int) -> list[Item]:
    return [a_key() for _ in range(count)]


def test_a_transaction_writes_everything(table_cloud: TableCloud) -> None:
    put, updated, deleted = keys(3)
    table_cloud.put(deleted)
    change = {
        "TableName": table_cloud.games,
        "Key": updated,
        "UpdateExpression": "SET v = :one",
        "ExpressionAttributeValues": {":one": number(1)},
    }

    table_cloud.transact(
        table_cloud.put_write(put),
        {"Update": change},
        {"Delete": {"TableName": table_cloud.games, "Key": deleted}},
    )

    assert table_cloud.get(put) == put
    assert table_cloud.get(updated) == updated | {"v": number(1)}
    assert table_cloud.get(deleted) is None


def test_a_transaction_of_which_one_part_fails_writes_nothing(table_cloud: TableCloud) -> None:
    fresh, taken = keys(2)
    table_cloud.put(taken | {"v": number(1)})

    answer = table_cloud.refuses(
        CANCELLED,
        "transact_write_items",
        TransactItems=[
            table_cloud.put_write(fresh, **ONCE),
            table_cloud.put_write(taken, **ONCE, ReturnValuesOnConditionCheckFailure="ALL_OLD"),
        ],
    )

    reasons = answer["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"]
    assert reasons[1]["Item"] == taken | {"v": number(1)}
    assert table_cloud.get(fresh) is None


def test_a_transaction_has_a_hundred_items(table_cloud: TableCloud) -> None:
    many = keys(100)
    table_cloud.transact(*map(table_cloud.put_write, many))

    assert [table_cloud.get(key) for key in (many[0], many[-1])] == [many[0], many[-1]]


def test_a_transaction_has_no_more(table_cloud: TableCloud) -> None:
    writes = [*map(table_cloud.put_write, keys(101))]
    assert table_cloud.invalid("transact_write_items", TransactItems=writes)


def test_a_transaction_puts_an_item_once(table_cloud: TableCloud) -> None:
    key = a_key()
    writes = [table_cloud.put_write(key), table_cloud.put_write(key | {"v": number(1)})]
    assert table_cloud.invalid("transact_write_items", TransactItems=writes)
    assert table_cloud.get(key) is None


def test_a_transaction_updates_an_item_once(table_cloud: TableCloud) -> None:
    key = a_key()
    writes = [counting(table_cloud.games, key), counting(table_cloud.games, key)]
    assert table_cloud.invalid("transact_write_items", TransactItems=writes)
    assert table_cloud.get(key) is None


def test_a_transaction_has_no_more_than_four_megabytes(table_cloud: TableCloud) -> None:
    large = {"m": {"B": bytes(390 * 1024)}}
    writes = [table_cloud.put_write(key | large) for key in keys(11)]
    assert table_cloud.invalid("transact_write_items", TransactItems=writes)


def test_a_transaction_with_an_item_that_is_too_large_writes_nothing(
    table_cloud: TableCloud,
) -> None:
    fresh, larger = keys(2)
    writes = [
        table_cloud.put_write(fresh),
        table_cloud.put_write(larger | {"m": {"B": bytes(400 * 1024)}}),
    ]
    assert table_cloud.invalid("transact_write_items", TransactItems=writes)
    assert table_cloud.get(fresh) is None


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("SET i = :it", {"B": bytes(210 * 1024)}),
        ("ADD e :it", number(1)),
        ("SET w = :it", number(1)),
    ],
    ids=["size", "operand", "index"],
)
def test_an_update_that_does_not_fit_its_item_cancels_the_transaction(
    table_cloud: TableCloud, expression: str, value: Item
) -> None:
    fresh, standing = keys(2)
    table_cloud.put(standing | {"e": {"S": "text"}, "m": {"B": bytes(200 * 1024)}})
    change = {
        "TableName": table_cloud.games,
        "Key": standing,
        "UpdateExpression": expression,
        "ExpressionAttributeValues": {":it": value},
    }

    answer = table_cloud.refuses(
        CANCELLED,
        "transact_write_items",
        TransactItems=[table_cloud.put_write(fresh), {"Update": change}],
    )

    codes = [reason["Code"] for reason in answer["CancellationReasons"]]
    assert codes == ["None", "ValidationError"]
    assert table_cloud.get(fresh) is None


def counting(table: str, key: Item) -> dict[str, Any]:
    change = {
        "TableName": table,
        "Key": key,
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": number(1)},
    }
    return {"Update": change}


def test_a_transaction_that_is_sent_again_is_made_once(table_cloud: TableCloud) -> None:
    key, token = a_key(), uuid4().hex
    for _ in range(2):
        table_cloud.transact(counting(table_cloud.games, key), ClientRequestToken=token)

    assert table_cloud.get(key) == key | {"n": number(1)}


def test_a_token_is_for_one_transaction(table_cloud: TableCloud) -> None:
    one, other = keys(2)
    token = uuid4().hex
    table_cloud.transact(counting(table_cloud.games, one), ClientRequestToken=token)

    assert table_cloud.refuses(
        "IdempotentParameterMismatchException",
        "transact_write_items",
        TransactItems=[counting(table_cloud.games, other)],
        ClientRequestToken=token,
    )


def test_a_transaction_that_was_cancelled_may_be_sent_again(table_cloud: TableCloud) -> None:
    key, token = a_key(), uuid4().hex
    table_cloud.put(key)
    write = table_cloud.put_write(key | {"v": number(1)}, **ONCE)
    assert table_cloud.refuses(
        CANCELLED, "transact_write_items", TransactItems=[write], ClientRequestToken=token
    )
    table_cloud.dynamodb.delete_item(TableName=table_cloud.games, Key=key)

    table_cloud.transact(write, ClientRequestToken=token)

    assert table_cloud.get(key) == key | {"v": number(1)}


def test_a_batch_of_writes_is_made(table_cloud: TableCloud) -> None:
    *many, gone = keys(25)
    table_cloud.put(gone)
    writes: list[Item] = [{"PutRequest": {"Item": key}} for key in many]
    writes.append({"DeleteRequest": {"Key": gone}})

    answer = table_cloud.dynamodb.batch_write_item(RequestItems={table_cloud.games: writes})

    assert answer["UnprocessedItems"] == {}
    assert [table_cloud.get(key) for key in (many[0], many[-1], gone)] == [many[0], many[-1], None]


def test_a_batch_of_writes_has_25_of_them(table_cloud: TableCloud) -> None:
    writes = [{"PutRequest": {"Item": key}} for key in keys(26)]
    assert table_cloud.invalid("batch_write_item", RequestItems={table_cloud.games: writes})


def test_a_batch_of_writes_names_an_item_once(table_cloud: TableCloud) -> None:
    key = a_key()
    writes = [{"PutRequest": {"Item": key}}, {"DeleteRequest": {"Key": key}}]
    assert table_cloud.invalid("batch_write_item", RequestItems={table_cloud.games: writes})


def test_a_batch_of_reads_brings_what_is_there(table_cloud: TableCloud) -> None:
    one, two, missing = keys(3)
    table_cloud.put(one)
    table_cloud.put(two)

    asked = {table_cloud.games: {"Keys": [one, missing, two]}}
    answer = table_cloud.dynamodb.batch_get_item(RequestItems=asked)

    found = answer["Responses"][table_cloud.games]
    assert {item["pk"]["S"] for item in found} == {one["pk"]["S"], two["pk"]["S"]}
    assert answer["UnprocessedKeys"] == {}


@pytest.mark.parametrize("doubled", [False, True])
def test_a_batch_of_reads_asks_for_a_hundred_items_each_once(
    table_cloud: TableCloud, *, doubled: bool
) -> None:
    asked = [*keys(1)] * 2 if doubled else keys(101)
    assert table_cloud.invalid("batch_get_item", RequestItems={table_cloud.games: {"Keys": asked}})


def filed(table_cloud: TableCloud, *names: str) -> dict[str, Any]:
    """Items of one partition by these sort keys, and the query for them."""
    key = a_key()
    for name in names:
        item = key | {"sk": {"S": name}}
        table_cloud.dynamodb.put_item(TableName=table_cloud.short_lived, Item=item)
    return {
        "TableName": table_cloud.short_lived,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": key["pk"]},
        "ConsistentRead": True,
    }


def names(answer: dict[str, Any]) -> list[str]:
    return [item["sk"]["S"] for item in answer["Items"]]


def test_a_partition_comes_in_the_order_of_its_bytes(table_cloud: TableCloud) -> None:
    query = filed(table_cloud, "b", "a", "Z", "é", "z", "10", "9")

    assert names(table_cloud.dynamodb.query(**query)) == ["10", "9", "Z", "a", "b", "z", "é"]
    backwards = table_cloud.dynamodb.query(**query, ScanIndexForward=False)
    assert names(backwards) == ["é", "z", "b", "a", "Z", "9", "10"]


def test_a_page_says_where_the_next_begins(table_cloud: TableCloud) -> None:
    query = filed(table_cloud, *"abcde")

    first = table_cloud.dynamodb.query(**query, Limit=2)
    assert names(first) == ["a", "b"]
    assert first["LastEvaluatedKey"]["sk"] == {"S": "b"}
    after_b = {"ExclusiveStartKey": first["LastEvaluatedKey"]}
    assert names(table_cloud.dynamodb.query(**query, Limit=2, **after_b)) == ["c", "d"]
    assert names(table_cloud.dynamodb.query(**query, **after_b, ScanIndexForward=False)) == ["a"]


def test_a_page_that_is_just_full_may_not_be_the_last(table_cloud: TableCloud) -> None:
    query = filed(table_cloud, *"ab")

    first = table_cloud.dynamodb.query(**query, Limit=2)
    after_b = {"ExclusiveStartKey": first["LastEvaluatedKey"]}

    assert table_cloud.dynamodb.query(**query, **after_b)["Items"] == []


def test_a_page_begins_after_its_key_though_that_item_is_gone(table_cloud: TableCloud) -> None:
    query = filed(table_cloud, *"abc")
    gone = {"pk": query["ExpressionAttributeValues"][":pk"], "sk": {"S": "b"}}
    table_cloud.dynamodb.delete_item(TableName=table_cloud.short_lived, Key=gone)

    assert names(table_cloud.dynamodb.query(**query, ExclusiveStartKey=gone)) == ["c"]


def test_a_page_has_a_megabyte(table_cloud: TableCloud) -> None:
    query = filed(table_cloud)
    for name in "abcd":
        item = {"pk": query["ExpressionAttributeValues"][":pk"], "sk": {"S": name}}
        large = item | {"m": {"B": bytes(350 * 1024)}}
        table_cloud.dynamodb.put_item(TableName=table_cloud.short_lived, Item=large)

    first = table_cloud.dynamodb.query(**query)

    assert 2 <= len(first["Items"]) <= 3
    rest = table_cloud.dynamodb.query(**query, ExclusiveStartKey=first["LastEvaluatedKey"])
    assert names(first) + names(rest) == ["a", "b", "c", "d"]


def test_an_index_holds_what_has_its_keys_and_nothing_else_of_it(table_cloud: TableCloud) -> None:
    white = {"B": uuid4().bytes}
    later, earlier, unborn = keys(3)
    table_cloud.put(later | {"w": white, "c": number(10), "m": {"B": b"moves"}})
    table_cloud.put(earlier | {"w": white, "c": number(9)})
    table_cloud.put(unborn | {"w": white})

    answer = table_cloud.dynamodb.query(**of_white(table_cloud, white))

    kept = [earlier | {"w": white, "c": number(9)}, later | {"w": white, "c": number(10)}]
    assert answer["Items"] == kept


def of_white(table_cloud: TableCloud, white: Item) -> dict[str, Any]:
    return {
        "TableName": table_cloud.games,
        "IndexName": "white",
        "KeyConditionExpression": "w = :it",
        "ExpressionAttributeValues": {":it": white},
    }


def test_a_page_of_an_index_ends_with_the_keys_of_both(table_cloud: TableCloud) -> None:
    white = {"B": uuid4().bytes}
    for key in keys(3):
        table_cloud.put(key | {"w": white, "c": number(1)})
    query = of_white(table_cloud, white) | {"Limit": 2}

    first = table_cloud.dynamodb.query(**query)
    rest = table_cloud.dynamodb.query(**query, ExclusiveStartKey=first["LastEvaluatedKey"])

    assert {*first["LastEvaluatedKey"]} == {"pk", "w", "c"}
    assert len({item["pk"]["S"] for item in first["Items"] + rest["Items"]}) == 3


def test_an_index_is_asked_for_a_part_of_its_order(table_cloud: TableCloud) -> None:
    white = {"B": uuid4().bytes}
    for began, key in enumerate(keys(8)):
        table_cloud.put(key | {"w": white, "c": number(began)})
    query = of_white(table_cloud, white)
    query["KeyConditionExpression"] += " AND c <= :began"
    query["ExpressionAttributeValues"] |= {":began": number(6)}

    answer = table_cloud.dynamodb.query(**query, ScanIndexForward=False)

    assert [item["c"] for item in answer["Items"]] == [*map(number, range(6, -1, -1))]


def test_an_index_is_not_read_with_strong_consistency(table_cloud: TableCloud) -> None:
    query = of_white(table_cloud, {"B": b"white"})
    assert table_cloud.invalid("query", **query, ConsistentRead=True)


def test_a_query_names_one_partition(table_cloud: TableCloud) -> None:
    query = filed(table_cloud, "a") | {"KeyConditionExpression": "sk = :pk"}
    assert table_cloud.invalid("query", **query)


def units(answer: dict[str, Any]) -> float:
    """What a call was counted as."""
    counted = answer["ConsumedCapacity"]
    if isinstance(counted, list):
        return float(sum(one["CapacityUnits"] for one in counted))
    return float(counted["CapacityUnits"])


COUNTED: dict[str, Any] = {"ReturnConsumedCapacity": "TOTAL"}


@pytest.mark.parametrize(("size", "counted"), [(1, 1), (900, 1), (1100, 2), (5000, 5)])
def test_a_write_is_counted_by_the_kilobyte(
    table_cloud: TableCloud, size: int, counted: int
) -> None:
    item = a_key() | {"m": {"B": bytes(size)}}

    assert units(table_cloud.put(item, **COUNTED)) == counted
    # What is written over or deleted is counted as what it was, if that was larger.
    assert units(table_cloud.put({"pk": item["pk"]}, **COUNTED)) == counted


def test_a_transaction_is_counted_twice(table_cloud: TableCloud) -> None:
    writes = [table_cloud.put_write(key | {"m": {"B": bytes(1100)}}) for key in keys(2)]

    assert units(table_cloud.transact(*writes, **COUNTED)) == 8


@pytest.mark.parametrize(("size", "counted"), [(1, 1), (4000, 1), (4100, 2)])
def test_a_read_is_counted_by_four_kilobytes(
    table_cloud: TableCloud, size: int, counted: int
) -> None:
    key = a_key()
    table_cloud.put(key | {"m": {"B": bytes(size)}})
    call = {"TableName": table_cloud.games, "Key": key, **COUNTED}

    assert units(table_cloud.dynamodb.get_item(**call, ConsistentRead=True)) == counted
    assert units(table_cloud.dynamodb.get_item(**call)) == counted / 2


def test_a_write_to_an_index_is_counted_besides(table_cloud: TableCloud) -> None:
    key = a_key()
    indexed = key | {"w": {"B": b"white"}, "c": number(1)}

    assert units(table_cloud.put(indexed, **COUNTED)) == 2
    moved = table_cloud.update(key, "SET m = :m", {":m": {"B": b"moves"}}, **COUNTED)
    assert units(moved) == 1  # the index holds no moves
