"""REQ at our own relay: what is refused, what is filed, and in which order."""

from typing import Any

import pytest

from arbiter.nostr.nip11 import RelayLimits
from tests.application.gateway.relay_world import RelayWorld, told
from tests.builders import ALICE, SERVER, an_event
from tests.fakes.faults import Hook

GAME = {"kinds": [20302], "#d": ["0123456789abcdef0123456789abcdef"]}


def a_relay(limits: RelayLimits | None = None) -> RelayWorld:
    relay = RelayWorld(limits or RelayLimits())
    assert relay.open("x")
    return relay


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
    assert topics == ("d:0123456789abcdef0123456789abcdef",)


def test_a_connection_has_so_many_subscriptions_and_may_replace_one() -> None:
    relay = a_relay(RelayLimits(subscriptions=2))
    said = [told(relay.subscribe(GAME, id_=id_))[-1] for id_ in ("a", "b", "c", "a")]
    assert said == ["EOSE", "EOSE", "CLOSED restricted", "EOSE"]
    relay.say("CLOSE", "b")
    assert told(relay.subscribe(GAME, id_="c")) == ("EOSE",)


def test_a_request_takes_the_place_of_an_older_one_though_it_is_refused() -> None:
    relay = a_relay()
    relay.subscribe({"kinds": [20300]})
    assert told(relay.subscribe({"kinds": [1]})) == ("CLOSED restricted",)
    request = an_event(ALICE, 20300, tags=(("p", SERVER.pubkey),))
    assert told(relay.publish(request)) == ("OK",)


def test_one_address_has_so_many_subscriptions_to_one_thing_and_may_replace_one() -> None:
    relay = a_relay(RelayLimits(of_an_address=2))
    for socket, address in (("y", "192.0.2.1"), ("z", "192.0.2.1"), ("far", "192.0.2.2")):
        assert relay.open(socket, address)
    elsewhere = {"#d": ["ab" * 16]}
    assert told(relay.subscribe(GAME, on="x")) == ("EOSE",)
    assert told(relay.subscribe(elsewhere, GAME, on="y")) == ("EOSE",)
    assert told(relay.subscribe(elsewhere, GAME, on="z")) == ("CLOSED restricted",)
    assert told(relay.subscribe(elsewhere, on="z")) == ("EOSE",)
    assert told(relay.subscribe(GAME, on="far")) == ("EOSE",)
    assert told(relay.subscribe(GAME, on="x")) == ("EOSE",)
    relay.close("y")
    assert told(relay.subscribe(GAME, on="z")) == ("EOSE",)


def test_requests_may_come_less_often_than_other_frames() -> None:
    relay = a_relay(RelayLimits(requests_per_ten_seconds=2))
    said = [told(relay.subscribe(GAME)) for _ in range(5)]
    # The count begins with the third frame, before which nobody can have sent three.
    assert said == [*[("EOSE",)] * 4, ("CLOSED rate-limited",)]
    assert told(relay.publish(an_event(ALICE, 20300, tags=(("p", SERVER.pubkey),)))) == ("OK",)


def test_a_subscription_is_filed_before_anything_is_read_for_it() -> None:
    relay = a_relay()
    steps: list[str] = []

    def noting() -> Hook:
        return steps.append

    relay.connections.hook = relay.world.games.hook = noting()
    relay.subscribe(GAME)

    assert steps.index("connections.subscribed") < steps.index("games.load")


def test_what_happens_while_a_subscription_is_answered_is_delivered() -> None:
    relay = a_relay()
    table = relay.a_game()

    def move_meanwhile(point: str) -> None:
        if point == "connections.subscribed":
            relay.connections.hook = lambda _: None
            relay.deps.delivery.publish(table.say("e2e4"), 5.0)

    relay.connections.hook = move_meanwhile
    shown = relay.shown({"kinds": [20302], "#d": [table.game_id]})

    assert table.state.id in {event["id"] for event in shown}


def test_filters_that_would_be_dear_to_read_for_everybody_are_refused() -> None:
    relay = a_relay()
    dear = {"kinds": [20302], "#t": [f"{number:064x}" for number in range(64)]}
    fifty_games = {"kinds": [20302, 64], "#d": [f"{number:032x}" for number in range(50)]}
    assert told(relay.subscribe(dear)) == ("CLOSED restricted",)
    assert not relay.connections.filed
    assert told(relay.subscribe(fifty_games)) == ("EOSE",)


def test_a_subscription_is_filed_with_the_address_of_its_socket() -> None:
    relay = RelayWorld()
    relay.open("y", "203.0.113.9")
    relay.subscribe({"#p": [ALICE.pubkey]}, on="y")
    ((filed, _),) = relay.connections.filed.values()
    assert filed.address == "203.0.113.9"
