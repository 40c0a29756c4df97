"""The units that AWS counts for a call. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from tests.simulation.items import Item, size_of
from tests.simulation.table_history import History
from tests.simulation.table_writes import Write

_READ_BYTES: Final = 4096
_WRITE_BYTES: Final = 1024


def read_units(size: int, *, consistent: bool) -> float:
    """For reading so many bytes at once; what is not there costs as much as the smallest."""
    return max(1, -(-size // _READ_BYTES)) * (1.0 if consistent else 0.5)


def write_units(write: Write, table: History) -> float:
    """For the larger of what stood there and what stands there, and for each index that had to be
    changed. A write whose condition failed is paid for as well.
    """
    units = _units(write.before, write.after if write.holds else None)
    if write.holds:
        units += sum(_index_units(write, table, name) for name in table.indexes)
    return units


def _index_units(write: Write, table: History, name: str) -> float:
    index = table.indexes[name]

    def held(item: Item | None) -> Item | None:
        is_in = item is not None and all(part in item for part in index.key)
        return table.projected(item, index) if item and is_in else None

    before, after = held(write.before), held(write.after)
    if before == after:
        return 0
    if before and after and any(before[part] != after[part] for part in index.key):
        return _units(before) + _units(after)
    return _units(before, after)


def _units(*items: Mapping[str, Any] | None) -> float:
    largest = max((size_of(item) for item in items if item), default=0)
    return float(max(1, -(-largest // _WRITE_BYTES)))
