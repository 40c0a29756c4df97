"""A new subscription is shown what stands, as it would have been published."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.application.gateway.snapshot import snapshot
from arbiter.nostr.event import event_to_json
from arbiter.nostr.filters import Filter, matches
from arbiter.nostr.nip11 import RelayLimits
from tests.application.gateway.relay_world import URL, RelayWorld
from tests.application.world import Table
from tests.builders import ALICE, BOB, EVE, SERVER, a_game, after, an_event

RATED = (("time", "180+2"), ("mode", "rated"))


def a_relay(limits: RelayLimits | None = None) -> RelayWorld:
    relay = RelayWorld(limits or RelayLimits())
    assert relay.open("x")
    return relay


def kinds(events: list[dict[str, Any]]) -> list[int]:
    return [event["kind"] for event in events]


def a_finished_game(relay: RelayWorld) -> Table:
    table = relay.a_game(*RATED)
    for text in ("e2e4", "e7e5", "resign"):
        relay.world.clock.ms += 1000
        table.say(text)
    return table


def test_who_asks_for_a_game_is_shown_it_as_it_was_published() -> None:
    relay = a_relay()
    table = relay.a_game()
    table.say("e2e4")
    (shown,) = relay.shown({"kinds": [20302], "#d": [table.game_id]})
    assert shown == event_to_json(table.state)


def test_a_player_is_shown_the_game_he_plays() -> None:
    relay = a_relay()
    table = relay.a_game()
    mine = {"kinds": [20301, 20302, 20304], "#p": [BOB.pubkey]}
    assert relay.shown(mine) == [event_to_json(table.state)]


def test_who_plays_nothing_is_shown_nothing() -> None:
    relay = a_relay()
    relay.a_game()
    assert relay.shown({"#p": [EVE.pubkey]}) == []
    assert relay.shown({"#d": ["f" * 32, "nonsense"]}) == []


def test_a_finished_game_is_shown_with_its_note_and_what_it_did_to_the_ratings() -> None:
    relay = a_relay()
    table = a_finished_game(relay)
    published = {event.id for event in relay.world.publisher.taken_events}
    shown = relay.shown({"#d": [table.game_id]})
    named = relay.shown({"kinds": [64, 30300], "#p": [ALICE.pubkey]})
    assert sorted(kinds(shown)) == [64, 20302]
    assert sorted(kinds(named)) == [64, 30300]
    assert {event["id"] for event in (*shown, *named)} <= published


def test_a_rating_is_shown_by_its_own_name() -> None:
    relay = a_relay()
    a_finished_game(relay)
    (shown,) = relay.shown({"kinds": [30300], "#d": [f"blitz:{BOB.pubkey}"]})
    assert shown["tags"][0] == ["d", f"blitz:{BOB.pubkey}"]


def test_who_asks_for_a_player_is_not_shown_how_his_last_game_looked() -> None:
    relay = a_relay()
    a_finished_game(relay)
    assert relay.shown({"kinds": [20302], "#p": [ALICE.pubkey]}) == []


def test_a_note_that_the_ratings_still_belong_in_is_not_shown_without_them() -> None:
    relay = a_relay()
    table = a_finished_game(relay)
    relay.world.ratings.games.clear()
    assert kinds(relay.shown({"#d": [table.game_id]})) == [20302]


def test_a_game_that_was_called_off_has_no_note() -> None:
    relay = a_relay()
    table = relay.a_game()
    table.say("abort")
    assert kinds(relay.shown({"#d": [table.game_id]})) == [20302]


@pytest.mark.parametrize("since", [-40, -1, 0, 1, 40])
def test_a_state_is_dated_when_it_is_shown_and_never_ahead(since: int) -> None:
    relay = a_relay()
    table = relay.a_game()
    relay.world.clock.ms += 100_000
    now = relay.world.clock.ms // 1000
    shown = relay.shown({"kinds": [20302], "#d": [table.game_id], "since": now + since})
    assert [state["created_at"] for state in shown] == ([now] if since <= 0 else [])


def test_a_move_may_name_the_state_that_was_shown() -> None:
    relay = a_relay()
    table = relay.a_game()
    relay.world.clock.ms += 100_000
    now = relay.world.clock.ms // 1000
    shown = relay.shown({"kinds": [20302], "#d": [table.game_id], "since": now})
    game = relay.world.game(table.game_id)
    key = table.white if game.turn else table.black
    tags = (("d", game.id), ("p", SERVER.pubkey), ("e", shown[0]["id"]))
    said = relay.world.hear(an_event(key, 20303, "e2e4", tags, now))
    assert [event.kind for event in said] == [20302]


def test_the_arbiter_shows_who_he_is() -> None:
    relay = a_relay()
    shown = relay.shown({"authors": [SERVER.pubkey]})
    assert sorted(kinds(shown)) == [0, 10002, 31990]
    (urls,) = [event["tags"] for event in shown if event["kind"] == 10002]
    assert ["r", URL] in urls
    assert shown == relay.shown({"authors": [SERVER.pubkey]})
    assert kinds(relay.shown({"kinds": [31990], "#k": ["20300"]})) == [31990]
    assert relay.shown({"authors": [SERVER.pubkey], "kinds": [20302]}) == []
    assert relay.shown({"authors": [ALICE.pubkey]}) == []


def test_a_limit_takes_the_newest_and_of_equals_the_lowest_id() -> None:
    relay = a_relay()
    every = relay.shown({"authors": [SERVER.pubkey]})
    assert [event["id"] for event in every] == sorted(event["id"] for event in every)
    assert relay.shown({"authors": [SERVER.pubkey], "limit": 2}) == every[:2]
    assert relay.shown({"authors": [SERVER.pubkey], "limit": 0}) == []
    assert relay.shown({"authors": [SERVER.pubkey], "limit": 10**9}) == every


def test_what_several_filters_ask_for_is_shown_once() -> None:
    relay = a_relay()
    table = relay.a_game()
    loads: list[str] = []
    relay.world.games.hook = loads.append
    same = {"kinds": [20302], "#d": [table.game_id]}
    assert len(relay.shown(same, same, {"#p": [ALICE.pubkey]})) == 1
    assert len(loads) == 1


def test_reading_for_one_request_is_bounded() -> None:
    relay = a_relay(RelayLimits(games_read=3))
    loads: list[str] = []
    relay.world.games.hook = loads.append
    assert relay.shown({"#d": [f"{number:032x}" for number in range(40)]}) == []
    assert len(loads) == 3


def test_nothing_is_read_for_what_only_passes_by() -> None:
    relay = a_relay()
    table = relay.a_game()
    read: list[str] = []
    relay.world.games.hook = relay.world.lobby.hook = read.append
    relay.shown({"kinds": [20303, 20306], "#d": [table.game_id]})
    relay.shown({"authors": [ALICE.pubkey], "#d": [table.game_id]})
    assert not read


def some_of(values: list[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


@given(st.data())
def test_nothing_is_shown_that_no_filter_matches(data: st.DataObject) -> None:
    relay = a_relay()
    table = a_finished_game(relay) if data.draw(st.booleans()) else relay.a_game()
    now = relay.world.clock.ms // 1000
    times = st.none() | st.integers(now - 40, now + 40)
    a_filter = st.builds(
        Filter,
        authors=some_of([SERVER.pubkey, ALICE.pubkey]),
        kinds=some_of([0, 64, 20302, 20303, 30300]),
        tags=st.fixed_dictionaries(
            {}, optional={"d": some_of([table.game_id, "x"]), "p": some_of([ALICE.pubkey])}
        ),
        since=times,
        until=times,
    )
    filters = data.draw(st.lists(a_filter, max_size=2))

    for event in snapshot(relay.deps, filters, relay.world.clock.ms):
        assert any(matches(wanted, event) for wanted in filters)


def test_long_games_are_not_shown_without_end_but_one_is() -> None:
    relay = a_relay(RelayLimits(plies_shown=10))
    shuffle = after(a_game(), "Nf3 Nf6 Ng1 Ng8").moves
    for number in range(4):
        game = replace(a_game(), id=f"{number:032x}", moves=shuffle * (1 if number < 3 else 5))
        relay.world.games.standing[game.id] = game
    short, long = [f"{number:032x}" for number in range(3)], f"{3:032x}"
    assert len(relay.shown({"kinds": [20302], "#d": short})) == 2
    assert len(relay.shown({"kinds": [20302], "#d": [long]})) == 1
    assert len(relay.shown(*[{"kinds": [20302], "#d": [one]} for one in (*short, long)])) == 2
