"""A run as text: a line for each thing that happened. Read it backwards from the violation."""

from collections.abc import Iterator
from dataclasses import fields

from tests.simulation.history import Fired, History
from tests.simulation.world import BEGINS_MS

LONGEST = 600


def lines_of(history: History, wanted: str | None = None) -> Iterator[str]:
    """All lines, or those that name ``wanted``, and the faults."""
    for one in history.happenings:
        told = " ".join(
            str(getattr(one, field.name)) for field in fields(one) if field.name != "at_ms"
        )
        if wanted is None or wanted in told or isinstance(one, Fired):
            seconds = (one.at_ms - BEGINS_MS) / 1000
            yield f"{seconds:12.3f} {type(one).__name__:9} {told[:LONGEST]}"
