"""Whether a value is of a declared type, a field at a time: bodies are checked by their types."""

from collections.abc import Iterator
from types import UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)


def faults(value: object, shape: Any, where: str = "body") -> list[str]:
    """The parts of the value that are not as declared."""
    return list(_faults(value, shape, where))


def _faults(value: object, shape: Any, where: str) -> Iterator[str]:  # noqa: C901 - one line a kind
    origin, parts = get_origin(shape), get_args(shape)
    if is_typeddict(shape):
        yield from _of_fields(value, shape, where)
    elif origin is Literal:
        if not any(value == part and type(value) is type(part) for part in parts):
            yield f"{where}: {value!r} is none of {parts}"
    elif origin in {Union, UnionType}:
        found = [faults(value, part, where) for part in parts]
        if all(found):
            yield from min(found, key=len)
    elif type(value) is not (origin or shape or type(None)):
        yield f"{where}: {value!r} is no {shape}"
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _faults(item, parts[0], f"{where}[{at}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _faults(item, parts[1], f"{where}.{key}")


def _of_fields(value: object, shape: Any, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where}: {value!r} is no object"
        return
    hints = get_type_hints(shape, include_extras=True)
    yield from (f"{where}.{name}: not declared" for name in value.keys() - hints.keys())
    for name, hint in hints.items():
        optional = get_origin(hint) is NotRequired
        if name in value:
            inner = get_args(hint)[0] if optional else hint
            yield from _faults(value[name], inner, f"{where}.{name}")
        elif not optional:
            yield f"{where}.{name}: missing"
