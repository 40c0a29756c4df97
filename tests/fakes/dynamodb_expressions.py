"""Values and expressions of DynamoDB, as far as our adapters write them.

An item is as botocore gives it, ``{"name": {"S": "text"}}``. An expression that is not known here
is ``Unsupported``. What a value may be, and which names may be written out, the emulators of
tests/contract say.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from tests.fakes.aws_errors import Refused, Unsupported

Item = dict[str, Any]

_CLAUSES: Final = re.compile(r"\b(SET|REMOVE|ADD|DELETE)\b\s+")
_FUNCTION: Final = re.compile(r"(attribute_exists|attribute_not_exists)\((\S+)\)")
_SIZE: Final = re.compile(r"size\((\S+)\)\s*<\s*(:\S+)")
_COMPARISON: Final = re.compile(r"(\S+)\s*(<=|>=|=|<)\s*(:\S+)")
_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": lambda left, right: left == right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}


class Invalid(Refused):
    """DynamoDB's ValidationException."""

    def __init__(self, message: str) -> None:
        super().__init__("ValidationException", message)


def copied(value: Any) -> Any:
    """An item or a value that no later change of the other reaches."""
    if isinstance(value, Mapping):
        return {name: copied(one) for name, one in value.items()}
    return [*map(copied, value)] if isinstance(value, list | set) else value


def order_of(value: Mapping[str, Any]) -> Any:
    """The order of values of one type: numbers as such, text as UTF-8, bytes as they are."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return content.encode() if isinstance(content, str) else content


class Words:
    """The meaning of a call's placeholders. DynamoDB refuses unused ones."""

    def __init__(self, call: Mapping[str, Any]) -> None:
        self._names = call.get("ExpressionAttributeNames", {})
        self._values = call.get("ExpressionAttributeValues", {})
        self._unused = {*self._names, *self._values}

    def name(self, word: str) -> str:
        self._unused.discard(word)
        return str(self._names[word]) if word.startswith("#") else word

    def value(self, word: str) -> Item:
        self._unused.discard(word)
        value: Item = copied(self._values[word])
        return value

    def all_used(self) -> None:
        if self._unused:
            raise Invalid(f"unused: {', '.join(sorted(self._unused))}")


def holds(condition: str, item: Mapping[str, Any] | None, words: Words) -> bool:
    """Whether a condition is true of an item, or of there being none. Every part is looked at, so
    that all that is wrong is found.
    """
    parts = [_either_holds(part, item or {}, words) for part in condition.split(" AND ")]
    return all(parts)


def _either_holds(part: str, item: Mapping[str, Any], words: Words) -> bool:
    found = [_part_holds(one.strip(), item, words) for one in part.split(" OR ")]
    return any(found)


def _part_holds(part: str, item: Mapping[str, Any], words: Words) -> bool:
    if found := _FUNCTION.fullmatch(part):
        return (words.name(found[2]) in item) == (found[1] == "attribute_exists")
    if sized := _SIZE.fullmatch(part):
        members, most = item.get(words.name(sized[1])), words.value(sized[2])
        return members is not None and len(next(iter(members.values()))) < int(most["N"])
    found = _COMPARISON.fullmatch(part)
    if not found:
        raise Unsupported(f"the condition {part!r}")
    left, right = item.get(words.name(found[1])), words.value(found[3])
    if left is None or [*left] != [*right]:
        return False  # values of two types are not equal, and neither comes first
    return _COMPARE[found[2]](order_of(left), order_of(right))


def keys_of(condition: str, words: Words) -> dict[str, Item]:
    """The keys of which a query asks for one value."""
    found: dict[str, Item] = {}
    for part in condition.split(" AND "):
        parts = _COMPARISON.fullmatch(part.strip())
        if parts is None:
            raise Unsupported(f"the condition {part!r}")
        name, value = words.name(parts[1]), words.value(parts[3])
        found |= {name: value} if parts[2] == "=" else {}
    return found


def updated(expression: str, item: Mapping[str, Any], words: Words) -> Item:
    """The item after an update."""
    pieces = _CLAUSES.split(expression)
    after: Item = copied(item)
    touched: set[str] = set()
    for clause, body in zip(pieces[1::2], pieces[2::2], strict=True):
        for action in body.split(","):
            name = _act(clause, action.split(), after, words)
            if name in touched:
                raise Invalid(f"an update touches {name} twice")
            touched.add(name)
    return after


def _act(clause: str, action: list[str], after: Item, words: Words) -> str:
    """Do one action; the attribute that it was done to."""
    name = words.name(action[0])
    match clause, action[1:]:
        case "SET", ["=", value] if value.startswith(":"):
            after[name] = words.value(value)
        case "REMOVE", []:
            after.pop(name, None)
        case "ADD", [value]:
            after[name] = _sum(after.get(name), words.value(value))
        case "DELETE", [value]:
            if left := _difference(after.pop(name, None), words.value(value)):
                after[name] = left
        case _:
            raise Unsupported(f"the action {clause} {' '.join(action)!r}")
    return name


def _sum(old: Item | None, more: Item) -> Item:
    if old is None:
        return more
    ((kind, added),) = more.items()
    if kind == "N":
        return {"N": str(Decimal(old["N"]) + Decimal(added))}
    return {kind: [*dict.fromkeys([*old[kind], *added])]}


def _difference(old: Item | None, less: Item) -> Item | None:
    ((kind, taken),) = less.items()
    left = [one for one in old[kind] if one not in taken] if old else []
    return {kind: left} if left else None
