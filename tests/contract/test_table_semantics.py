"""What AWS documents of one item in DynamoDB, asked of the simulated table and of all that stands
in for DynamoDB.

Where one of them is known to differ, known_differences.py says so, and the case is expected to fail
there.
"""

import pytest

from tests.contract.table_cloud import Item, TableCloud, a_key, number

CONDITION_FAILED = "ConditionalCheckFailedException"
LARGEST_ITEM = 400 * 1024


def test_a_write_whose_condition_fails_tells_what_stands_there(table_cloud: TableCloud) -> None:
    item = a_key() | {"v": number(2)}
    table_cloud.put(item)

    answer = table_cloud.refuses(
        CONDITION_FAILED,
        "update_item",
        TableName=table_cloud.games,
        Key={"pk": item["pk"]},
        UpdateExpression="SET v = :new",
        ConditionExpression="v = :standing",
        ExpressionAttributeValues={":new": number(2), ":standing": number(1)},
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )

    assert answer["Item"] == item
    assert table_cloud.get({"pk": item["pk"]}) == item


def test_who_does_not_ask_is_not_told_what_stands_there(table_cloud: TableCloud) -> None:
    item = a_key()
    table_cloud.put(item)

    answer = table_cloud.refuses(
        CONDITION_FAILED,
        "put_item",
        TableName=table_cloud.games,
        Item=item,
        ConditionExpression="attribute_not_exists(pk)",
    )

    assert "Item" not in answer


def test_where_nothing_stands_nothing_is_told(table_cloud: TableCloud) -> None:
    answer = table_cloud.refuses(
        CONDITION_FAILED,
        "delete_item",
        TableName=table_cloud.games,
        Key=a_key(),
        ConditionExpression="attribute_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )

    assert "Item" not in answer


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("v = :two", True),
        ("v < :ten", True),  # as numbers, not as text
        ("v <= :two", True),
        ("v < :two", False),
        ("v = :text", False),  # no number is a text
        ("v < :text", False),
        ("e = :octets", False),  # and no text is bytes
        ("w = :two", False),  # what is not there is equal to nothing
        ("w < :two", False),
        ("v = :two AND attribute_not_exists(w)", True),
        ("attribute_exists(w)", False),
    ],
)
def test_a_condition_is_true_or_it_is_not(
    table_cloud: TableCloud, condition: str, *, holds: bool
) -> None:
    key = a_key()
    table_cloud.put(key | {"v": number(2), "e": {"S": "2"}})
    given = {":two": number(2), ":ten": number(10), ":text": {"S": "2"}, ":octets": {"B": b"2"}}
    values = {name: value for name, value in given.items() if name in condition}
    call = {
        "TableName": table_cloud.games,
        "Key": key,
        "UpdateExpression": "SET s = :done",
        "ConditionExpression": condition,
        "ExpressionAttributeValues": values | {":done": number(1)},
    }

    if holds:
        table_cloud.dynamodb.update_item(**call)
    else:
        assert table_cloud.refuses(CONDITION_FAILED, "update_item", **call)

    assert ("s" in (table_cloud.get(key) or {})) is holds


def test_an_update_of_nothing_makes_an_item(table_cloud: TableCloud) -> None:
    key = a_key()
    table_cloud.update(key, "SET v = :one REMOVE s", {":one": number(1)})

    assert table_cloud.get(key) == key | {"v": number(1)}


def test_an_update_leaves_alone_what_it_does_not_name(table_cloud: TableCloud) -> None:
    key = a_key()
    table_cloud.put(key | {"v": number(1), "s": number(1), "n": number(1)})
    table_cloud.update(key, "SET v = :two REMOVE s", {":two": number(2)})

    assert table_cloud.get(key) == key | {"v": number(2), "n": number(1)}


def test_a_counter_is_counted_on_from_nothing(table_cloud: TableCloud) -> None:
    key = a_key()
    counts = [
        table_cloud.update(key, "ADD n :count", {":count": number(3)}, ReturnValues="UPDATED_NEW")
        for _ in range(2)
    ]

    assert [count["Attributes"] for count in counts] == [{"n": number(3)}, {"n": number(6)}]


