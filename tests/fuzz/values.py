"""JSON values of any kind."""

from tests.fuzz.choices import Choices
from tests.fuzz.texts import anything

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
