"""Each open subscription that wants an event gets one copy, found by index."""

from collections import Counter
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.application.connections import Connection, Subscriber
from arbiter.application.gateway.fanout import Fanout
from arbiter.application.gateway.subscriptions import (
    topics_at_large,
    topics_by_name,
    topics_of_filters,
)
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.filters import Filter, matches
from tests.builders import ALICE, NOW_MS, SERVER, an_event
from tests.fakes.clock import FakeClock
from tests.fakes.connections import FakeConnections
from tests.fakes.faults import Crash, crash_at
from tests.fakes.sockets import FakeSockets
from tests.nostr.strategies import events_of_a_small_world, filters_of_a_small_world

GAME = Filter(tags={"d": ("a",)})
STATES = Filter(kinds=(20302,))
OF_ALICE = Filter(tags={"p": (ALICE.pubkey,)})
FILED = filters_of_a_small_world.filter(lambda wanted: bool(topics_of_filters([wanted])))


def a_state(game: str = "a", content: str = "") -> VerifiedEvent:
    return an_event(SERVER, 20302, content, (("d", game), ("p", ALICE.pubkey)))


class Gateway:
    """Sockets, what they subscribed to (``x`` to the game a), and the way to them, one at a time if
    not ``at_once``.
    """

    def __init__(self, *sockets: str, at_once: int = 8) -> None:
        self.connections = FakeConnections()
        self.sockets = FakeSockets()
        self.fanout = Fanout(self.connections, self.sockets, FakeClock(NOW_MS), at_once=at_once)
        for socket in sockets:
            self.subscribe(socket, GAME)

    def subscribe(
        self,
        connection_id: str,
        *filters: Filter,
        id_: str = "s",
        address: str = "192.0.2.1",
        filed_at: int = 0,
    ) -> None:
        if connection_id not in self.connections.open:
            opened = Connection(
                id=connection_id, address=address, challenge="c", opened_at_ms=NOW_MS
            )
            self.connections.add(opened, NOW_MS)
        wanted = Subscriber(connection_id, id_, filters, address=address)
        at_ms = filed_at * 1000 or NOW_MS
        self.connections.subscribe(connection_id, wanted, topics_of_filters(filters), at_ms)

    def publish(self, *events: VerifiedEvent) -> list[bool]:
        """Deliver these; of each, whether it was taken."""
        report = self.fanout.publish(events, 5.0)
        return [report.is_accepted(event.id) for event in events]

    def order(self, event: VerifiedEvent) -> list[str]:
        """The sockets in the order in which they are told."""
        told: list[str] = []
        self.sockets.hook = told.append
        self.publish(event)
        return [point.removeprefix("sockets.send ") for point in told]

    def copies(self) -> Counter[tuple[str, str, str]]:
        """Counts of each event for each subscription of each socket."""
        return Counter(
            (socket, message[1], message[2]["id"])
            for socket in list(self.sockets.texts)
            for message in self.sockets.messages(socket)
        )


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("xyz"), st.sampled_from("st")),
        st.lists(FILED, min_size=1, max_size=3),
    ),
    st.lists(events_of_a_small_world, max_size=4, unique_by=lambda event: event.id),
)
def test_every_subscription_whose_filter_matches_gets_one_copy(
    subscriptions: dict[tuple[str, str], list[Filter]], events: list[VerifiedEvent]
) -> None:
    gateway = Gateway()
    for (connection_id, id_), filters in subscriptions.items():
        gateway.subscribe(connection_id, *filters, id_=id_)
    assert {*gateway.publish(*events)} <= {True}
    assert gateway.copies() == {
        (connection_id, id_, event.id): 1
        for (connection_id, id_), filters in subscriptions.items()
        for event in events
        if any(matches(wanted, event) for wanted in filters)
    }


def test_events_that_none_wants_cost_one_read_of_their_topics_and_are_taken() -> None:
    gateway, states = Gateway(), [a_state(), a_state("b")]
    assert gateway.publish(*states) == [True, True]
    (looked_up,) = gateway.connections.looked_up
    assert set(looked_up) == {
        topic for state in states for topic in (*topics_by_name(state), *topics_at_large(state))
    }


def test_a_socket_hears_events_in_their_order_and_to_the_byte() -> None:
    gateway = Gateway()
    gateway.subscribe("x", GAME, id_='quoted "s"')
    states = [a_state(content=f'{number} é"\\\n') for number in range(20)]
    gateway.publish(*states)
    heard = gateway.sockets.messages("x")
    assert {(verb, id_) for verb, id_, _ in heard} == {("EVENT", 'quoted "s"')}
    assert [event["content"] for *_, event in heard] == [state.content for state in states]


def test_who_plays_is_told_before_who_looks_on() -> None:
    gateway = Gateway("a", "b", "c", at_once=1)
    gateway.subscribe("x", OF_ALICE)
    assert gateway.order(a_state()) == ["x", "a", "b", "c"]


