"""The dollars of a flood from one address for a day on the *small* profile, as the product counts
them and by what is seen here: `python -m bench.floods`.

Ten minutes in virtual time through the gateway's own code, with tables in memory. The stage takes
so many frames a second; an honest pair sends one a second, the last in each.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count, cycle

from arbiter.adapters.bill import MICRO_DOLLARS, Bill
from arbiter.adapters.memory.connections import MemoryDayCounters
from arbiter.adapters.prices import Usage
from arbiter.application.gateway.fanout import Fanout
from arbiter.application.spending import ALL, Spending, day_of
from arbiter.nostr.event import event_to_json
from arbiter.nostr.nip11 import DEFAULT_LIMITS
from tests.application.gateway.relay_world import GAME, RelayWorld
from tests.builders import a_key, an_event

FRAMES_PER_SECOND, SOCKETS, SECONDS = 40, 110, 600
BILLED_SECONDS, MEMORY_GB = 0.015, 0.5
DAY_SECONDS = 86_400
FLOODER, PAIR = "192.0.2.1", "192.0.2.2"

_CALLS = {
    "connections.count_frame": "GetItem",
    "connections.subscribers": "BatchGetItem",
    "connections.unsubscribe": "DeleteItem",
    "connections.remove": "DeleteItem",
    "rates.take": "UpdateItem",
    "games.load": "GetItem",
}
"""The call of AWS for a step of the gateway."""

_Frames = Iterator[tuple[str, str]]
"""A socket, and what it sends."""


@dataclass(frozen=True, slots=True)
class Flood:
    """Frames of one address, so many a second."""

    name: str
    per_second: int
    frames: Callable[[RelayWorld], _Frames]


@dataclass(frozen=True, slots=True)
class Seen:
    """The outcome of a flood."""

    name: str
    refused_at_stage: int
    closed: int
    deliveries: int
    by_bench: float
    by_product: float
    late: float

    def row(self) -> str:
        cells = (
            *(self.name, f"{self.deliveries:,}", f"{self.closed}", f"{self.late:.1%}"),
            *(f"${self.by_bench:,.2f}", f"${self.by_product:,.2f}"),
        )
        return f"| {' | '.join(cells)} |"


def _chat(relay: RelayWorld) -> _Frames:
    """Lines of strangers in a watched game, each naming players under whom 2,200 filters are."""
    readers = [f"{number:064x}" for number in range(1, 21)]
    filters = [{"#p": [reader]} for reader in readers[:18]] + [{"#d": [GAME.id]}] * 2
    for at, number in ((at, number) for at in range(SOCKETS) for number in range(len(filters))):
        relay.subscribe(filters[number], on=f"s{at}", id_=f"{number}")
        relay.world.clock.ms += 100
    keys = [a_key(f"flood {number}") for number in range(20)]
    tags = (("d", GAME.id), *(("p", reader) for reader in readers))
    for number, key in zip(count(), cycle(keys)):
        line = an_event(key, 20306, f"{number}", tags, relay.world.clock.ms // 1000)
        yield f"s{number % SOCKETS}", json.dumps(["EVENT", event_to_json(line)])


def _closes(_: RelayWorld) -> _Frames:
    for number in count():
        yield f"s{number % SOCKETS}", '["CLOSE","s"]'


FLOODS = (
    Flood("ten lines of chat a second", 10, _chat),
    Flood("forty `CLOSE` a second", 40, _closes),
)


class _Counted:
    """A gateway of the small profile, behind a stage, whose calls are counted twice."""

    def __init__(self, budget: float) -> None:
        most = FRAMES_PER_SECOND * 10 // 4
        limits = replace(
            DEFAULT_LIMITS,
            address_frames_per_ten_seconds=most,
            address_deliveries_per_ten_seconds=most,
        )
        self._ticks = 0.0
        self.relay = relay = RelayWorld(limits)
        clock = relay.world.clock
        self.spending = Spending(MemoryDayCounters(), clock, {MICRO_DOLLARS: round(budget * 1e6)})
        self.bill, self.usage, self.sent = (
            Bill(self.spending, MEMORY_GB, self._seconds),
            Counter[str](),
            0,
        )
        fanout = Fanout(relay.connections, relay.sockets, clock, 1, self.spending)
        relay.deps = replace(relay.deps, spending=self.spending, fanout=fanout)
        relay.world.games.by_id[GAME.id] = GAME
        relay.rates.hook = relay.connections.hook = relay.world.games.hook = self._called
        relay.sockets.hook = self._sent

    def _called(self, point: str) -> None:
        if call := _CALLS.get(point):
            self.bill.count_call(call, 300, 300)
            self.usage["read_units" if "Get" in call else "write_units"] += 1

    def _sent(self, point: str) -> None:
        if point.startswith("sockets.send"):
            self.sent += 1
            self.bill.count_call("PostToConnection", 700, 0)

    def _seconds(self) -> float:
        self._ticks += BILLED_SECONDS
        return self._ticks

    def frame(self, socket: str, text: str, address: str) -> None:
        self.usage["frames"] += 1
        with self.bill.invocation(address, socket_messages=1):
            self.relay.say_text(text, on=socket)
        self.relay.sockets.texts.clear()

    def dollars(self) -> float:
        """Of everything seen, at list prices."""
        frames = self.usage["frames"]
        usage = Usage(
            invocations=frames,
            gb_seconds=frames * BILLED_SECONDS * MEMORY_GB,
            socket_messages=frames + self.sent,
            read_units=self.usage["read_units"],
            write_units=self.usage["write_units"],
            logged_bytes=frames * 300,
            transferred_bytes=self.sent * 700,
        )
        return usage.dollars()


def measure(flood: Flood, budget: float = 0.0, seconds: int = SECONDS) -> Seen:
    counted = _Counted(budget)
    relay = counted.relay
    for at in range(SOCKETS):
        relay.open(f"s{at}", FLOODER)
    relay.open("pair", PAIR)
    frames = flood.frames(relay)
    first = next(frames)
    counted.sent, start = 0, relay.world.clock.ms // 86_400_000 * 86_400_000
    relay.world.clock.ms = start
    counted.usage.clear()
    refused, honest = 0, Counter[bool]()
    for second in range(seconds):
        relay.world.clock.ms = start + second * 1000
        room = FRAMES_PER_SECOND
        for _ in range(flood.per_second):
            socket, text = first
            first = next(frames)
            if socket in relay.connections.open or relay.open(socket, FLOODER):
                counted.frame(socket, text, FLOODER)
                room -= 1
        # The pair's frame comes last: at the end of a second of which nothing may be left.
        honest[room > 0] += 1
        if room > 0:
            counted.frame("pair", '["CLOSE","s"]', PAIR)
        refused += room <= 0
    relay.world.clock.ms += 60_000
    counted.spending.add({MICRO_DOLLARS: 0})
    spent = counted.spending.counters.spent(day_of(start))[ALL][MICRO_DOLLARS] / 1e6
    part = DAY_SECONDS / seconds
    return Seen(
        *(flood.name, refused, len(set(relay.sockets.hung_up)), counted.sent),
        *(counted.dollars() * part, spent * part, honest[False] / seconds),
    )


def table() -> str:
    head = (
        "a flood",
        "deliveries in ten minutes",
        "sockets closed",
        "an honest frame finds no room",
    )
    lines = [(*head, "a day, by what is seen", "by the product"), ("---",) * 6]
    rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n".join((rows, *(measure(flood).row() for flood in FLOODS)))


if __name__ == "__main__":
    print(table())
