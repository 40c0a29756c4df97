"""Both stores count what was spent on a day, by name and unit."""

import pytest

from arbiter.adapters.dynamodb.connections import DynamoDbDayCounters
from arbiter.adapters.memory.connections import MemoryDayCounters
from arbiter.application.ports import DayCounters
from tests.contract.candidates import Switchboard

DAY, NEXT = "2026-11-28", "2026-11-29"


@pytest.fixture
def counters(switchboard: Switchboard) -> DayCounters:
    if switchboard.client is None:
        return MemoryDayCounters()
    return DynamoDbDayCounters(lambda: switchboard.client, switchboard.table)


def test_amounts_of_a_day_add_up_by_name_and_unit(counters: DayCounters) -> None:
    assert counters.add(DAY, "", {"a": 2, "b": 3}) == {"a": 2, "b": 3}
    assert counters.add(DAY, "", {"b": 4}) == {"a": 2, "b": 7}
    assert counters.add(DAY, "2001:db8::1", {"a": 1}) == {"a": 1}
    assert counters.spent(DAY) == {"": {"a": 2, "b": 7}, "2001:db8::1": {"a": 1}}
    assert counters.spent(NEXT) == {}
    assert counters.add(NEXT, "", {"a": 1}) == {"a": 1}
