"""Each open subscription that wants an event gets one copy, found by index."""

import json
from collections import Counter
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from hypothesis import given, settings
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
FILED = filters_of_a_small_world.filter(lambda wanted: bool(topics_of_filters([wanted])))


def a_state(game: str = "a", content: str = "") -> VerifiedEvent:
    return an_event(SERVER, 20302, content, (("d", game),))


class Gateway:
    """Sockets, what they subscribed to, and the way to them."""

    def __init__(self) -> None:
        self.connections = FakeConnections()
        self.sockets = FakeSockets()
        self.clock = FakeClock(NOW_MS)
        self.delivery = Fanout(self.connections, self.sockets, self.clock)

    def subscribe(self, connection_id: str, subscription_id: str, *filters: Filter) -> None:
        if connection_id not in self.connections.standing:
            connection = Connection(
                id=connection_id, address="192.0.2.1", challenge="c", opened_at_ms=NOW_MS
            )
            self.connections.opened(connection, NOW_MS)
        self.connections.subscribe(
            connection_id,
            Subscriber(connection_id, subscription_id, filters),
            topics_of_filters(filters),
            NOW_MS,
        )

    def copies(self) -> Counter[tuple[str, str, str]]:
        """Which event went to which subscription of which socket, how often."""
        return Counter(
            (socket, message[1], message[2]["id"])
            for socket in list(self.sockets.texts)
            for message in self.sockets.messages(socket)
        )


@settings(max_examples=50)
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
    for (connection_id, subscription_id), filters in subscriptions.items():
        gateway.subscribe(connection_id, subscription_id, *filters)
    report = gateway.delivery.publish(events, 5.0)
    expected = {
        (connection_id, subscription_id, event.id): 1
        for (connection_id, subscription_id), filters in subscriptions.items()
        for event in events
        if any(matches(wanted, event) for wanted in filters)
    }
    assert gateway.copies() == expected
    assert [event for event in events if not report.taken(event.id)] == []


def test_an_event_that_nobody_wants_costs_one_look_up_of_each_topic_and_is_taken() -> None:
    gateway = Gateway()
    state = a_state()
    assert gateway.delivery.publish([state], 5.0).taken(state.id)
    looked_up = [topic for topics in gateway.connections.looked_up for topic in topics]
    assert sorted(looked_up) == sorted((*topics_by_name(state), *topics_at_large(state)))


def test_a_socket_hears_events_in_the_order_they_were_said() -> None:
    gateway = Gateway()
    gateway.subscribe("x", "s", GAME)
    states = [a_state(content=str(number)) for number in range(20)]
    gateway.delivery.publish(states, 5.0)
    heard: list[Any] = [message[2]["content"] for message in gateway.sockets.messages("x")]
    assert heard == [str(number) for number in range(20)]


def test_who_plays_is_told_before_who_looks_on() -> None:
    gateway = Gateway()
    gateway.delivery = Fanout(gateway.connections, gateway.sockets, gateway.clock, at_once=1)
    for socket in "abc":
        gateway.subscribe(socket, "s", GAME)
    gateway.subscribe("x", "s", Filter(tags={"p": (ALICE.pubkey,)}))
    told: list[str] = []
    gateway.sockets.hook = told.append
    gateway.delivery.publish([an_event(SERVER, 20302, tags=(("d", "a"), ("p", ALICE.pubkey)))], 5.0)
    assert told[0] == "sockets.send x"
    assert len(told) == 4


def test_a_crowd_that_wants_everything_is_read_when_the_players_were_told() -> None:
    gateway = Gateway()
    gateway.subscribe("x", "s", GAME)
    gateway.subscribe("x", "both", Filter(kinds=(20302,)), GAME)
    for socket in "abc":
        gateway.subscribe(socket, "s", Filter(kinds=(20302,)))
    done: list[str] = []
    gateway.connections.hook = gateway.sockets.hook = done.append
    state = a_state()
    gateway.delivery.publish([state], 5.0)
    assert done[:3] == ["connections.subscribers", "sockets.send x", "sockets.send x"]
    assert set(done[4:]) == {"sockets.send a", "sockets.send b", "sockets.send c"}
    assert set(gateway.copies().values()) == {1}


def test_a_crowd_that_cannot_be_read_keeps_nothing_from_the_players() -> None:
    gateway = Gateway()
    gateway.subscribe("x", "s", GAME)
    asked: list[str] = []

    def fail_the_second_time(point: str) -> None:
        asked.append(point)
        if asked.count("connections.subscribers") > 1:
            raise Crash(point)

    gateway.connections.hook = fail_the_second_time
    state = a_state()

    assert not gateway.delivery.publish([state], 5.0).taken(state.id)
    assert gateway.copies() == {("x", "s", state.id): 1}


def test_who_crowds_in_on_a_player_is_told_after_him() -> None:
    gateway = Gateway()
    gateway.delivery = Fanout(gateway.connections, gateway.sockets, gateway.clock, at_once=1)
    wanted = Filter(tags={"p": (ALICE.pubkey,)})
    for socket, filed_at in (("late", 3), ("early", 1), ("later", 4)):
        gateway.subscribe(socket, "s", wanted)
        one, topics = gateway.connections.filed[socket, "s"]
        gateway.connections.filed[socket, "s"] = replace(one, filed_at=filed_at), topics
    told: list[str] = []
    gateway.sockets.hook = told.append
    gateway.delivery.publish([an_event(SERVER, 20302, tags=(("p", ALICE.pubkey),))], 5.0)
    assert told == ["sockets.send early", "sockets.send late", "sockets.send later"]


