"""The tables of one region, and what was counted of their use."""

from collections.abc import Mapping
from typing import Any, Final

from arbiter.application.ports import Clock
from tests.simulation.aws_errors import Unsupported, aws_error
from tests.simulation.table_history import History, Index, index_of, key_of

_TTL_MOST_SECONDS_AGO: Final = 5 * 365 * 86_400


class Tables:
    """All tables by name. ``units`` is what their reads and writes were counted as so far."""

    def __init__(self, clock: Clock) -> None:
        self.units = {"read": 0.0, "write": 0.0}
        self.clock = clock
        self._by_name: dict[str, History] = {}

    def of(self, call: Mapping[str, Any]) -> History:
        """The table that a call names; botocore's error if there is none."""
        if call["TableName"] not in self._by_name:
            raise aws_error("ResourceNotFoundException", "AnOperation", call["TableName"])
        return self._by_name[call["TableName"]]

    def create(self, call: Mapping[str, Any]) -> None:
        """Make the table that a CreateTable call asks for."""
        name, own = call["TableName"], Index("", key_of(call["KeySchema"]))
        kinds = {one["AttributeName"]: one["AttributeType"] for one in call["AttributeDefinitions"]}
        if any(kinds[part] != "S" for part in own.key):
            raise Unsupported("a table's own key that is not text")
        if name in self._by_name:
            raise aws_error("ResourceInUseException", "CreateTable")
        written = map(index_of, call.get("GlobalSecondaryIndexes", []))
        self._by_name[name] = History(name, own, kinds, {one.name: one for one in written})

    def sweep(self) -> int:
        """Delete what has expired, and tell how much that was. What expired more than five years
        ago is kept, as DynamoDB keeps it.
        """
        now_ms = self.clock.now_ms()
        latest = now_ms // 1000
        gone = 0
        for table in self._by_name.values():
            for place, item in [*table.standing()]:
                expires_at = int(item.get(table.ttl_attribute, {}).get("N", latest))
                if latest - _TTL_MOST_SECONDS_AGO <= expires_at < latest:
                    table.put(place, None, now_ms)
                    gone += 1
        return gone


def known(call: Mapping[str, Any], *names: str) -> None:
    """Unsupported, if a call has a parameter that is none of these, nor a table's name."""
    if unknown := {*call} - {"TableName", *names}:
        raise Unsupported(f"a call with {sorted(unknown)}")
