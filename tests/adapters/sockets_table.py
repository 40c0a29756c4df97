"""A table of sockets in memory: the calls that file and find subscriptions, so that thousands of
orders of them can be tried. The contract suite holds the adapter itself to DynamoDB's emulators.
"""

import re
from typing import Any

from tests.adapters.scripted import refused

_CLAUSES = re.compile(r"(SET|ADD|REMOVE|DELETE) (.+?)(?= (?:SET|ADD|REMOVE|DELETE) |$)")
_CONDITION = re.compile(r"(attribute_exists|attribute_not_exists)\((.+?)\)|size\(m\) < :most")

Item = dict[str, Any]


def _place(item: Item) -> tuple[str, str]:
    return item["pk"]["S"], item["sk"]["S"]


class SocketsTable:
    """As botocore's client; the table's name does not matter. A value is replaced, never
    changed, so that items need no deeper copies.
    """

    def __init__(self) -> None:
        self._items: dict[tuple[str, str], Item] = {}

    def get_item(self, *, Key: Item, **_: Any) -> Item:  # noqa: N803 - botocore's names, as below
        item = self._items.get(_place(Key))
        return {"Item": {**item}} if item else {}

    def put_item(self, *, Item: Item, **_: Any) -> Item:  # noqa: N803
        older = self._items.get(_place(Item))
        self._items[_place(Item)] = {**Item}
        return {"Attributes": older} if older else {}

    def delete_item(self, *, Key: Item, **_: Any) -> Item:  # noqa: N803
        older = self._items.pop(_place(Key), None)
        return {"Attributes": older} if older else {}

    def query(self, *, ExpressionAttributeValues: Item, **_: Any) -> Item:  # noqa: N803
        name = ExpressionAttributeValues[":pk"]["S"]
        return {"Items": [{**it} for (pk, _), it in self._items.items() if pk == name]}

    def batch_write_item(self, *, RequestItems: Item) -> Item:  # noqa: N803
        ((_, writes),) = RequestItems.items()
        for write in writes:
            if "PutRequest" in write:
                self.put_item(**write["PutRequest"])
            else:
                self.delete_item(**write["DeleteRequest"])
        return {}

    def update_item(self, *, Key: Item, UpdateExpression: str, **asked: Any) -> Item:  # noqa: N803
        names, values = (asked.get(f"ExpressionAttribute{it}", {}) for it in ("Names", "Values"))
        before = self._items.get(_place(Key), {})
        if not _holds(asked.get("ConditionExpression", ""), before, names, values):
            raise refused("ConditionalCheckFailedException")
        item = {**(before or Key)}
        for verb, clauses in _CLAUSES.findall(UpdateExpression):
            for clause in clauses.split(", "):
                name, _, value = clause.replace(" = ", " ").partition(" ")
                _change(item, verb, names.get(name, name), values.get(value))
        self._items[_place(Key)] = item
        return {"Attributes": {**item}}


def _change(item: Item, verb: str, name: str, value: Any) -> None:
    if verb == "SET":
        item[name] = value
    elif verb == "REMOVE":
        item.pop(name, None)
    elif "N" in value:
        item[name] = {"N": str(int(item.get(name, {"N": "0"})["N"]) + int(value["N"]))}
    else:
        ((kind, some),) = value.items()
        kept = [it for it in item.get(name, {kind: []})[kind] if it not in some]
        item[name] = {kind: kept + (some if verb == "ADD" else [])}
        if not item[name][kind]:
            del item[name]


def _holds(condition: str, item: Item, names: Item, values: Item) -> bool:
    """Whether one of the alternatives is so."""

    def is_so(found: re.Match[str]) -> bool:
        if found[1] is None:
            return len(item["m"]["SS"]) < int(values[":most"]["N"])
        return (names.get(found[2], found[2]) in item) == (found[1] == "attribute_exists")

    if "expires_at > :now" in condition and "expires_at" in item:
        return int(item["expires_at"]["N"]) > int(values[":now"]["N"])
    return not condition or any(map(is_so, _CONDITION.finditer(condition)))
