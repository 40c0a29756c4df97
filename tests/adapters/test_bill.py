"""What a function costs is estimated from what it does, and is its caller's."""

from arbiter.adapters.bill import MICRO_DOLLARS, Bill
from arbiter.adapters.memory.connections import MemoryDayCounters
from arbiter.application.spending import ALL, Spending, day_of
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock

DAY = day_of(NOW_MS)


def spent_by(bill: Bill, clock: FakeClock) -> dict[str, int]:
    clock.ms += 60_000
    bill.spending.add({MICRO_DOLLARS: 0})
    counted = bill.spending.counters.spent(DAY)
    return {name: units[MICRO_DOLLARS] for name, units in counted.items() if units[MICRO_DOLLARS]}


def a_bill() -> tuple[Bill, FakeClock]:
    clock = FakeClock(NOW_MS // 86_400_000 * 86_400_000)
    return Bill(Spending(MemoryDayCounters(), clock, {MICRO_DOLLARS: 0}), 0.0), clock


def test_a_thousand_frames_cost_their_messages_calls_and_invocations() -> None:
    bill, clock = a_bill()
    for _ in range(1_000):
        with bill.invocation("a", socket_messages=1):
            bill.count_call("GetItem", 100, 500)
            bill.count_call("UpdateItem", 1_500, 100)
            bill.count_call("PostToConnection", 300, 0)
            bill.count_call("SendMessage", 300, 0)
    # $1 a million messages each way, 0.125 a read, 0.625 a unit written, 0.5 a request of a queue,
    # 0.2 an invocation, 0.15 its log, 0.027 of transfer.
    each = 2 * 1 + 0.125 + 2 * 0.625 + 0.5 + 0.2 + 0.15 + 0.027
    assert spent_by(bill, clock) in (
        {it: round(each * 1000) + off for it in ("a", ALL)} for off in (-1, 0)
    )


def test_a_transaction_counts_twice_and_what_is_done_in_a_frame_is_its_address_s() -> None:
    bill, clock = a_bill()
    for address in "aab":
        with bill.invocation(address):
            for _ in range(1_000):
                bill.count_call("TransactWriteItems", 100, 0)
    spent = spent_by(bill, clock)
    assert {name: round(it, -1) for name, it in spent.items()} == {
        "a": 2_500,
        "b": 1_250,
        ALL: 3_750,
    }
