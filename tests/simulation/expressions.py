"""Values and expressions of DynamoDB, as far as our adapters write them.

An item is as botocore gives it, ``{"name": {"S": "text"}}``. What is not known here is
``Unsupported``. Names that expressions may write out are listed, since DynamoDB reserves 573 words.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Final

from tests.simulation.aws_errors import Refused, Unsupported

Item = dict[str, Any]

_DIGITS: Final = 38
_EXACT: Final = Context(prec=_DIGITS)
_WRITTEN_AS_KEPT: Final = re.compile(r"0|[1-9][0-9]{0,37}")
_SETS: Final = frozenset({"SS", "BS"})
_PLAIN: Final[Mapping[str, type]] = {"S": str, "B": bytes, "BOOL": bool}
_WRITTEN_OUT: Final = re.compile(r"pk|sk|[bceilmnpqsvw]|ladder|expires_at|f\d+")
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
    """What DynamoDB calls a ValidationException."""

    def __init__(self, message: str) -> None:
        super().__init__("ValidationException", message)


class Unfit(Invalid):
    """As Invalid, of an update that makes no sense of the item that is there, which alone cancels
    a transaction.
    """


def copied(item: Mapping[str, Any]) -> Item:
    return {name: copied_value(value) for name, value in item.items()}


def copied_value(value: Mapping[str, Any]) -> Item:
    if len(value) != 1:
        raise Invalid("a value has one type")
    ((kind, content),) = value.items()
    if kind == "N":
        return {"N": _number(content)}
    if kind in _SETS:
        if not content or len(set(content)) < len(content):
            raise Invalid("a set holds something, and nothing twice")
        return {kind: list(content)}
    if kind == "L":
        return {"L": [copied_value(one) for one in content]}
    if kind == "M":
        return {"M": copied(content)}
    if not isinstance(content, _PLAIN.get(kind, ())):
        raise Unsupported(f"a value of type {kind}: {content!r}")
    return {kind: content}


def _number(text: Any) -> str:
    if not isinstance(text, str):
        raise Unsupported("botocore takes numbers as text")
    if _WRITTEN_AS_KEPT.fullmatch(text):
        return text
    try:
        number = Decimal(text)
    except InvalidOperation as error:
        raise Invalid("that is no number") from error
    if not number.is_finite() or len(number.as_tuple().digits) > _DIGITS:
        raise Invalid(f"a number has {_DIGITS} digits at most")
    return format(number.normalize(_EXACT), "f") if number else "0"


def order_of(value: Mapping[str, Any]) -> Any:
    """What values of one type are sorted by: numbers as such, text as UTF-8, bytes as they are."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return content.encode() if isinstance(content, str) else content


class Words:
    """What the placeholders of a call stand for. DynamoDB refuses those that nothing asks for."""

    def __init__(self, call: Mapping[str, Any]) -> None:
        self._names = call.get("ExpressionAttributeNames", {})
        self._values = call.get("ExpressionAttributeValues", {})
        self._unused = {*self._names, *self._values}
        for given in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
            if given in call and not call[given]:
                raise Invalid("names and values are given where there are some")

    def name(self, word: str) -> str:
        if word.startswith("#"):
            self._unused.discard(word)
            if word not in self._names:
                raise Invalid(f"{word} is not defined")
            return str(self._names[word])
        if not _WRITTEN_OUT.fullmatch(word):
            raise Unsupported(f"the name {word!r}, written out")
        return word

    def value(self, word: str) -> Item:
        self._unused.discard(word)
        if word not in self._values:
            raise Invalid(f"{word} is not defined")
        return copied_value(self._values[word])

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
    if not {*left} <= {"S", "N", "B"}:
        raise Unsupported(f"a comparison of what has no order: {part!r}")
    return _COMPARE[found[2]](order_of(left), order_of(right))


def keys_of(condition: str, words: Words) -> dict[str, Item | None]:
    found: dict[str, Item | None] = {}
    for part in condition.split(" AND "):
        parts = _COMPARISON.fullmatch(part.strip())
        if parts is None:
            raise Unsupported(f"the condition {part!r}")
        value = words.value(parts[3])
        found[words.name(parts[1])] = value if parts[2] == "=" else None
    return found


def updated(
    expression: str, item: Mapping[str, Any], key: set[str], words: Words
) -> tuple[Item, set[str]]:
    """The item after an update, and the attributes that it wrote to; ``key`` it may not touch."""
    pieces = _CLAUSES.split(expression)
    if pieces[0] or len({*pieces[1::2]}) < len(pieces[1::2]):
        raise Invalid("each clause comes once, and begins with its word")
    after = copied(item)
    touched: set[str] = set()
    for clause, body in zip(pieces[1::2], pieces[2::2], strict=True):
        for action in body.split(","):
            name = _act(clause, action.split(), after, words)
            if name in touched or name in key:
                raise Invalid(f"an update touches {name} twice, or it is the key")
            touched.add(name)
    return after, touched


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
    ((kind, added),) = more.items()
    if kind not in {"N", *_SETS}:
        raise Invalid("ADD is for numbers and sets")
    if old is None:
        return more
    if kind not in old:
        raise Unfit("ADD of another type")
    if kind == "N":
        return copied_value({"N": str(_EXACT.add(Decimal(old["N"]), Decimal(added)))})
    return {kind: [*dict.fromkeys([*old[kind], *added])]}


def _difference(old: Item | None, less: Item) -> Item | None:
    ((kind, taken),) = less.items()
    if kind not in _SETS:
        raise Invalid("DELETE is for sets")
    if old is None:
        return None
    if kind not in old:
        raise Unfit("DELETE of another type")
    left = [one for one in old[kind] if one not in taken]
    return {kind: left} if left else None
