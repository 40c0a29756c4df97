"""The calls that read, each in one step, at a time of its own."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.simulation.aws_errors import Unsupported
from tests.simulation.capacity import read_units
from tests.simulation.items import Invalid, Item, copied, size_of
from tests.simulation.table_history import LONGEST_LAG_MS, History
from tests.simulation.table_queries import page_of
from tests.simulation.table_writes import key_of
from tests.simulation.tables import Tables, known

MOST_IN_BATCH: Final = 100


class Reads:
    """What reads the tables. The lags are asked at each read that need not be consistent, and
    ``is_left`` for each entry of a batch.
    """

    def __init__(
        self,
        tables: Tables,
        lag_ms: Callable[[], int],
        index_lag_ms: Callable[[], int],
        is_left: Callable[[], bool],
    ) -> None:
        self._tables = tables
        self._lag_ms = lag_ms
        self._index_lag_ms = index_lag_ms
        self._is_left = is_left

    def get_item(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """One item, by its key."""
        known(call, "Key", "ConsistentRead")
        table = self._tables.of(call)
        item = self._read(table, key_of(call["Key"], table), call)
        return {"Item": copied(item)} if item else {}

    def batch_get_item(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Several items of one table, in no order."""
        ((name, asked),) = call["RequestItems"].items()
        table = self._tables.of({"TableName": name})
        known(call, "RequestItems")
        known(asked, "Keys", "ConsistentRead", "ProjectionExpression")
        keys = [key_of(key, table) for key in asked["Keys"]]
        if not 0 < len({table.place_of(key) for key in keys}) == len(keys) <= MOST_IN_BATCH:
            raise Invalid("a batch asks for 1 to 100 items, and for each once")
        items: list[Item] = []
        left: list[Item] = []
        for key in keys:
            if self._is_left():
                left.append(key)
            elif item := self._read(table, key, asked):
                items.append(copied(item))
        items.sort(key=table.place_of)
        if wanted := asked.get("ProjectionExpression"):
            # Of names alone: nothing else is asked for here.
            names = wanted.split(", ")
            items = [{name: item[name] for name in names if name in item} for item in items]
        answer: dict[str, Any] = {"Responses": {name: items}}
        return answer | {"UnprocessedKeys": {name: {"Keys": left}} if left else {}}

    def query(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """One page of a partition, of a table or of an index."""
        table, name = self._tables.of(call), call.get("IndexName")
        consistent = call.get("ConsistentRead", False)
        if name and consistent:
            raise Invalid("an index is read with eventual consistency alone")
        if name and name not in table.indexes:
            raise Invalid(f"there is no index {name}")
        index = table.indexes[name] if name else table.own
        now_ms = self._tables.clock.now_ms()
        lag_ms = 0 if consistent else _bounded((self._index_lag_ms if name else self._lag_ms)())
        page = page_of(call, table, index, now_ms - lag_ms, now_ms)
        self._tables.units["read"] += read_units(page.size, consistent=consistent)
        return page.answer

    def scan(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """All items of a small table, of which nobody makes pages."""
        known(call, "ConsistentRead")
        items = [copied(item) for _, item in self._tables.of(call).standing()]
        return {"Items": items, "Count": len(items), "ScannedCount": len(items)}

    def _read(self, table: History, key: Item, call: Mapping[str, Any]) -> Item | None:
        consistent = call.get("ConsistentRead", False)
        lag_ms = 0 if consistent else _bounded(self._lag_ms())
        item = table.at(table.place_of(key), self._tables.clock.now_ms() - lag_ms)
        counted = read_units(size_of(item) if item else 0, consistent=consistent)
        self._tables.units["read"] += counted
        return item


def _bounded(lag_ms: int) -> int:
    if not 0 <= lag_ms <= LONGEST_LAG_MS:
        raise Unsupported("a lag of more than a minute")
    return lag_ms
