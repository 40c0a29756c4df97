"""The values that the pure part of the arbiter is made of."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, is_dataclass

import pytest

import arbiter.core
import arbiter.dialects


def _values() -> Iterator[type[object]]:
    for package in (arbiter.core, arbiter.dialects):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for it in vars(module).values():
                if isinstance(it, type) and is_dataclass(it) and it.__module__ == found.name:
                    yield it


@pytest.mark.parametrize("value", sorted(_values(), key=repr))
def test_nothing_that_was_decided_can_be_changed_afterwards(value: type[object]) -> None:
    made: object = object.__new__(value)

    # A value is shared by all who were told it: the memo of a board, two answers, the item stored.
    for name in [*vars(value)["__dataclass_fields__"], "misspelt"]:
        with pytest.raises((FrozenInstanceError, TypeError)):
            setattr(made, name, None)
    assert not hasattr(made, "__dict__")