def test_a_crowd_at_one_address_that_came_first_is_told_after_the_player_but_for_one() -> None:
    gateway = Gateway()
    gateway.delivery = Fanout(gateway.connections, gateway.sockets, gateway.clock, at_once=1)
    wanted = Filter(tags={"p": (ALICE.pubkey,)})
    crowd = [(f"crowd {number}", "198.51.100.7") for number in range(50)]
    for socket, address in (*crowd, ("player", "203.0.113.9")):
        gateway.subscribe(socket, "s", wanted)
        one, topics = gateway.connections.filed[socket, "s"]
        gateway.connections.filed[socket, "s"] = replace(one, address=address), topics
    told: list[str] = []
    gateway.sockets.hook = told.append
    gateway.delivery.publish([an_event(SERVER, 20302, tags=(("p", ALICE.pubkey),))], 5.0)
    assert told[:3] == ["sockets.send crowd 0", "sockets.send player", "sockets.send crowd 1"]
    assert len(told) == 51


def test_what_arrives_is_the_event_to_the_byte() -> None:
    gateway = Gateway()
    gateway.subscribe("x", 'quoted "s"', GAME)
    state = a_state(content='é"\\\n')
    gateway.delivery.publish([state], 5.0)
    (message,) = gateway.sockets.messages("x")
    assert message[:2] == ["EVENT", 'quoted "s"']
    assert (message[2]["id"], message[2]["content"]) == (state.id, state.content)


def test_a_socket_that_is_gone_is_forgotten_and_nothing_failed() -> None:
    gateway = Gateway()
    gateway.subscribe("x", "s", GAME)
    gateway.subscribe("y", "s", GAME)
    gateway.sockets.gone.add("x")
    state = a_state()
    assert gateway.delivery.publish([state], 5.0).taken(state.id)
    assert "x" not in gateway.connections.standing
    assert gateway.copies() == {("y", "s", state.id): 1}


def test_a_socket_that_is_not_reached_is_tried_twice_and_costs_the_others_nothing() -> None:
    gateway = Gateway()
    for socket in ("w", "x", "y"):
        gateway.subscribe(socket, "s", GAME)
    state = a_state()
    gateway.sockets.hook = crash_at("sockets.send x", times=1)
    assert gateway.delivery.publish([state], 5.0).taken(state.id)
    gateway.sockets.hook = crash_at("sockets.send x", times=2)
    assert not gateway.delivery.publish([state], 5.0).taken(state.id)
    assert gateway.copies() == {
        ("w", "s", state.id): 2,
        ("x", "s", state.id): 1,
        ("y", "s", state.id): 2,
    }


def test_an_event_whose_subscribers_are_not_found_was_not_taken() -> None:
    gateway = Gateway()
    gateway.subscribe("x", "s", Filter(tags={"d": ("a", "b")}))
    gateway.connections.hook = crash_at("connections.subscribers")
    states = [a_state("a"), a_state("b")]
    report = gateway.delivery.publish(states, 5.0)
    assert sorted(report.taken(state.id) for state in states) == [False, True]


def test_a_gone_socket_that_cannot_be_forgotten_is_no_failure() -> None:
    gateway = Gateway()
    gateway.subscribe("x", "s", GAME)
    gateway.sockets.gone.add("x")
    gateway.connections.hook = crash_at("connections.closed")
    state = a_state()
    assert gateway.delivery.publish([state], 5.0).taken(state.id)


def test_nothing_is_begun_after_the_deadline() -> None:
    gateway = Gateway()
    gateway.subscribe("x", "s", GAME)
    sent, may_go_on = Event(), Event()

    def slow(point: str) -> None:
        if point.startswith("sockets.send"):
            sent.set()
            assert may_go_on.wait(10)

    gateway.sockets.hook = slow
    states = [a_state(content="1"), a_state(content="2")]

    report = gateway.delivery.publish(states, 0.05)
    assert sent.wait(10)
    may_go_on.set()
    gateway.delivery._threads.shutdown(wait=True)

    assert [state for state in states if report.taken(state.id)] == []
    assert len(gateway.sockets.texts["x"]) <= 1


def test_two_publications_do_not_disturb_each_other() -> None:
    gateway = Gateway()
    for number in range(40):
        gateway.subscribe(f"socket {number}", "s", GAME)
    one, other = a_state(content="1"), a_state(content="2")
    assert gateway.delivery.publish([one], 5.0).taken(one.id)
    assert gateway.delivery.publish([other, other], 5.0).taken(other.id)
    assert set(gateway.copies().values()) == {1}
    assert len(gateway.copies()) == 80


@pytest.mark.parametrize("kind", [20303, 20306])
def test_what_players_say_is_delivered_like_what_we_say(kind: int) -> None:
    gateway = Gateway()
    gateway.subscribe("x", "s", GAME)
    said = an_event(ALICE, kind, "e2e4", (("d", "a"),))
    gateway.delivery.publish([said], 5.0)
    assert json.loads(gateway.sockets.texts["x"][0])[2]["kind"] == kind


def test_trouble_is_not_raised() -> None:
    gateway = Gateway()
    gateway.subscribe("x", "s", GAME)

    def broken(point: str) -> None:
        raise Crash(point)

    gateway.connections.hook = gateway.sockets.hook = broken
    state = a_state()

    assert not gateway.delivery.publish([state], 5.0).taken(state.id)