def test_a_set_grows_and_shrinks_and_is_gone_when_it_is_empty(table_cloud: TableCloud) -> None:
    key = a_key()
    table_cloud.update(key, "ADD s :ids", {":ids": {"SS": ["a", "b"]}})
    table_cloud.update(key, "ADD s :ids", {":ids": {"SS": ["b", "c"]}})
    assert sorted((table_cloud.get(key) or {})["s"]["SS"]) == ["a", "b", "c"]

    table_cloud.update(key, "DELETE s :ids", {":ids": {"SS": ["a", "b", "d"]}})
    assert table_cloud.get(key) == key | {"s": {"SS": ["c"]}}

    table_cloud.update(key, "DELETE s :ids", {":ids": {"SS": ["c"]}})
    assert table_cloud.get(key) == key


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("ALL_OLD", {"v": number(1), "n": number(5)}),
        ("ALL_NEW", {"v": number(2), "n": number(5)}),
        ("UPDATED_NEW", {"v": number(2)}),
    ],
)
def test_an_update_tells_what_it_is_asked_to(
    table_cloud: TableCloud, wanted: str, told: Item
) -> None:
    key = a_key()
    table_cloud.put(key | {"v": number(1), "n": number(5)})

    answer = table_cloud.update(key, "SET v = :two", {":two": number(2)}, ReturnValues=wanted)

    assert answer["Attributes"] == told | ({} if wanted == "UPDATED_NEW" else key)


def test_what_was_updated_to_what_it_was_is_told_as_well(table_cloud: TableCloud) -> None:
    key = a_key()
    for _ in range(2):
        answer = table_cloud.update(
            key, "SET v = :two", {":two": number(2)}, ReturnValues="UPDATED_NEW"
        )
        assert answer["Attributes"] == {"v": number(2)}


def test_a_put_and_a_delete_tell_what_stood_there(table_cloud: TableCloud) -> None:
    key = a_key()
    assert "Attributes" not in table_cloud.put(key, ReturnValues="ALL_OLD")
    assert table_cloud.put(key | {"v": number(1)}, ReturnValues="ALL_OLD")["Attributes"] == key

    call = {"TableName": table_cloud.games, "Key": key, "ReturnValues": "ALL_OLD"}
    assert table_cloud.dynamodb.delete_item(**call)["Attributes"] == key | {"v": number(1)}
    assert "Attributes" not in table_cloud.dynamodb.delete_item(**call)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("1.50", "1.5"), ("007", "7"), ("-0", "0"), ("1e3", "1000"), ("0.25", "0.25")],
)
def test_a_number_is_kept_as_a_number(table_cloud: TableCloud, sent: str, kept: str) -> None:
    key = a_key()
    table_cloud.put(key | {"v": number(sent)})

    assert table_cloud.get(key) == key | {"v": number(kept)}


def test_a_number_has_38_digits(table_cloud: TableCloud) -> None:
    key = a_key()
    table_cloud.put(key | {"v": number("1" * 38)})

    assert table_cloud.get(key) == key | {"v": number("1" * 38)}


@pytest.mark.parametrize("text", ["1" * 39, "", "two", "NaN"])
def test_what_is_no_number_is_refused(table_cloud: TableCloud, text: str) -> None:
    item = a_key() | {"v": number(text)}
    assert table_cloud.invalid("put_item", TableName=table_cloud.games, Item=item)


@pytest.mark.parametrize(
    "value", [{"SS": []}, {"SS": ["a", "a"]}, {"BS": [b"a", b"a"]}], ids=["empty", "text", "bytes"]
)
def test_a_set_holds_something_and_nothing_twice(table_cloud: TableCloud, value: Item) -> None:
    item = a_key() | {"s": value}
    assert table_cloud.invalid("put_item", TableName=table_cloud.games, Item=item)


def test_an_attribute_that_is_no_key_may_be_empty(table_cloud: TableCloud) -> None:
    item = a_key() | {"t": {"S": ""}, "m": {"B": b""}}
    table_cloud.put(item)

    assert table_cloud.get({"pk": item["pk"]}) == item


@pytest.mark.parametrize(
    "key", [{"pk": {"S": ""}}, {"pk": {"N": "1"}}, {}, {"pk": {"S": "a"}, "v": {"N": "1"}}]
)
def test_a_key_is_what_the_table_says(table_cloud: TableCloud, key: Item) -> None:
    assert table_cloud.invalid("get_item", TableName=table_cloud.games, Key=key)


