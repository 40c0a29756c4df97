"""One write of one item: what it would make of the item that stands there. Pure.

Nothing is written here, so that a transaction can look at all its writes before it makes any.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.simulation.aws_errors import Unsupported
from tests.simulation.expressions import Words, holds, updated
from tests.simulation.items import Invalid, Item, Unfit, checked_item, copied
from tests.simulation.table_history import History, Place

_COMMON: Final = {
    "TableName",
    "ConditionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ReturnValuesOnConditionCheckFailure",
}
_KNOWN: Final = {
    "Put": _COMMON | {"Item"},
    "Update": _COMMON | {"Key", "UpdateExpression"},
    "Delete": _COMMON | {"Key"},
}


@dataclass(frozen=True)
class Write:
    """What one write comes to: nothing, if its condition does not hold. ``touched`` are the
    attributes that an update writes to.
    """

    place: Place
    before: Item | None
    after: Item | None
    holds: bool
    touched: frozenset[str] = frozenset()


def write_of(kind: str, call: Mapping[str, Any], table: History) -> Write:
    """What a Put, an Update or a Delete comes to now. Invalid as DynamoDB has it."""
    if unknown := {*call} - _KNOWN[kind]:
        raise Unsupported(f"{kind} with {sorted(unknown)}")
    words = words_of(call)
    if kind == "Put":
        item = checked_item(call["Item"], table.kinds, table.own.key)
        place = table.place_of(item)
    else:
        item = key_of(call["Key"], table)
        place = table.place_of(item)
    before = table.now(place)
    is_right = "ConditionExpression" not in call or holds(
        call["ConditionExpression"], before, words
    )
    after: Item | None = item
    touched: set[str] = set()
    if kind == "Delete":
        after = None
    elif kind == "Update":
        changed, touched = updated(
            call["UpdateExpression"], before or item, {*table.own.key}, words
        )
        if is_right:  # what would have become of it is no matter where the condition fails
            changed = _fit(changed, table)
        after = changed
    words.all_used()
    return Write(place, before, after, is_right, frozenset(touched))


def _fit(changed: Item, table: History) -> Item:
    try:
        return checked_item(changed, table.kinds, table.own.key)
    except Invalid as error:
        raise Unfit(str(error)) from error


def key_of(key: Mapping[str, Any], table: History) -> Item:
    """A key, looked at. Invalid if it is not the table's."""
    if {*key} != {*table.own.key}:
        raise Invalid("that is not the key of this table")
    return checked_item(key, table.kinds, table.own.key)


def words_of(call: Mapping[str, Any]) -> Words:
    """The placeholders of a call."""
    names = call.get("ExpressionAttributeNames", {})
    values = call.get("ExpressionAttributeValues", {})
    given = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
    if any(name in call and not content for name, content in given.items()):
        raise Invalid("names and values are given where there are some")
    return Words(names, values)


def standing_in(call: Mapping[str, Any], write: Write) -> dict[str, Item]:
    """What stands in the way of a write, for whoever asked to be told."""
    if call.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and write.before:
        return {"Item": copied(write.before)}
    return {}
