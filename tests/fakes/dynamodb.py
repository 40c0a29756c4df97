"""DynamoDB's calls in memory, as the table of items asks for them: conditions and expressions are
read from the requests.
"""

import re
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

Item = dict[str, Any]

MAX_ITEMS = 100
"""Of one transaction, and of one read."""

_SET = re.compile(r"SET (.+?)(?: REMOVE (.+))?")


class FakeDynamoDb:
    """One table, whatever its name. Strongly consistent, and transactions are whole."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}

    def get_item(self, *, Key: Item, **_: Any) -> Item:  # noqa: N803 - botocore's names
        item = self.items.get(Key["pk"]["S"])
        return {"Item": item} if item else {}

    def batch_get_item(self, *, RequestItems: Mapping[str, Item]) -> Item:  # noqa: N803 - as above
        ((table, asked),) = RequestItems.items()
        keys = [key["pk"]["S"] for key in asked["Keys"]]
        _expect(0 < len(keys) <= MAX_ITEMS and len({*keys}) == len(keys), "ValidationException")
        return {"Responses": {table: [self.items[key] for key in keys if key in self.items]}}

    def scan(self, *, ExpressionAttributeValues: Item, **_: Any) -> Item:  # noqa: N803 - as above
        prefix = ExpressionAttributeValues[":prefix"]["S"]
        return {"Items": [item for pk, item in self.items.items() if pk.startswith(prefix)]}

    def update_item(self, **asked: Any) -> Item:
        stored = self.items.get(asked["Key"]["pk"]["S"])
        _expect(self._holds(asked), "ConditionalCheckFailedException", Item=stored)
        self._make("Update", asked)
        return {}

    def transact_write_items(self, *, TransactItems: list[Item]) -> Item:  # noqa: N803 - as above
        writes = [(kind, asked) for each in TransactItems for kind, asked in each.items()]
        keys = [_key(asked) for _, asked in writes]
        _expect(0 < len(keys) <= MAX_ITEMS and len({*keys}) == len(keys), "ValidationException")
        held = [self._holds(asked) for _, asked in writes]
        reasons = [{"Code": "None" if it else "ConditionalCheckFailed"} for it in held]
        _expect(all(held), "TransactionCanceledException", CancellationReasons=reasons)
        for kind, asked in writes:
            self._make(kind, asked)
        return {}

    def _holds(self, asked: Item) -> bool:
        stored = self.items.get(_key(asked))
        match asked["ConditionExpression"]:
            case "attribute_not_exists(pk)":
                return stored is None
            case "attribute_exists(pk)":
                return stored is not None
            case "#v = :version":
                name = asked["ExpressionAttributeNames"]["#v"]
                version = asked["ExpressionAttributeValues"][":version"]
                return stored is not None and stored.get(name) == version
            case other:
                raise AssertionError(other)

    def _make(self, kind: str, asked: Item) -> None:
        key = _key(asked)
        match kind:
            case "Put":
                self.items[key] = asked["Item"]
            case "Delete":
                del self.items[key]
            case _:
                self.items[key] = _updated(self.items.get(key) or asked["Key"], asked)


def _updated(stored: Item, asked: Item) -> Item:
    names, values = asked["ExpressionAttributeNames"], asked["ExpressionAttributeValues"]
    found = _SET.fullmatch(asked["UpdateExpression"])
    assert found, asked["UpdateExpression"]
    pairs = (each.split(" = ") for each in found[1].split(", "))
    item = {**stored, **{names[name]: values[value] for name, value in pairs}}
    for name in found[2].split(", ") if found[2] else ():
        item.pop(names[name], None)
    return item


def _key(asked: Item) -> str:
    key: str = (asked["Key"] if "Key" in asked else asked["Item"])["pk"]["S"]
    return key


def _expect(is_so: bool, code: str, **more: Any) -> None:  # noqa: FBT001 - of this file
    if not is_so:
        raise ClientError({"Error": {"Code": code, "Message": ""}, **more}, "")  # type: ignore[typeddict-item]
