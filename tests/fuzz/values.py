"""JSON values of any kind, and sound ones with a part that is another than it should be."""

from collections.abc import Sequence
from typing import Any

from tests.fuzz.choices import Choices
from tests.fuzz.texts import anything, nearly, usually

_NUMBERS = (0, 1, -1, 2**31, 2**53, 2**63, 10**40, 0.5, -0.0, 1e300, True, False, None)
_DEEP = 6


def a_value(choices: Choices, depth: int = 0) -> object:
    """A number, a word of JSON's, a text, or a list or an object of such."""
    match choices.below(8):
        case 0 if depth < _DEEP:
            return choices.several(3, lambda: a_value(choices, depth + 1))
        case 1 if depth < _DEEP:
            names = choices.several(3, lambda: anything(choices))
            return {name: a_value(choices, depth + 1) for name in names}
        case 2 | 3 | 4:
            return choices.pick(_NUMBERS)
        case _:
            return anything(choices)


def alter(choices: Choices, whole: dict[str, Any] | list[Any], words: Sequence[str]) -> None:
    """Write over one part of it, at any depth, by any value or nearly one of these words; or take
    it away, or say it twice.
    """
    held = whole
    while (inner := _inner(held)) and choices.chance(2):
        held = choices.pick(inner)
    names: Sequence[Any] = range(len(held)) if isinstance(held, list) else [*held]
    if not names or choices.chance(12):
        _add(held, nearly(choices, (*map(str, names), "x")), a_value(choices))
        return
    name = choices.pick(names)
    match choices.below(6):
        case 0:
            del held[name]
        case 1:
            _add(held, nearly(choices, (str(name),)), held[name])
        case 2 | 3:
            held[name] = usually(choices, words)
        case _:
            held[name] = a_value(choices)


def _inner(held: dict[str, Any] | list[Any]) -> list[Any]:
    parts = held if isinstance(held, list) else held.values()
    return [it for it in parts if isinstance(it, dict | list)]


def _add(held: dict[str, Any] | list[Any], name: str, value: object) -> None:
    if isinstance(held, list):
        held.append(value)
    else:
        held[name] = value
