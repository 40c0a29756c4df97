"""What every implementation of the port on connections does."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from arbiter.application.connections import Connection, Connections, Subscriber
from arbiter.nostr.filters import Filter
from tests.builders import ALICE, BOB, NOW_MS
from tests.contract.candidates import Switchboard
from tests.contract.race import race

# The first moment of a window in which frames are counted.
NOON_MS = NOW_MS // 10_000 * 10_000

STATES = Filter(kinds=(20302,))
EVERY_CONSTRAINT = Filter(
    ids=("1" * 64,),
    authors=("2" * 64, "3" * 64),
    kinds=(64, 20302),
    tags={"d": ("a" * 32, "# \u2654 '\""), "p": ("4" * 64,)},
    since=0,
    until=2**53 - 1,
    limit=0,
)
AWKWARD = [
    " ", "#", "##", "-", "s#a", "a#b", "a", "A", "=", "=" + "0" * 63, "\u00e9", "e\u0301",
    "\u2654" * 64, "\U0001f600" * 64, "\U0001f600" * 63 + "a", "\x00", '"\\',
]  # fmt: skip


@pytest.fixture
def connections(switchboard: Switchboard) -> Connections:
    return switchboard.connections


def a_connection(connection_id: str) -> Connection:
    return Connection(
        id=connection_id, address="192.0.2.7", challenge="c" * 64, opened_at_ms=NOON_MS - 1
    )


def opened(connections: Connections, connection_id: str) -> str:
    connections.add(a_connection(connection_id), NOON_MS)
    return connection_id


def subscribed(
    connections: Connections,
    connection_id: str,
    subscription_id: str,
    topics: Sequence[str],
    *filters: Filter,
) -> Subscriber:
    subscriber = Subscriber(connection_id, subscription_id, filters or (STATES,))
    connections.subscribe(connection_id, subscriber, topics, NOON_MS)
    return subscriber


def received(connections: Connections, connection_id: str, at_ms: int = NOON_MS) -> Connection:
    connection = connections.count_frame(connection_id, at_ms)
    assert connection is not None
    return connection


def found(connections: Connections, topics: Sequence[str]) -> tuple[Subscriber, ...]:
    """The subscriptions to these topics, each once."""
    filed = connections.subscribers(topics, (20302,), NOON_MS)
    assert set(filed) <= set(topics)
    listed = [one for each in filed.values() for one in each.subscribers]
    for topic, each in filed.items():
        if each.has_more:
            listed += connections.overflow_subscribers(topic)
    once = {(one.connection_id, one.subscription_id): one for one in listed}
    return tuple(once.values())


def left(switchboard: Switchboard) -> list[dict[str, Any]]:
    """The items, without those of topics without subscriptions, which expire, and the mark."""
    return [
        item
        for item in switchboard.items()
        if not (item["pk"]["S"].startswith("t") and item["sk"]["S"] == "-" and "m" not in item)
    ]


def emptied(switchboard: Switchboard, *connection_ids: str) -> None:
    """Nothing is left when these are closed."""
    for connection_id in connection_ids:
        switchboard.connections.remove(connection_id)
    assert left(switchboard) == []


def test_a_socket_is_remembered_as_it_was_opened(connections: Connections) -> None:
    one = opened(connections, "L0SM9cOFvHcCIhw=")
    opened(connections, "another")

    assert received(connections, one) == replace(a_connection(one), frames=1)


def test_frames_are_counted_by_socket_and_window(connections: Connections) -> None:
    one, other = opened(connections, "one"), opened(connections, "other")
    later = NOON_MS + 1_800_000
    times = [NOON_MS, NOON_MS + 9_999, NOON_MS + 10_000, later, later + 1]

    assert [received(connections, one, at_ms).frames for at_ms in times] == [1, 2, 1, 1, 2]
    assert received(connections, other).frames == 1
    # Whatever a counter is named by, its name must not return within a socket's life.
    for ten_seconds in (60, 64, 100, 256, 360, 500, 512, 720, 780):
        assert received(connections, other, NOON_MS + ten_seconds * 10_000).frames == 1


def test_no_frame_is_missed_though_all_come_at_once(connections: Connections) -> None:
    one = opened(connections, "one")
    counts: list[int] = []

    race(*[lambda: counts.append(received(connections, one).frames) for _ in range(12)])

    assert sorted(counts) == [*range(1, 13)]


def test_a_subscription_is_found_for_each_of_its_kinds(connections: Connections) -> None:
    opened(connections, "one")
    moves = subscribed(connections, "one", "moves", ("d:game",), Filter(kinds=(20303, 20306)))

    def of(*kinds: int) -> set[Subscriber]:
        filed = connections.subscribers(["d:game", "p:bob"], kinds, NOON_MS)
        return {one for each in filed.values() for one in each.subscribers}

    assert [of(20303), of(20306), of(20302, 20303)] == [{moves}] * 3
    every = subscribed(connections, "one", "every", ("p:bob",), Filter(authors=("ab" * 32,)))
    assert every in of(20302)


def test_a_topic_is_crowded_by_an_address_with_many_subscriptions(connections: Connections) -> None:
    addresses = ("192.0.2.7",) * 3 + ("192.0.2.8",) * 2 + ("2001:db8::",)
    for number, address in enumerate(addresses):
        socket, topics = opened(connections, f"socket {number}"), ("d:game", f"e:{number}")
        filed = Subscriber(socket, "sub:1", (STATES,), address=address)
        connections.subscribe(socket, filed, topics, NOON_MS)

    (one,) = found(connections, ["e:5"])
    assert (one.filed_at, one.address) == (NOON_MS // 1000, "2001:db8::")
    for address, times in (("192.0.2.7", 3), ("192.0.2.8", 2), ("2001:db8::", 1), ("x", 0)):
        crowds = [connections.is_crowded(["a:b", "d:game"], address, most) for most in range(5)]
        assert crowds == [most <= times for most in range(5)]
    assert not connections.is_crowded(["d:other"], "192.0.2.7", 1)
    assert not connections.is_crowded([], "192.0.2.7", 0)


def test_a_socket_may_prove_several_keys_a_key_several_sockets(connections: Connections) -> None:
    phone, laptop = opened(connections, "phone"), opened(connections, "laptop=")
    for _ in range(2):
        connections.authenticate(phone, ALICE.pubkey)
    connections.authenticate(laptop, ALICE.pubkey)
    connections.authenticate(laptop, BOB.pubkey)

    assert sorted(connections.sockets_of(ALICE.pubkey)) == [laptop, phone]
    assert connections.sockets_of(BOB.pubkey) == (laptop,)
    assert received(connections, phone).pubkeys == {ALICE.pubkey}
    assert received(connections, laptop).pubkeys == {ALICE.pubkey, BOB.pubkey}


def test_nothing_is_kept_of_a_socket_never_opened_or_closed(switchboard: Switchboard) -> None:
    connections = switchboard.connections
    connections.remove("closed")
    connections.authenticate("closed", ALICE.pubkey)
    subscribed(connections, "closed", "sub:1", ("a", "b"))
    connections.unsubscribe("closed", "sub:1")

    for _ in range(2):
        assert connections.count_frame("closed", NOON_MS) is None
    assert connections.sockets_of(ALICE.pubkey) == ()
    assert found(connections, ["a", "b"]) == ()
    assert left(switchboard) == []


def test_a_subscription_is_found_by_its_topics_and_by_no_other(connections: Connections) -> None:
    opened(connections, "one")
    filters = (EVERY_CONSTRAINT, Filter(), STATES)
    mine = subscribed(connections, "one", "sub:1", ("d:game", "p:alice"), *filters)

    assert found(connections, ["d:game"]) == (mine,)
    assert found(connections, ["p:alice"]) == (mine,)
    assert found(connections, ["d:gam", "d:game:", "p:alice#", ""]) == ()
    assert found(connections, []) == ()


def test_a_subscription_that_several_topics_find_is_listed_once(connections: Connections) -> None:
    one, other = opened(connections, "one"), opened(connections, "other")
    mine = subscribed(connections, one, "sub:1", ("d:game", "p:alice", "d:game"))
    second = subscribed(connections, one, "sub:2", ("d:game",))
    theirs = subscribed(connections, other, "sub:1", ("k:20302", "d:game"))

    listed = found(connections, ["k:20302", "d:game", "p:alice", "p:alice"])

    assert len(listed) == 3
    assert all(one in listed for one in (mine, second, theirs))


def test_a_subscription_replaces_the_former_one_of_its_id(switchboard: Switchboard) -> None:
    connections = switchboard.connections
    opened(connections, "one")
    neighbour = subscribed(connections, "one", "sub:2", ("a", "b"))
    subscribed(connections, "one", "sub:1", ("a", "b"))

    newer = subscribed(connections, "one", "sub:1", ("b", "c"), EVERY_CONSTRAINT)

    assert found(connections, ["a"]) == (neighbour,)
    listed = found(connections, ["b", "c"])
    assert len(listed) == 2
    assert all(one in listed for one in (newer, neighbour))
    assert received(connections, "one").subscriptions == {"sub:1", "sub:2"}
    emptied(switchboard, "one")


def test_a_subscription_given_up_is_not_found_until_made_again(connections: Connections) -> None:
    one, other = opened(connections, "one"), opened(connections, "other")
    subscribed(connections, one, "sub:1", ("a", "b"))
    second = subscribed(connections, one, "sub:2", ("a",))
    theirs = subscribed(connections, other, "sub:1", ("b",))

    for _ in range(2):
        connections.unsubscribe(one, "sub:1")
    assert found(connections, ["a"]) == (second,)
    assert found(connections, ["b"]) == (theirs,)
    assert received(connections, one).subscriptions == {"sub:2"}

    connections.unsubscribe(one, "sub:2")
    assert received(connections, one).subscriptions == frozenset()
    again = subscribed(connections, one, "sub:1", ("a",))
    assert found(connections, ["a"]) == (again,)
    assert received(connections, one).subscriptions == {"sub:1"}


def test_subscription_ids_and_topics_may_be_any_text(switchboard: Switchboard) -> None:
    connections = switchboard.connections
    opened(connections, "one")
    subscribers = [subscribed(connections, "one", text, ("topic", text)) for text in AWKWARD]
    long = ["d:" + "x" * 5_000, "d:" + "x" * 5_001, "d:" + "\u2654" * 9_000]
    of_long = [
        subscribed(connections, "one", f"sub:{number}", (topic,))
        for number, topic in enumerate(long)
    ]

    listed = found(connections, ["topic"])
    assert len(listed) == len(AWKWARD)
    assert all(one in listed for one in subscribers)
    assert [found(connections, [text]) for text in AWKWARD] == [(it,) for it in subscribers]
    assert [found(connections, [topic]) for topic in long] == [(it,) for it in of_long]
    assert received(connections, "one").subscriptions > set(AWKWARD)

    for number, text in enumerate(AWKWARD, 1):
        connections.unsubscribe("one", text)
        assert len(found(connections, ["topic"])) == len(AWKWARD) - number
    emptied(switchboard, "one")


def test_a_subscription_may_have_more_topics_than_one_write_takes(switchboard: Switchboard) -> None:
    connections = switchboard.connections
    opened(connections, "one")
    topics = [f"d:{number}" for number in range(60)]

    mine = subscribed(connections, "one", "sub:1", topics)
    assert found(connections, topics) == (mine,)
    assert found(connections, ["d:59"]) == (mine,)

    fewer = subscribed(connections, "one", "sub:1", topics[:2])
    assert found(connections, topics[2:]) == ()
    assert found(connections, topics) == (fewer,)
    emptied(switchboard, "one")


def test_a_topic_may_have_more_subscribers_than_one_page_holds(connections: Connections) -> None:
    opened(connections, "one")
    # 67 KB each, and a page is a megabyte.
    much = Filter(ids=tuple(f"{number:064x}" for number in range(1_000)))
    for number in range(20):
        subscribed(connections, "one", f"sub:{number}", ("d:famous",), much)

    listed = found(connections, ["d:famous"])

    assert {one.subscription_id for one in listed} == {f"sub:{number}" for number in range(20)}
    assert {one.filters for one in listed} == {(much,)}


def test_a_topic_may_have_any_number_of_subscribers_of_any_size(switchboard: Switchboard) -> None:
    connections = switchboard.connections
    ids = [f"sub:{number}" for number in range(30)]
    long, short = Filter(ids=tuple(f"{number:064x}" for number in range(20))), STATES
    for opened_id in ("one", "other"):
        opened(connections, opened_id)
    for wanted in (short, long, short):
        for id_ in ids:
            subscribed(connections, "one", id_, ("d:famous", "d:other"), wanted)
        for topic in ("d:famous", "d:other"):
            listed = found(connections, [topic])
            assert sorted(one.subscription_id for one in listed) == sorted(ids)
            assert {one.filters for one in listed} == {(wanted,)}

    theirs = subscribed(connections, "other", "sub:0", ("d:famous",))
    for id_ in ids[:-1]:
        connections.unsubscribe("one", id_)
    assert theirs in found(connections, ["d:famous"])
    assert len(found(connections, ["d:famous"])) == 2
    emptied(switchboard, "one", "other")


@pytest.mark.parametrize("number", [0, 1, 12, 13, 40])
def test_some_of_a_topic_are_all_of_few_or_enough(connections: Connections, number: int) -> None:
    ids = {f"sub:{at}" for at in range(number)}
    opened(connections, "one")
    for id_ in ids:
        subscribed(connections, "one", id_, ("d:famous", f"e:{id_}"))
    subscribed(connections, "one", "another", ("d:other",))

    for most in (1, 12, 20, 41):
        listed = [one.subscription_id for one in connections.sample_subscribers("d:famous", most)]
        assert len(listed) == len(set(listed)) >= min(number, most)
        assert ids.issuperset(listed)
    for id_ in ids:
        connections.unsubscribe("one", id_)
    assert connections.sample_subscribers("d:famous", 41) == ()


def test_subscriptions_that_must_be_gone_make_room_for_others(switchboard: Switchboard) -> None:
    if switchboard.client is None:
        pytest.skip("sockets end with the process")
    connections, day_ms = switchboard.connections, 86_400_000
    for number in range(40):
        opened(connections, f"socket {number}")
        filed = Subscriber(f"socket {number}", "sub:1", (STATES,))
        connections.subscribe(filed.connection_id, filed, ["d:game"], NOON_MS + number * day_ms)

    now = connections.subscribers(["d:game"], (20302,), NOON_MS)["d:game"]

    assert "socket 39" in {one.connection_id for one in now.subscribers}
    assert not now.has_more


def test_all_is_forgotten_of_a_closed_socket_alone(switchboard: Switchboard) -> None:
    connections = switchboard.connections
    one, other = opened(connections, "one"), opened(connections, "one=")
    for id_ in (one, other):
        connections.authenticate(id_, ALICE.pubkey)
        subscribed(connections, id_, "sub:1", ("a", "b"))
        subscribed(connections, id_, "sub # 2", ("b",), EVERY_CONSTRAINT)

    for _ in range(2):
        connections.remove(one)

    assert connections.count_frame(one, NOON_MS) is None
    assert connections.sockets_of(ALICE.pubkey) == (other,)
    assert {one.connection_id for one in found(connections, ["a", "b"])} == {other}
    assert len(found(connections, ["b"])) == 2
    emptied(switchboard, other)
    assert found(connections, ["a", "b"]) == ()


def test_what_is_filed_while_a_socket_closes_is_not_found(switchboard: Switchboard) -> None:
    connections = switchboard.connections
    for number in range(10):
        id_ = opened(connections, f"one{number}")
        topics = [f"d:{at}" for at in range(3)]

        filed = Subscriber(id_, "sub:1", (STATES,))
        race(
            partial(connections.subscribe, id_, filed, topics, NOON_MS),
            partial(connections.remove, id_),
        )

        assert found(connections, topics) == ()
        assert left(switchboard) == []


def test_everything_expires_when_its_socket_must_be_gone(switchboard: Switchboard) -> None:
    opened(switchboard.connections, "one")
    switchboard.connections.authenticate("one", ALICE.pubkey)
    subscribed(switchboard.connections, "one", "sub:1", ("a", "b"))

    items = switchboard.items()

    # API Gateway closes a socket after two hours at the latest.
    two_hours_later = NOON_MS // 1000 + 7_200
    assert len(items) == (7 if switchboard.client else 0)
    for item in items:
        assert two_hours_later < int(item["expires_at"]["N"]) <= two_hours_later + 3_600
