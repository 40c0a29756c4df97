"""REQ at our own relay: what is refused, and under which topics the rest is filed."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arbiter.application.gateway.subscriptions import (
    topics_at_large,
    topics_by_name,
    topics_of_filter,
    topics_of_filters,
)
from arbiter.dialects.chat import CHAT_KINDS
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.filters import Filter, matches
from tests.application.gateway.relay_world import RelayWorld, a_relay, told
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.nostr.strategies import events_of_a_small_world, filters_of_a_small_world

GAME_ID = "0123456789abcdef0123456789abcdef"
GAME = {"kinds": [20302], "#d": [GAME_ID]}
ELSEWHERE = {"#d": ["ab" * 16]}
STATE = an_event(SERVER, 20302, tags=(("d", GAME_ID), ("p", ALICE.pubkey), ("p", BOB.pubkey)))
REQUEST = an_event(ALICE, 20300, tags=(("p", SERVER.pubkey),))


@pytest.mark.parametrize(
    ("filters", "prefix"),
    [
        ([{"kinds": [1]}], "restricted"),
        ([{"kinds": [5000, 5001]}], "restricted"),
        ([{}], "restricted"),
        ([{"since": 1, "limit": 5}], "restricted"),
        ([{"#t": ["chess"]}], "restricted"),
        ([GAME, {"limit": 5}], "restricted"),
        ([GAME] * 11, "restricted"),
        ([{"#d": [str(number) for number in range(51)]}], "restricted"),
        ([{"kinds": [20302], "#t": [f"{number:064x}" for number in range(64)]}], "restricted"),
        ([{"kinds": []}], "invalid"),
        ([{"search": "x"}], "invalid"),
        ([{"#p": ["npub"]}], "invalid"),
        ([7], "invalid"),
        ([], "invalid"),
    ],
)
def test_a_request_that_is_not_served_is_closed_with_a_prefix(
    filters: list[Any], prefix: str
) -> None:
    relay = a_relay()
    assert told(relay.subscribe(*filters)) == (f"CLOSED {prefix}",)
    assert not relay.connections.filed


@pytest.mark.parametrize(
    "filters",
    [
        [GAME] * 10,
        [{"kinds": [1]}, GAME],
        [{"kinds": [1, 20302]}],
        [{"#d": [str(number) for number in range(50)]}],
        [{"kinds": [20302, 64], "#d": [f"{number:032x}" for number in range(50)]}],
        [{"ids": ["ab" * 32]}],
        [{"authors": [SERVER.pubkey], "#t": ["chess"]}],
    ],
)
def test_a_request_that_is_served_ends_in_eose_and_is_filed(filters: list[Any]) -> None:
    relay = a_relay()
    assert told(relay.subscribe(*filters))[-1] == "EOSE"
    assert [*relay.connections.filed] == [("x", "s")]


def test_a_filter_that_nothing_here_can_match_is_not_filed() -> None:
    relay = a_relay()
    relay.subscribe({"kinds": [1], "authors": [ALICE.pubkey]}, GAME)
    ((_, topics),) = relay.connections.filed.values()
    assert topics == (f"d:{GAME_ID}",)


def test_a_connection_has_so_many_subscriptions_and_may_replace_one() -> None:
    relay = a_relay(subscriptions=2)
    said = [told(relay.subscribe(GAME, id_=id_))[-1] for id_ in "abca"]
    assert said == ["EOSE", "EOSE", "CLOSED restricted", "EOSE"]
    relay.say("CLOSE", "b")
    assert told(relay.subscribe(GAME, id_="c")) == ("EOSE",)


def test_a_request_takes_the_place_of_an_older_one_though_it_is_refused() -> None:
    relay = a_relay()
    relay.subscribe({"kinds": [20300]})
    assert told(relay.subscribe({"kinds": [1]})) == ("CLOSED restricted",)
    assert told(relay.publish(REQUEST)) == ("OK",)


def test_one_address_has_so_many_subscriptions_in_all() -> None:
    relay = a_relay(address_subscriptions=2)
    relay.open("y")
    relay.open("far", "192.0.2.2")
    for socket, id_, answer in (
        *(("x", "a", "EOSE"), ("y", "a", "EOSE"), ("y", "b", "CLOSED restricted")),
        *(("x", "a", "EOSE"), ("far", "b", "EOSE")),
    ):
        assert told(relay.subscribe({"#d": [f"{socket}{id_}"]}, on=socket, id_=id_)) == (answer,)
    relay.close("x")
    assert told(relay.subscribe(GAME, on="y", id_="b")) == ("EOSE",)


def test_one_address_has_so_many_subscriptions_to_one_thing_and_may_replace_one() -> None:
    relay = a_relay(of_an_address=2)
    for socket, address in (("y", "192.0.2.1"), ("z", "192.0.2.1"), ("far", "192.0.2.2")):
        assert relay.open(socket, address)
    for socket, filters, answer in (
        ("x", [GAME], "EOSE"),
        ("y", [ELSEWHERE, GAME], "EOSE"),
        ("z", [ELSEWHERE, GAME], "CLOSED restricted"),
        ("z", [ELSEWHERE], "EOSE"),
        ("far", [GAME], "EOSE"),
        ("x", [GAME], "EOSE"),
    ):
        assert told(relay.subscribe(*filters, on=socket)) == (answer,)
    relay.close("y")
    assert told(relay.subscribe(GAME, on="z")) == ("EOSE",)
    assert {one.address for one, _ in relay.connections.filed.values()} == {
        *("192.0.2.1", "192.0.2.2")
    }


def test_requests_may_come_less_often_than_other_frames() -> None:
    relay = a_relay(requests_per_ten_seconds=2)
    said = [told(relay.subscribe(GAME)) for _ in range(5)]
    # The count begins with the third frame, before which no socket can have sent three.
    assert said == [*[("EOSE",)] * 4, ("CLOSED rate-limited",)]
    assert told(relay.publish(REQUEST)) == ("OK",)


def test_a_subscription_is_filed_before_anything_is_read_for_it() -> None:
    relay, steps = a_relay(), list[str]()
    relay.connections.hook = relay.world.games.hook = steps.append
    relay.subscribe(GAME)
    assert steps.index("connections.subscribed") < steps.index("games.load")


def test_what_happens_while_a_subscription_is_answered_is_delivered() -> None:
    relay = RelayWorld()
    relay.open("x")
    table = relay.a_game()

    def move_meanwhile(point: str) -> None:
        if point == "connections.subscribed":
            relay.connections.hook = lambda _: None
            relay.deps.fanout.publish(table.say("e2e4"), 5.0)

    relay.connections.hook = move_meanwhile
    shown = relay.shown({"kinds": [20302], "#d": [table.game_id]})
    assert table.state.id in {event["id"] for event in shown}


AT = f"30327:{SERVER.pubkey}:{'f' * 32}"


def topics_of_event(event: VerifiedEvent) -> tuple[str, ...]:
    """Everywhere that a delivery looks for those who want this event."""
    return (*topics_by_name(event), *topics_at_large(event))


@given(filters_of_a_small_world, events_of_a_small_world)
@example(Filter(tags={"d": (GAME_ID,), "p": (ALICE.pubkey,)}, kinds=(20302,)), STATE)
def test_a_filter_shares_a_topic_with_every_event_that_it_matches(
    wanted: Filter, event: VerifiedEvent
) -> None:
    topics = set(topics_of_filter(wanted))
    names_something = wanted.authors or wanted.kinds or set(wanted.tags) & {"d", "p"}
    assert bool(topics) == (bool(names_something or "e" in wanted.tags) and not wanted.ids)
    if matches(wanted, event) and topics and event.kind not in CHAT_KINDS:
        assert topics & set(topics_of_event(event))


@pytest.mark.parametrize(
    ("kind", "topics"), [(20306, ("d:x",)), (20305, ("d:x", "p:a", "p:b", "e:c"))]
)
def test_chat_is_found_by_its_game_and_between_players_by_its_reader(
    kind: int, topics: tuple[str, ...]
) -> None:
    line = an_event(ALICE, kind, "hi", (("d", "x"), ("p", "a"), ("p", "b"), ("e", "c")))
    assert topics_of_event(line) == topics


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ({"kinds": [20306]}, "CLOSED restricted"),
        ({"kinds": [20305, 20306], "#p": [ALICE.pubkey]}, "CLOSED restricted"),
        ({"kinds": [20306], "authors": [ALICE.pubkey]}, "CLOSED restricted"),
        ({"kinds": [20306], "#d": [GAME_ID]}, "EOSE"),
        ({"kinds": [20305], "#p": [ALICE.pubkey]}, "EOSE"),
        ({"kinds": [20302, 20306], "#p": [ALICE.pubkey]}, "EOSE"),
    ],
)
def test_a_subscription_to_chat_alone_names_a_game_or_is_told_so(
    wanted: dict[str, object], answer: str
) -> None:
    assert told(a_relay().subscribe(wanted)) == (answer,)


@pytest.mark.parametrize(
    ("wanted", "topics"),
    [
        (Filter(kinds=(20302,), tags={"d": (GAME_ID,), "p": (ALICE.pubkey,)}), (f"d:{GAME_ID}",)),
        (Filter(kinds=(20302,), authors=(SERVER.pubkey,)), (f"a:{SERVER.pubkey}",)),
        (Filter(kinds=(30328,), tags={"a": (AT,)}, authors=(SERVER.pubkey,)), (f"a:{AT}",)),
        (Filter(kinds=(20301, 20302, 20301)), ("k:20301", "k:20302")),
        (Filter(ids=(STATE.id,), kinds=(1,)), ()),
        (Filter(tags={"e": (STATE.id,), "d": (GAME_ID,)}), (f"e:{STATE.id}",)),
        (Filter(tags={"t": ("chess",)}, since=1, limit=0), ()),
        (Filter(), ()),
    ],
)
def test_a_filter_is_filed_under_what_fewest_events_have(
    wanted: Filter, topics: tuple[str, ...]
) -> None:
    assert topics_of_filter(wanted) == topics


def test_a_state_has_five_topics_and_several_filters_share_their_topics() -> None:
    filters = [Filter(tags={"d": (GAME_ID,)}, kinds=(kind,)) for kind in (64, 20302)]
    assert len(topics_of_event(STATE)) == 5
    assert topics_of_filters([*filters, Filter(kinds=(64,))]) == (f"d:{GAME_ID}", "k:64")


@given(st.lists(st.lists(st.text(max_size=3), min_size=1, max_size=3).map(tuple), max_size=4))
def test_no_tag_however_odd_is_more_than_one_topic(tags: list[tuple[str, ...]]) -> None:
    assert len(topics_of_event(an_event(ALICE, 20303, tags=tuple(tags)))) <= 3 + len(tags)
