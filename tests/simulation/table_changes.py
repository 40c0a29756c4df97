"""The calls that write, each in one step, or a batch in one for each entry."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tests.simulation.aws_errors import Unsupported, aws_error
from tests.simulation.capacity import write_units
from tests.simulation.items import Invalid, Item, copied
from tests.simulation.table_history import History, Place
from tests.simulation.table_transactions import Tokens, writes_of
from tests.simulation.table_writes import Write, standing_in, write_of
from tests.simulation.tables import Tables, known

MOST_IN_BATCH: Final = 25
_RETURNED: Final = {
    "Put": {"NONE", "ALL_OLD"},
    "Delete": {"NONE", "ALL_OLD"},
    "Update": {"NONE", "ALL_OLD", "ALL_NEW", "UPDATED_NEW"},
}

Wrote = Sequence[tuple[Place, Item | None, Item | None]]
"""The keys that one call wrote to, with what stood there and what stands there now."""


class Changes:
    """What writes to the tables. ``wrote`` hears of each write when it is made, and ``is_left`` is
    asked for each entry of a batch.
    """

    def __init__(
        self, tables: Tables, wrote: Callable[[str, Wrote], None], is_left: Callable[[], bool]
    ) -> None:
        self.tokens = Tokens()
        self._tables = tables
        self._wrote = wrote
        self._is_left = is_left

    def write(self, kind: str, call: Mapping[str, Any]) -> dict[str, Any]:
        """One Put, Update or Delete."""
        wanted = call.get("ReturnValues", "NONE")
        if wanted not in _RETURNED[kind]:
            raise Unsupported(f"{kind} that returns {wanted}")
        table = self._tables.of(call)
        plain = {name: value for name, value in call.items() if name != "ReturnValues"}
        write = write_of(kind, plain, table)
        self._count(table, write)
        if not write.holds:
            more: Any = standing_in(call, write)
            raise aws_error("ConditionalCheckFailedException", f"{kind}Item", **more)
        self._make([(table, write)])
        found = _returned(wanted, write)
        return {"Attributes": copied(found)} if found else {}

    def batch_write_item(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Several puts and deletes of one table, each for itself."""
        known(call, "RequestItems")
        ((name, asked),) = call["RequestItems"].items()
        table = self._tables.of({"TableName": name})
        places = [_batched(one, table).place for one in asked]
        if not 0 < len({*places}) == len(places) <= MOST_IN_BATCH:
            raise Invalid("a batch writes 1 to 25 items, and each once")
        left = []
        for one in asked:
            if self._is_left():
                left.append(one)
                continue
            write = _batched(one, table)  # once more: others may have written meanwhile
            self._count(table, write)
            self._make([(table, write)])
        return {"UnprocessedItems": {name: left} if left else {}}

    def transact_write_items(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Several writes, or none; once for a token."""
        known(call, "TransactItems", "ClientRequestToken")
        now_ms = self._tables.clock.now_ms()
        if self.tokens.repeats(call, now_ms):
            return {}
        writes = writes_of(call["TransactItems"], self._tables.of)
        for table, write in writes:
            self._count(table, write, times=2)
        self._make(writes)
        self.tokens.remember(call, now_ms)
        return {}

    def _count(self, table: History, write: Write, times: int = 1) -> None:
        self._tables.units["write"] += times * write_units(write, table)

    def _make(self, writes: Sequence[tuple[History, Write]]) -> None:
        now_ms = self._tables.clock.now_ms()
        told: dict[str, list[tuple[Place, Item | None, Item | None]]] = {}
        for table, write in writes:
            table.put(write.place, write.after, now_ms)
            told.setdefault(table.name, []).append((write.place, write.before, write.after))
        for name, of_table in told.items():
            self._wrote(name, of_table)


def _batched(one: Mapping[str, Any], table: History) -> Write:
    match one:
        case {"PutRequest": {"Item": item}}:
            return write_of("Put", {"Item": item}, table)
        case {"DeleteRequest": {"Key": key}}:
            return write_of("Delete", {"Key": key}, table)
        case _:
            raise Unsupported(f"a batch of {[*one]}")


def _returned(wanted: str, write: Write) -> Item | None:
    if wanted == "UPDATED_NEW":
        return {name: it for name, it in (write.after or {}).items() if name in write.touched}
    return {"ALL_OLD": write.before, "ALL_NEW": write.after}.get(wanted)