def test_a_partition_key_has_2048_bytes(table_cloud: TableCloud) -> None:
    longest = {"pk": {"S": "x" * 2048}}
    table_cloud.put(longest)

    assert table_cloud.get(longest) == longest


def test_a_partition_key_has_no_more(table_cloud: TableCloud) -> None:
    item = {"pk": {"S": "x" * 2049}}
    assert table_cloud.invalid("put_item", TableName=table_cloud.games, Item=item)


def test_no_item_is_looked_for_under_a_longer_key(table_cloud: TableCloud) -> None:
    key = {"pk": {"S": "x" * 2049}}
    assert table_cloud.invalid("get_item", TableName=table_cloud.games, Key=key)


def test_a_sort_key_has_1024_bytes(table_cloud: TableCloud) -> None:
    item = a_key() | {"sk": {"S": "x" * 1024}}
    table_cloud.dynamodb.put_item(TableName=table_cloud.short_lived, Item=item)
    item["sk"] = {"S": "x" * 1025}
    assert table_cloud.invalid("put_item", TableName=table_cloud.short_lived, Item=item)


@pytest.mark.parametrize("value", [{"S": "text"}, {"B": b""}], ids=["type", "empty"])
def test_the_key_of_an_index_is_of_its_type_and_not_empty(
    table_cloud: TableCloud, value: Item
) -> None:
    item = a_key() | {"w": value, "c": number(1)}
    assert table_cloud.invalid("put_item", TableName=table_cloud.games, Item=item)


def test_an_item_has_400_kilobytes_names_and_all(table_cloud: TableCloud) -> None:
    key = {"pk": {"S": a_key()["pk"]["S"]}}
    room = LARGEST_ITEM - len("pk") - 32 - len("m")
    table_cloud.put(key | {"m": {"B": bytes(room)}})
    assert table_cloud.get(key) is not None

    larger = key | {"m": {"B": bytes(room + 1)}}
    assert table_cloud.invalid("put_item", TableName=table_cloud.games, Item=larger)


def test_no_update_makes_an_item_larger_than_that(table_cloud: TableCloud) -> None:
    key = a_key()
    half = {"B": bytes(LARGEST_ITEM // 2)}
    table_cloud.put(key | {"m": half})

    assert table_cloud.invalid(
        "update_item",
        TableName=table_cloud.games,
        Key=key,
        UpdateExpression="SET e = :half",
        ExpressionAttributeValues={":half": half},
    )
    assert table_cloud.get(key) == key | {"m": half}


@pytest.mark.parametrize(
    ("expression", "more"),
    [
        ("SET v = :one", {"ExpressionAttributeNames": {"#unused": "n"}}),
        ("SET v = :one", {"ExpressionAttributeValues": {":one": number(1), ":two": number(2)}}),
        ("SET v = :two", {}),
        ("SET #v = :one", {}),
        ("SET v = :one, v = :one", {}),
        ("SET v = :one REMOVE v", {}),
        ("SET pk = :one", {}),
        ("SET v = :one SET n = :one", {}),
        ("", {}),
    ],
    ids=["name", "value", "no value", "no name", "twice", "both", "key", "clause", "empty"],
)
def test_an_update_that_makes_no_sense_is_refused(
    table_cloud: TableCloud, expression: str, more: Item
) -> None:
    given: Item = {"ExpressionAttributeValues": {":one": number(1)}} | more
    assert table_cloud.invalid(
        "update_item",
        TableName=table_cloud.games,
        Key=a_key(),
        UpdateExpression=expression,
        **given,
    )


@pytest.mark.parametrize("value", [{"S": "x"}, {"SS": ["x"]}], ids=["text", "set"])
def test_only_a_number_is_added_to_a_number(table_cloud: TableCloud, value: Item) -> None:
    key = a_key()
    table_cloud.put(key | {"n": number(1)})
    assert table_cloud.invalid(
        "update_item",
        TableName=table_cloud.games,
        Key=key,
        UpdateExpression="ADD n :it",
        ExpressionAttributeValues={":it": value},
    )


def test_a_table_that_is_not_there_answers_nothing(table_cloud: TableCloud) -> None:
    assert table_cloud.refuses(
        "ResourceNotFoundException", "get_item", TableName="nowhere", Key=a_key()
    )
