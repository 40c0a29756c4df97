"""A new subscription is shown what is present, as it would have been published."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.application.gateway.snapshot import snapshot
from arbiter.core.game import WHITE, GamePlace, Outcome, Termination
from arbiter.core.tournaments.tournament import Tournament
from arbiter.dialects.tournament_events import (
    round_templates,
    standings_template,
    tournament_template,
)
from arbiter.nostr.event import event_to_json
from arbiter.nostr.filters import Filter, matches
from tests.application.gateway.relay_world import URL, RelayWorld, a_relay
from tests.application.world import Table
from tests.builders import ALICE, BOB, EVE, SERVER, a_game, after, an_event
from tests.tournaments import ID as TOURNAMENT_ID
from tests.tournaments import a_tournament

RATED = (("time", "180+2"), ("mode", "rated"))
OURS = {"authors": [SERVER.pubkey]}


def state_of(game_id: str, **more: Any) -> dict[str, Any]:
    return {"kinds": [20302], "#d": [game_id], **more}


def kinds(events: list[dict[str, Any]]) -> list[int]:
    return sorted(event["kind"] for event in events)


def playing(*tags: tuple[str, ...], said: str = "") -> tuple[RelayWorld, Table]:
    """A relay, and a game of Alice and Bob on these terms in which this was said."""
    relay = a_relay()
    table = relay.a_game(*tags)
    for text in said.split():
        relay.world.clock.ms += 1000
        table.say(text)
    return relay, table


def finished() -> tuple[RelayWorld, Table]:
    return playing(*RATED, said="e2e4 e7e5 resign")


def test_who_asks_for_a_game_or_its_player_is_shown_it_as_it_was_published() -> None:
    relay, table = playing(said="e2e4")
    shown = [event_to_json(table.state)]
    assert relay.shown(state_of(table.game_id)) == shown
    assert relay.shown({"kinds": [20301, 20302, 20304], "#p": [BOB.pubkey]})[0]["content"] == (
        table.state.content
    )
    assert relay.shown({"#p": [EVE.pubkey]}) == []
    assert relay.shown({"#d": ["f" * 32, "nonsense"]}) == []


def test_a_finished_game_is_shown_with_its_note_and_what_it_did_to_the_ratings() -> None:
    relay, table = finished()
    shown = relay.shown({"#d": [table.game_id]})
    named = relay.shown({"kinds": [64, 30300], "#p": [ALICE.pubkey]})
    assert (kinds(shown), kinds(named)) == ([64, 20302], [64, 30300])
    published = {event.id for event in relay.world.publisher.taken_events}
    assert {event["id"] for event in (*shown, *named)} <= published
    (rating,) = relay.shown({"kinds": [30300], "#d": [f"blitz:{BOB.pubkey}"]})
    assert rating["tags"][0] == ["d", f"blitz:{BOB.pubkey}"]
    assert relay.shown({"kinds": [20302], "#p": [ALICE.pubkey]}) == [], "their last game is over"


def test_a_note_that_the_ratings_still_belong_in_is_not_shown_without_them() -> None:
    relay, table = finished()
    relay.world.ratings.games.clear()
    assert kinds(relay.shown({"#d": [table.game_id]})) == [20302]


def test_a_game_that_was_called_off_has_no_note() -> None:
    relay, table = playing(said="abort")
    assert kinds(relay.shown({"#d": [table.game_id]})) == [20302]


@pytest.mark.parametrize("since", [-40, -1, 0, 1, 40])
def test_a_state_is_dated_when_it_is_shown_and_never_ahead(since: int) -> None:
    relay, table = playing()
    relay.world.clock.ms += 100_000
    now = relay.world.clock.ms // 1000
    shown = relay.shown(state_of(table.game_id, since=now + since))
    assert [state["created_at"] for state in shown] == ([now] if since <= 0 else [])


def test_a_move_may_name_the_state_that_was_shown() -> None:
    relay, table = playing()
    relay.world.clock.ms += 100_000
    now = relay.world.clock.ms // 1000
    (shown,) = relay.shown(state_of(table.game_id, since=now))
    tags = (("d", table.game_id), ("p", SERVER.pubkey), ("e", shown["id"]))
    said = relay.world.hear(an_event(table.white, 20303, "e2e4", tags, now))
    assert [event.kind for event in said] == [20302]


def test_the_arbiter_shows_who_it_is() -> None:
    relay = a_relay()
    shown = relay.shown(OURS)
    assert kinds(shown) == [0, 10002, 10050, 31990]
    (urls,) = [event["tags"] for event in shown if event["kind"] == 10002]
    assert ["r", URL] in urls
    assert shown == relay.shown(OURS)
    assert kinds(relay.shown({"kinds": [31990], "#k": ["20300"]})) == [31990]
    assert relay.shown(OURS | {"kinds": [20302]}) == relay.shown({"authors": [ALICE.pubkey]}) == []


def test_a_limit_takes_the_newest_and_of_equals_the_lowest_id() -> None:
    relay = a_relay()
    every = relay.shown(OURS)
    assert [event["id"] for event in every] == sorted(event["id"] for event in every)
    for limit, shown in ((2, every[:2]), (0, []), (10**9, every)):
        assert relay.shown(OURS | {"limit": limit}) == shown


def test_what_several_filters_ask_for_is_shown_once() -> None:
    relay, table = playing()
    loads: list[str] = []
    relay.world.games.hook = loads.append
    same = state_of(table.game_id)
    assert len(relay.shown(same, same, {"#p": [ALICE.pubkey]})) == 1
    assert len(loads) == 1


def test_reading_for_one_request_is_bounded() -> None:
    relay, loads = a_relay(games_read=3), list[str]()
    relay.world.games.hook = loads.append
    assert relay.shown({"#d": [f"{number:032x}" for number in range(40)]}) == []
    assert len(loads) == 3


def test_nothing_is_read_for_what_only_passes_by() -> None:
    relay, table = playing()
    read: list[str] = []
    relay.world.games.hook = relay.world.lobby.hook = read.append
    relay.shown({"kinds": [20303, 20306], "#d": [table.game_id]})
    relay.shown({"authors": [ALICE.pubkey], "#d": [table.game_id]})
    assert not read


def some_of(values: list[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


@given(st.data())
def test_nothing_is_shown_that_no_filter_matches(data: st.DataObject) -> None:
    relay, table = finished() if data.draw(st.booleans()) else playing()
    now = relay.world.clock.ms // 1000
    times = st.none() | st.integers(now - 40, now + 40)
    tags = {"d": some_of([table.game_id, "x"]), "p": some_of([ALICE.pubkey])}
    a_filter = st.builds(
        Filter,
        authors=some_of([SERVER.pubkey, ALICE.pubkey]),
        kinds=some_of([0, 64, 20302, 20303, 30300]),
        tags=st.fixed_dictionaries({}, optional=tags),
        since=times,
        until=times,
    )
    filters = data.draw(st.lists(a_filter, max_size=2))
    for event in snapshot(relay.deps, filters, relay.world.clock.ms):
        assert any(matches(wanted, event) for wanted in filters)


def test_long_games_are_not_shown_without_end_but_one_is() -> None:
    relay = a_relay(plies_shown=50)
    shuffle = after(a_game(), "Nf3 Nf6 Ng1 Ng8").moves
    ids = [f"{number:032x}" for number in range(4)]
    for id_, times in zip(ids, (1, 1, 1, 15), strict=True):
        relay.world.games.by_id[id_] = replace(a_game(), id=id_, moves=shuffle * times)
    assert len(relay.shown({"kinds": [20302], "#d": ids[:3]})) == 2
    assert len(relay.shown(state_of(ids[3]))) == 1
    assert len(relay.shown(*map(state_of, ids))) == 2


@pytest.mark.parametrize("may", [False, True])
def test_notes_that_may_not_be_written_are_left_out_before_they_are(*, may: bool) -> None:
    relay, asked = a_relay(), list[int]()
    moves = after(a_game(), "Nf3 Nf6 Ng1 Ng8").moves * 60
    game = replace(a_game(), moves=moves, outcome=Outcome(Termination.RESIGNATION, WHITE))
    relay.world.games.by_id[game.id] = game

    def may_write(plies: int) -> bool:
        asked.append(plies)
        return may

    wanted = Filter(kinds=(64,), tags={"d": (game.id,)})
    assert len(snapshot(relay.deps, [wanted], relay.world.clock.ms, may_write)) == may
    assert asked == [240]


def test_what_a_tournament_costs_to_show_is_bounded_and_counted_before() -> None:
    held = a_tournament(players=300, rounds=2)
    every, asked = {"kinds": [30328, 30329], "#a": [ADDRESS]}, list[int]()
    assert len(holding(held).shown(every)) == 1 + 2 * 5

    relay = holding(held)
    relay.deps = replace(relay.deps, limits=replace(relay.deps.limits, plies_shown=700))
    assert kinds(relay.shown(every)) == [30329], "600 entries and boards, and no 150 more"
    assert kinds(relay.shown(*[every] * 10)) == [30329]

    def may_write(rows: int) -> bool:
        asked.append(rows)
        return False

    wanted = Filter(kinds=(30328, 30329), tags={"a": (ADDRESS,)})
    shown = snapshot(holding(held).deps, [wanted], relay.world.clock.ms, may_write)
    assert asked == [600]
    assert 30329 not in {event.kind for event in shown}


ADDRESS = f"30327:{SERVER.pubkey}:{TOURNAMENT_ID}"


def holding(tournament: Tournament) -> RelayWorld:
    """A relay, and a tournament of these rounds whose live games are at their boards."""
    relay = a_relay()
    relay.deps.tournaments.commit(None, tournament)
    for _, board in tournament.boards():
        relay.world.games.by_id[board.game_id] = replace(a_game(), id=board.game_id)
    return relay


def test_a_tournament_is_shown_by_its_id_its_address_or_among_the_newest() -> None:
    held = a_tournament(is_live=True)
    relay = holding(held)
    published = {
        event_to_json(SERVER.sign(template))["id"]
        for template in (
            tournament_template(held, SERVER.pubkey, held.version),
            standings_template(held, SERVER.pubkey, held.version),
            *round_templates(held, 1, SERVER.pubkey, held.version),
            *round_templates(held, 2, SERVER.pubkey, held.version),
        )
    }

    by_address = relay.shown({"kinds": [30328, 30329], "#a": [ADDRESS]})
    by_id = relay.shown({"kinds": [30327, 30329], "#d": [TOURNAMENT_ID]})
    newest = relay.shown({"kinds": [30327], **OURS})

    assert kinds(by_address) == [30328, 30328, 30329]
    assert kinds(by_id) == [30327, 30329]
    assert kinds(newest) == [30327]
    assert {event["id"] for event in (*by_address, *by_id)} == published, "as they were published"
    assert relay.shown({"kinds": [30327], "#p": [ALICE.pubkey]}) == [], "Alice organises none"


def test_the_games_that_are_played_in_a_tournament_are_shown_by_its_address() -> None:
    held = a_tournament(is_live=True)
    relay = holding(held)
    (live,) = (board.game_id for board in held.rounds[-1].boards if not board.result)
    at = GamePlace(TOURNAMENT_ID, 2, 1, 60)
    relay.world.games.by_id[live] = replace(a_game(), id=live, tournament=at)

    shown = relay.shown({"kinds": [20302], "#a": [ADDRESS]})

    assert [event["tags"][0] for event in shown] == [["d", live]]


@pytest.mark.parametrize(
    "wanted",
    [
        {"kinds": [30328], "#a": [f"30327:{'0' * 64}:{TOURNAMENT_ID}"]},
        {"kinds": [30328], "#a": [f"30327:{SERVER.pubkey}:evening"]},
        {"kinds": [30327], "#d": ["x"]},
        {"kinds": [30327], "#d": ["f" * 32]},
        {"#d": [TOURNAMENT_ID]},
    ],
)
def test_what_names_no_tournament_of_ours_shows_none(wanted: dict[str, Any]) -> None:
    assert holding(a_tournament()).shown(wanted) == []


def test_a_subscription_by_address_hears_the_rounds_and_not_those_of_others() -> None:
    relay = holding(a_tournament())
    held = a_tournament(is_live=True)
    relay.subscribe({"kinds": [30328], "#a": [ADDRESS]})
    other = replace(held, id="f" * 32)

    for one in (held, other):
        pages = round_templates(one, 2, SERVER.pubkey, held.version + 1)
        relay.deps.fanout.publish([SERVER.sign(page) for page in pages], 5.0)

    heard = [message[2]["tags"][1] for message in relay.sockets.heard("x")]
    assert heard == [["a", ADDRESS]]


def test_no_more_tournaments_are_read_for_a_list_than_games() -> None:
    relay = a_relay(games_read=3)
    for number in range(5):
        relay.deps.tournaments.commit(None, replace(a_tournament(), id=f"{number:032x}"))

    shown = relay.shown({"kinds": [30327]})

    assert sorted(event["tags"][0][1][-1] for event in shown) == ["2", "3", "4"], "the newest"
