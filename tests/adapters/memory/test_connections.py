"""Nothing stays in memory of sockets that are closed, and of counters no more than may."""

import random

from arbiter.adapters.memory.connections import MemoryConnections, MemoryRateLimits
from arbiter.application.connections import Connection, Subscriber
from arbiter.nostr.filters import Filter
from tests.builders import NOW_MS


def test_nothing_stays_of_sockets_that_came_and_went() -> None:
    dice, connections = random.Random(1), MemoryConnections()
    ids = [f"socket {number}" for number in range(20)]
    for _ in range(2000):
        id_, topics = dice.choice(ids), dice.sample("abcdef", 3)
        match dice.randrange(5):
            case 0:
                opened = Connection(id=id_, address="x", challenge="y", opened_at_ms=NOW_MS)
                connections.add(opened, NOW_MS)
            case 1:
                filed = Subscriber(id_, dice.choice("12"), (Filter(),))
                connections.subscribe(id_, filed, topics, NOW_MS)
            case 2:
                connections.unsubscribe(id_, dice.choice("12"))
            case 3:
                connections.authenticate(id_, dice.choice("AB") * 64)
            case _:
                connections.remove(id_)
    for id_ in ids:
        connections.remove(id_)

    for kept in (connections._sockets, connections._by_topic, connections._by_player):
        assert not kept


def held(limits: MemoryRateLimits) -> int:
    return sum(
        len(counts) for of_length in limits._windows.values() for counts in of_length.values()
    )


def test_of_each_length_the_last_two_windows_are_kept() -> None:
    limits = MemoryRateLimits()
    for window in range(5):
        for key in ("one", "two"):
            limits.take(key, 1, 10, NOW_MS + window * 10_000)
        limits.take("one", 1, 3600, NOW_MS + window * 3_600_000)

    assert held(limits) == 2 * 2 + 2


def test_a_flood_of_keys_makes_room_for_itself_and_the_latest_stay_counted() -> None:
    limits = MemoryRateLimits(most_keys=10)
    for number in range(1000):
        assert limits.take(f"key {number}", 1, 10, NOW_MS)

    assert held(limits) <= 10
    assert not limits.take("key 999", 1, 10, NOW_MS)