def test_a_crowd_that_wants_everything_is_read_when_the_players_were_told() -> None:
    gateway = Gateway("x")
    gateway.subscribe("x", STATES, GAME, id_="both")
    for socket in "abc":
        gateway.subscribe(socket, STATES)
    gateway.connections.most = 2
    done: list[str] = []
    gateway.connections.hook = gateway.sockets.hook = done.append
    gateway.publish(a_state())
    assert done[:3] == ["connections.subscribers", "sockets.send x", "sockets.send x"]
    assert done[3] == "connections.overflow_subscribers"
    assert set(done[4:]) == {"sockets.send a", "sockets.send b", "sockets.send c"}
    assert set(gateway.copies().values()) == {1}


def test_a_crowd_that_cannot_be_read_keeps_nothing_from_the_players() -> None:
    gateway, state, crowd = Gateway("x"), a_state(), "abcd"
    for socket in crowd:
        gateway.subscribe(socket, STATES)
    gateway.connections.hook = crash_at("connections.overflow_subscribers")
    assert gateway.publish(state) == [False]
    told = {socket for socket, *_ in gateway.copies()}
    assert len(told & {*crowd}) == gateway.connections.most
    assert told > {"x"}
    assert set(gateway.copies().values()) == {1}


def test_who_crowds_in_on_a_player_is_told_after_them() -> None:
    gateway = Gateway(at_once=1)
    for socket, filed_at in (("late", 3), ("early", 1), ("later", 4)):
        gateway.subscribe(socket, OF_ALICE, filed_at=filed_at)
    assert gateway.order(a_state()) == ["early", "late", "later"]


def test_a_crowd_at_one_address_that_came_first_is_told_after_the_player_but_for_one() -> None:
    gateway = Gateway(at_once=1)
    for number in range(50):
        gateway.subscribe(f"crowd {number}", OF_ALICE, address="198.51.100.7")
    gateway.subscribe("player", OF_ALICE, address="203.0.113.9")
    order = gateway.order(a_state())
    assert order[:3] == ["crowd 0", "player", "crowd 1"]
    assert len(order) == 51


@pytest.mark.parametrize("point", ["", "connections.remove"])
def test_a_socket_that_is_gone_is_forgotten_and_nothing_failed(point: str) -> None:
    gateway, state = Gateway("x", "y"), a_state()
    gateway.sockets.gone.add("x")
    gateway.connections.hook = crash_at(point)
    assert gateway.publish(state) == [True]
    assert ("x" in gateway.connections.open) == bool(point)
    assert gateway.copies() == {("y", "s", state.id): 1}


def test_a_socket_that_is_not_reached_is_tried_twice_and_costs_the_others_nothing() -> None:
    gateway, state = Gateway("w", "x", "y"), a_state()
    for times in (1, 2):
        gateway.sockets.hook = crash_at("sockets.send x", times=times)
        assert gateway.publish(state) == [times == 1]
    copies = {socket: count for (socket, *_), count in gateway.copies().items()}
    assert copies == {"w": 2, "x": 1, "y": 2}


def test_an_event_whose_subscribers_are_not_found_was_not_taken() -> None:
    gateway = Gateway()
    gateway.subscribe("x", Filter(tags={"d": ("a", "b")}))
    gateway.connections.hook = crash_at("connections.subscribers")
    assert gateway.publish(a_state("a"), a_state("b")) == [False, False]


def test_an_event_whose_crowd_is_not_found_was_not_taken_and_others_were() -> None:
    gateway = Gateway()
    for socket in "xyz":
        gateway.subscribe(socket, Filter(tags={"d": ("b",)}))
    gateway.connections.most = 2
    gateway.connections.hook = crash_at("connections.overflow_subscribers")
    assert gateway.publish(a_state("a"), a_state("b")) == [True, False]
    assert {socket for socket, *_ in gateway.copies()} == {"x", "y"}


def test_nothing_is_begun_after_the_deadline() -> None:
    gateway, sent, may_go_on = Gateway("x"), Event(), Event()

    def slow(point: str) -> None:
        if point.startswith("sockets.send"):
            sent.set()
            assert may_go_on.wait(10)

    gateway.sockets.hook = slow
    states = [a_state(content="1"), a_state(content="2")]
    report = gateway.fanout.publish(states, 0.05)
    assert sent.wait(10)
    may_go_on.set()
    gateway.fanout._threads.shutdown(wait=True)
    assert [state for state in states if report.is_accepted(state.id)] == []
    assert len(gateway.sockets.texts["x"]) <= 1


def test_trouble_is_not_raised() -> None:
    gateway = Gateway("x")

    def broken(point: str) -> None:
        raise Crash(point)

    gateway.connections.hook = gateway.sockets.hook = broken
    assert gateway.publish(a_state()) == [False]
