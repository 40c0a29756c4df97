"""One page of a query. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.simulation.aws_errors import Unsupported
from tests.simulation.expressions import equal_to, holds, names_in
from tests.simulation.items import Invalid, Item, copied, order_of, size_of
from tests.simulation.table_history import History, Index
from tests.simulation.table_writes import words_of

PAGE_BYTES: Final = 1024 * 1024
_KNOWN: Final = {
    "TableName",
    "IndexName",
    "KeyConditionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ConsistentRead",
    "ScanIndexForward",
    "Limit",
    "ExclusiveStartKey",
}


@dataclass(frozen=True)
class Page:
    """What is answered, and how many bytes were read for it."""

    answer: dict[str, Any]
    size: int


def page_of(call: Mapping[str, Any], table: History, index: Index, at_ms: int, now_ms: int) -> Page:
    """The page that a query asks for, of the table as it stood at ``at_ms``."""
    if unknown := {*call} - _KNOWN:
        raise Unsupported(f"a query with {sorted(unknown)}")
    words, condition = words_of(call), call["KeyConditionExpression"]
    if not names_in(condition, words) <= {*index.key}:
        raise Invalid("a query asks for keys")
    partition = equal_to(condition, index.key[0], words)
    holds(condition, None, words)  # so that its words are known to be used, whatever is found
    found = table.partition(index, partition, at_ms, now_ms)
    found = [item for item in found if holds(condition, item, words)]
    words.all_used()
    if not call.get("ScanIndexForward", True):
        found.reverse()
    found = _after(call, found, table, index)
    limit = call.get("Limit", len(found) + 1)
    if limit < 1:
        raise Invalid("a page has one item at least")
    items: list[Item] = []
    size = 0
    for item in found:
        items.append(copied(table.projected(item, index)))
        size += size_of(items[-1])
        if len(items) == limit or size > PAGE_BYTES:
            last = {name: items[-1][name] for name in _keys(table, index)}
            return Page(_answer(items) | {"LastEvaluatedKey": last}, size)
    return Page(_answer(items), size)


def _answer(items: list[Item]) -> dict[str, Any]:
    return {"Items": items, "Count": len(items), "ScannedCount": len(items)}


def _after(call: Mapping[str, Any], found: list[Item], table: History, index: Index) -> list[Item]:
    """What follows the place where the last page ended, whether or not that item is still there."""
    start = call.get("ExclusiveStartKey")
    if start is None:
        return found
    if {*start} != {*_keys(table, index)}:
        raise Invalid("a query begins after a key of its index")
    names = [*index.key[1:], *table.own.key]

    def order(item: Mapping[str, Any]) -> list[Any]:
        return [order_of(item[name]) for name in names]

    if call.get("ScanIndexForward", True):
        return [item for item in found if order(item) > order(start)]
    return [item for item in found if order(item) < order(start)]


def _keys(table: History, index: Index) -> dict[str, None]:
    return dict.fromkeys((*table.own.key, *index.key))
