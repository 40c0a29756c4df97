"""Bugs that are planted on purpose are found, and gone afterwards. `make sim-bugs` has them all."""

import builtins
from collections.abc import Iterator
from dis import get_instructions
from types import CodeType

import pytest

from tests.simulation.bug_hunt import BY_NAME, hunt
from tests.simulation.bugs import BUGS, Bug, function_at
from tests.simulation.checker.violation import Invariant


def global_names(code: CodeType) -> Iterator[str]:
    """What this code and the functions in it read of their module."""
    yield from (it.argval for it in get_instructions(code) if it.opname == "LOAD_GLOBAL")
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from global_names(inner)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_fits_the_code_is_there_while_it_is_planted_and_gone_after(bug: Bug) -> None:
    assert bug.settings_of(1) is None or bug.settings_of(1)
    functions = [function_at(change["at"]) for change in bug.changes if "set" not in change]
    before = [one.__code__ for one in functions]
    with bug.planted():
        assert all(one.__code__ is not code for one, code in zip(functions, before, strict=True))
        # A bug that names what is no longer there would be found as a failure of its own.
        for function in functions:
            assert not {*global_names(function.__code__)} - {*function.__globals__, *dir(builtins)}
    assert [one.__code__ for one in functions] == before


@pytest.mark.parametrize(
    ("name", "invariant"),
    [
        ("resignation-wins", Invariant.OWN_HAND),
        ("rated-twice", Invariant.RATINGS),
        ("lobby-in-pieces", Invariant.PAIRING),
        ("known-by-its-body", Invariant.ORDERED),
    ],
)
def test_a_bug_is_found_by_the_first_seeds(name: str, invariant: Invariant) -> None:
    assert invariant in hunt(BY_NAME[name], range(1, 31)).invariants
