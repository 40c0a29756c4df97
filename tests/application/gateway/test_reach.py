"""One event reaches its players, and so few others that no address makes us deliver endlessly."""

from collections.abc import Sequence

import pytest

from arbiter.application.connections import Connection, Subscriber
from arbiter.application.gateway.reach import DELIVERED_FREELY, MAX_OTHERS, Reach
from arbiter.application.gateway.subscriptions import topics_of_filter
from arbiter.nostr.filters import Filter
from tests.application.gateway.relay_world import GAME, a_chat, a_relay_with_a_game
from tests.builders import ALICE, EVE, NOW_MS, SERVER, an_event
from tests.fakes.connections import FakeConnections

STATE = an_event(SERVER, 20302, "", (("d", "a"), ("p", ALICE.pubkey)))
ROUND = an_event(SERVER, 30329, "", (("d", "a"),))
OF_THE_GAME = (Filter(tags={"d": ("a",)}),)
CROWD = MAX_OTHERS + 50


def a_crowd(number: int, first: int = 0) -> list[Subscriber]:
    return [
        Subscriber(f"s{at}", "x", OF_THE_GAME, address="192.0.2.1")
        for at in range(first, first + number)
    ]


def with_player(socket: str, *, is_proved: bool) -> FakeConnections:
    """Alice's socket, by an event that it brought, or by her key."""
    connections = FakeConnections()
    connections.add(Connection(id=socket, address="", challenge="", opened_at_ms=NOW_MS), NOW_MS)
    (connections.authenticate if is_proved else connections.meet)(socket, ALICE.pubkey)
    return connections


@pytest.mark.parametrize("is_proved", [True, False])
def test_an_event_reaches_two_hundred_and_its_players_wherever_they_are(*, is_proved: bool) -> None:
    last = f"s{CROWD - 1}"
    reach = Reach(STATE, with_player(last, is_proved=is_proved))
    reached = reach.among(a_crowd(CROWD))
    assert len(reached) == MAX_OTHERS + 1
    assert reached[0].connection_id == last
    assert reach.among(a_crowd(CROWD)) == ()


def test_what_was_found_by_name_counts_at_large() -> None:
    reach = Reach(STATE, FakeConnections())
    counts = [len(reach.among(a_crowd(150, first))) for first in (0, 150, 300)]
    assert counts == [150, MAX_OTHERS - 150, 0]


def test_a_round_of_a_tournament_reaches_all_who_play_in_it() -> None:
    assert len(Reach(ROUND, FakeConnections()).among(a_crowd(CROWD))) == CROWD


@pytest.mark.parametrize(
    ("crowd", "counted"), [(DELIVERED_FREELY, []), (20, [20]), (CROWD, [MAX_OTHERS])]
)
def test_deliveries_beyond_a_few_are_counted_for_who_causes_them(
    crowd: int, counted: Sequence[int]
) -> None:
    counts: list[int] = []

    def count(number: int) -> bool:
        counts.append(number)
        return True

    Reach(STATE, FakeConnections(), count).among(a_crowd(crowd))
    assert counts == counted


@pytest.mark.parametrize(("is_spent", "reached"), [(False, DELIVERED_FREELY + 1), (True, 1)])
def test_beyond_the_share_an_event_reaches_few_and_without_budget_its_players(
    *, is_spent: bool, reached: int
) -> None:
    connections = with_player("s40", is_proved=False)
    reach = Reach(STATE, connections, lambda _: False, is_spent=is_spent)
    told = [it.connection_id for it in reach.among(a_crowd(50))]
    assert (told[0], len(told)) == ("s40", reached)


def test_a_line_of_a_stranger_costs_two_hundred_deliveries_and_then_a_few() -> None:
    """The flood: 110 sockets of one address with 2,200 subscriptions, by the players that a line
    names.
    """
    relay = a_relay_with_a_game(address_deliveries_per_ten_seconds=250)
    keys = [f"{number:064x}" for number in range(18)]
    filters = [*(Filter(tags={"p": (key,)}) for key in keys), *[Filter(tags={"d": (GAME.id,)})] * 2]
    for at in range(110):
        relay.open(f"s{at}")
        for number, wanted in enumerate(filters):
            filed = Subscriber(f"s{at}", f"{number}", (wanted,), address="192.0.2.1")
            relay.connections.subscribe(f"s{at}", filed, topics_of_filter(wanted), NOW_MS)
    counts = []
    for line in "abc":
        relay.publish(a_chat(EVE, line, ("d", GAME.id), *(("p", key) for key in keys)))
        counts.append(sum(map(len, relay.sockets.texts.values())))
        relay.sockets.texts.clear()
    assert counts == [MAX_OTHERS, DELIVERED_FREELY, DELIVERED_FREELY]
