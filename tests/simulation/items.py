"""What DynamoDB holds to be an item: its types, its sizes, its keys. Pure.

An item is as botocore gives it, ``{"name": {"S": "text"}}``. Of DynamoDB's types only those are
known here that our records use; of every other it is said loudly.
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Final

from tests.simulation.aws_errors import Refused, Unsupported

Item = dict[str, Any]

LARGEST_ITEM_BYTES: Final = 400 * 1024
LARGEST_PARTITION_KEY_BYTES: Final = 2048
LARGEST_SORT_KEY_BYTES: Final = 1024
_DIGITS: Final = 38
EXACT: Final = Context(prec=_DIGITS)
_WRITTEN_AS_KEPT: Final = re.compile(r"0|[1-9][0-9]{0,37}")
_SETS: Final = frozenset({"SS", "BS"})
_PLAIN: Final[Mapping[str, type]] = {"S": str, "B": bytes, "BOOL": bool}
_NESTING_BYTES: Final = 3


class Invalid(Refused):
    """What DynamoDB calls a ValidationException; the text is for whoever reads the test."""

    def __init__(self, message: str) -> None:
        super().__init__("ValidationException", message)


class Unfit(Invalid):
    """As Invalid, of an update that makes no sense of the item that stands there, which alone
    cancels a transaction.
    """


def copied(item: Mapping[str, Any]) -> Item:
    """The same item, which may be written to."""
    return {name: copied_value(value) for name, value in item.items()}


def copied_value(value: Mapping[str, Any]) -> Item:
    """The same value, its numbers written as DynamoDB gives them back.

    Invalid for a value that DynamoDB refuses; Unsupported for a type that is not known here.
    """
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


def size_of(item: Mapping[str, Any]) -> int:
    """The bytes that AWS counts for an item: its names and its values."""
    return sum(len(name.encode()) + _size_of_value(value) for name, value in item.items())


def checked_item(item: Mapping[str, Any], keys: Mapping[str, str], own: Iterable[str]) -> Item:
    """A copy that may be stored. ``keys`` are the attributes that are keys of the table or of an
    index, with their types; ``own`` are the names of the table's key, the partition's first.

    Invalid as DynamoDB has it.
    """
    checked = copied(item)
    for place, name in enumerate(own):
        if name not in checked:
            raise Invalid(f"the item has no {name}")
        largest = LARGEST_SORT_KEY_BYTES if place else LARGEST_PARTITION_KEY_BYTES
        if _size_of_value(checked[name]) > largest:
            raise Invalid(f"{name} is longer than {largest} bytes")
    for name, kind in keys.items():
        if name in checked and [*checked[name]] != [kind]:
            raise Invalid(f"{name} is a key of type {kind}")
        if name in checked and checked[name][kind] in {"", b""}:
            raise Invalid(f"{name} is a key, and empty")
    if size_of(checked) > LARGEST_ITEM_BYTES:
        raise Invalid("an item is 400 KB at most")
    return checked


def order_of(value: Mapping[str, Any]) -> Any:
    """What values of one type are sorted by: numbers as such, text as UTF-8, bytes as they are."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return octets_of(content)


def octets_of(content: str | bytes) -> bytes:
    """Text as UTF-8, bytes as they are."""
    return content.encode() if isinstance(content, str) else content


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
    return format(number.normalize(EXACT), "f") if number else "0"


def _size_of_value(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind in _SETS:
        return sum(len(octets_of(one)) for one in content)
    if kind == "N":
        digits = content.lstrip("-").replace(".", "").strip("0")
        return (len(digits) + 1) // 2 + 1 + int(content.startswith("-"))
    if kind == "L":
        return _NESTING_BYTES + sum(1 + _size_of_value(one) for one in content)
    if kind == "M":
        return _NESTING_BYTES + len(content) + size_of(content)
    return 1 if kind == "BOOL" else len(octets_of(content))
