"""Of sockets that are closed nothing stays in memory."""

import random

from arbiter.adapters.memory.connections import MemoryConnections
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
