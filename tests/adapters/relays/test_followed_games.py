"""Events of kind 30 that a listener asks for and passes on."""

import json
import time

import pytest

from arbiter.adapters.relays.followed_games import (
    MAX_GAMES,
    STRANGERS_RATE,
    FollowedGames,
)
from arbiter.adapters.relays.ingest import Drop, screened
from arbiter.application.intake.routing import LISTENED_KINDS, Route, route
from arbiter.core.clocks import DAY_MS
from arbiter.core.outages import RelayUptime
from arbiter.dialects.jester.encode import DATED_BACK_SECONDS
from arbiter.dialects.jester.wire import START, private_reference
from arbiter.nostr.event import NostrEvent, VerifiedEvent, event_from_json, event_to_json
from arbiter.nostr.filters import Filter, matches
from arbiter.nostr.keys import SecretKey
from tests.adapters.relays.stand_ins import json_of
from tests.adapters.relays.watched_listener import listening
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, an_event
from tests.fakes.outages import FakeOutages
from tests.fakes.relay import FakeRelay

NOW = NOW_MS // 1000
US = ("p", SERVER.pubkey)
WANTED = Filter(kinds=LISTENED_KINDS, tags={"p": (SERVER.pubkey,)})


def started(*tags: tuple[str, ...], key: SecretKey = ALICE, at: int = NOW) -> VerifiedEvent:
    return an_event(key, 30, '{"version":"0","kind":0,"history":[]}', tags, at)


def moved(
    start: VerifiedEvent | str, *tags: tuple[str, ...], key: SecretKey = ALICE, at: int = NOW
) -> VerifiedEvent:
    start_id = start if isinstance(start, str) else start.id
    content = json.dumps({"version": "0", "kind": 1, "move": "e4", "history": ["e4"]})
    return an_event(key, 30, content, (("e", start_id), ("e", start_id), *tags), at)


def unchecked(event: VerifiedEvent, **changed: str) -> NostrEvent:
    found = event_from_json({**event_to_json(event), **changed})
    assert isinstance(found, NostrEvent)
    return found


def following(*events: VerifiedEvent, opens: bool = False) -> FollowedGames:
    """The games followed after these events."""
    followed = FollowedGames(SERVER.pubkey, lambda: NOW, days=30, opens=opens)
    followed.catch_up(None)
    for event in events:
        followed.learn(unchecked(event))
    return followed


def test_a_start_that_names_the_arbiter_is_followed_in_both_spellings() -> None:
    for tag in (US, ("e", private_reference(SERVER.pubkey))):
        start = started(tag)
        followed = following(start)
        assert followed.wants(unchecked(start))
        assert followed.wants(unchecked(moved(start, key=BOB)))


@pytest.mark.parametrize(
    "tags", [(), (("e", START),), (("p", BOB.pubkey),), (("e", private_reference(BOB.pubkey)),)]
)
def test_another_start_is_not_followed(tags: tuple[tuple[str, ...], ...]) -> None:
    before = following().version
    start = started(*tags)
    followed = following(start, moved(start))

    assert not followed.wants(unchecked(start))
    assert not followed.wants(unchecked(moved(start)))
    assert followed.version == before


def test_an_open_start_is_followed_where_the_operator_says_so_and_none_with_an_opponent() -> None:
    to_all, to_bob = started(("e", START)), started(("e", START), ("p", BOB.pubkey))
    followed = following(to_all, to_bob, opens=True)

    assert followed.wants(unchecked(to_all))
    assert not followed.wants(unchecked(to_bob))
    assert any(matches(one, to_all) for one in followed.filters(is_first=True))


def test_the_arbiters_own_moves_tell_which_games_are_under_way() -> None:
    start = started(US)
    followed = following(moved(start, key=SERVER))

    assert followed.wants(unchecked(moved(start, key=ALICE)))
    assert followed.wants(unchecked(start))


def test_the_start_of_a_move_that_names_the_arbiter_is_asked_for_and_then_followed() -> None:
    start = started(("p", BOB.pubkey))
    move = moved(start, US)
    followed = following(move)

    assert not followed.wants(unchecked(move))
    (asked,) = (one for one in followed.filters_of_games(0) if one.ids)
    assert asked.ids == (start.id,)
    followed.learn(unchecked(start))
    assert followed.wants(unchecked(start))
    assert followed.wants(unchecked(move))
    assert not any(one.ids for one in followed.filters_of_games(0))


def test_a_stranger_brings_no_game_to_the_arbiter() -> None:
    to_bob, to_all = started(("p", BOB.pubkey)), started(("e", START))
    by_strangers = (moved(to_bob, US, key=EVE), moved(to_all, US, key=EVE), moved(to_all, US))
    followed = following(*by_strangers, to_bob, to_all)

    assert not followed.wants(unchecked(to_bob))
    assert not followed.wants(unchecked(to_all))
    # Nor does one keep its players from it.
    followed.learn(unchecked(moved(to_bob, US, key=BOB)))
    followed.learn(unchecked(to_bob))
    assert followed.wants(unchecked(to_bob))


def test_a_game_that_becomes_ours_is_read_from_its_start_however_long_ago() -> None:
    start = started(("p", BOB.pubkey), at=NOW - 10 * 24 * 60 * 60)
    first = moved(start, at=NOW - 9 * 24 * 60 * 60)
    followed = FollowedGames(SERVER.pubkey, lambda: NOW, days=30)
    followed.catch_up(RelayUptime(NOW_MS))
    followed.learn(unchecked(moved(start, US, key=BOB)))
    followed.learn(unchecked(start))

    assert followed.wants(unchecked(start))
    assert followed.wants(unchecked(first))
    asked = followed.filters_of_new_games(0)
    assert any(matches(one, first) for one in asked)


def test_a_forged_event_makes_nothing_followed() -> None:
    start, own = started(US), moved("a" * 64, key=SERVER)
    followed = following()
    before = followed.version
    followed.learn(unchecked(start, content='{"kind":0,"history":[],"x":1}'))
    followed.learn(unchecked(own, sig="0" * 128))

    assert followed.version == before


def test_strangers_push_out_no_game_in_which_the_arbiter_has_moved() -> None:
    start = started(US)
    followed = following(moved(start, key=SERVER))
    for number in range(MAX_GAMES + 5):
        followed.learn(unchecked(started(US, key=EVE, at=NOW + number)))

    assert followed.wants(unchecked(moved(start)))
    (asked,) = followed.filters_of_games(0)
    assert len(asked.tags["e"]) == MAX_GAMES + 1


def test_an_event_tells_of_a_game_once_however_often_relays_bring_it() -> None:
    of_strangers = [unchecked(started(US, key=EVE, at=NOW + at)) for at in range(MAX_GAMES + 5)]
    followed = following()
    for event in of_strangers:
        followed.learn(event)
    after = followed.version
    for event in of_strangers:
        followed.learn(event)
    assert followed.version == after


def test_strangers_begin_five_games_a_second_in_all_and_the_arbiter_any_number() -> None:
    most = int(STRANGERS_RATE.burst)
    now = [NOW]
    followed = FollowedGames(SERVER.pubkey, lambda: now[0], days=30)
    starts = [unchecked(started(US, key=EVE, at=NOW - at)) for at in range(most + 10)]
    learned = [followed.learn(event) for event in starts]
    assert learned == [True] * most + [False] * 10
    assert screened(starts[-1], WANTED, SERVER.pubkey, followed) is Drop.TOO_MANY_STRANGERS
    ours = moved("b" * 64, key=SERVER)
    followed.learn(unchecked(ours))
    assert followed.wants(unchecked(moved("b" * 64)))
    now[0] += 1
    assert [followed.learn(event) for event in starts[-6:]] == [True] * 5 + [False]


def test_games_that_are_new_are_read_further_back_than_others() -> None:
    old, new = started(US), started(US, key=BOB)
    followed = FollowedGames(SERVER.pubkey, lambda: NOW, days=30)
    followed.catch_up(RelayUptime((NOW - 7200) * 1000))
    followed.learn(unchecked(old))
    asked = followed.version
    followed.learn(unchecked(new))

    (of_all,), (of_new,) = (
        followed.filters_of_games(asked, 20),
        followed.filters_of_new_games(asked),
    )
    assert (of_all.tags, of_all.since, of_all.limit) == ({"e": (old.id, new.id)}, NOW - 900, 20)
    assert (of_new.tags, of_new.since) == ({"e": (new.id,)}, NOW - 7200 - 900)


def test_after_a_stop_only_what_is_newer_is_passed_on_and_older_starts_are_known_again() -> None:
    stopped = NOW - 24 * 60 * 60
    start = started(US, at=NOW - 7 * 24 * 60 * 60)
    followed = FollowedGames(SERVER.pubkey, lambda: NOW, days=30)
    followed.catch_up(RelayUptime(stopped * 1000))
    followed.learn(unchecked(start))

    assert not followed.wants(unchecked(start))
    assert not followed.wants(unchecked(moved(start, at=stopped - 3600)))
    assert followed.wants(unchecked(moved(start, at=stopped + 3600)))
    asked = (*followed.filters(is_first=True), *followed.filters_of_new_games(0))
    kept, dated_back = NOW - 30 * DAY_MS // 1000, DATED_BACK_SECONDS
    # Of tournaments all, since one may be announced a year ahead.
    assert {one.since for one in asked} == {kept, kept - dated_back, stopped - 900, None}
    asked_again = (
        *followed.filters(is_first=False),
        *followed.filters_of_games(0),
    )
    assert {one.since for one in asked_again} == {NOW - 900, NOW - 900 - dated_back}
    assert all(one.limit == 500 for one in asked)


def test_until_it_is_known_what_was_missed_only_what_is_recent_is_passed_on() -> None:
    start = started(US, at=NOW - 3600)
    followed = FollowedGames(SERVER.pubkey, lambda: NOW, days=30)
    followed.learn(unchecked(start))
    assert not followed.wants(unchecked(start))
    assert followed.wants(unchecked(moved(start)))

    followed.catch_up(RelayUptime((NOW - 7200) * 1000))

    assert followed.wants(unchecked(start))


def test_what_a_relay_brings_is_screened_again() -> None:
    start = started(("e", private_reference(SERVER.pubkey)))
    followed = following(start)
    drop = screened(unchecked(moved("b" * 64)), WANTED, SERVER.pubkey, followed)

    assert drop is Drop.NOT_FOLLOWED
    assert screened(unchecked(moved(start)), WANTED, SERVER.pubkey, followed) == route(moved(start))


def asked_of(followed: FollowedGames) -> tuple[Filter, ...]:
    return (*followed.filters(is_first=True), *followed.filters_of_games(0))


def tournament(
    status: str = "open", entry: str = "rsvp", at: int = NOW, of: str = "ab" * 16
) -> VerifiedEvent:
    tags = (("d", of), ("entry", entry), ("status", status), ("allowed", CLUB))
    return an_event(SERVER, 30327, "", tags, at)


CLUB = f"30000:{ALICE.pubkey}:club"
CALENDAR = f"31923:{SERVER.pubkey}:{'ab' * 16}"
LISTED = an_event(ALICE, 30000, "", (("d", "club"), ("p", BOB.pubkey)), NOW)
RSVP = an_event(ALICE, 31925, "", (("a", CALENDAR), ("status", "accepted")), NOW)


@pytest.mark.parametrize(
    ("shown", "drop"),
    [
        ([tournament()], None),
        ([], Drop.NOT_FOR_US),
        ([tournament(entry="open")], Drop.NOT_FOR_US),
        ([tournament(), tournament("finished", at=NOW + 1)], Drop.NOT_FOR_US),
        # An old relay, after that.
        ([tournament("finished", at=NOW + 1), tournament()], Drop.NOT_FOR_US),
    ],
)
def test_an_answer_to_a_calendar_event_need_not_name_the_arbiter(
    shown: list[VerifiedEvent], drop: Drop | None
) -> None:
    followed, event = following(*shown), unchecked(RSVP)
    asked = asked_of(followed)

    assert any(matches(one, event) for one in asked) is (drop is None)
    assert screened(event, WANTED, SERVER.pubkey, followed) == (drop or route(RSVP))
    before = followed.version
    for each in shown:
        followed.learn(unchecked(each))
    assert followed.version == before


def test_a_follow_set_is_taken_of_the_tournament_that_names_it() -> None:
    followed = following(tournament(entry="list"), tournament(of="cd" * 16))
    filters = asked_of(followed)

    assert [one.kinds for one in filters if matches(one, LISTED)] == [(30000,)]
    for listed, drop in (
        (LISTED, None),
        (an_event(BOB, 30000, "", (("d", "club"),), NOW), Drop.NOT_FOR_US),
        (an_event(ALICE, 30000, "", (("d", "friends"),), NOW), Drop.NOT_FOR_US),
    ):
        found = screened(unchecked(listed), WANTED, SERVER.pubkey, followed)
        assert found == (drop or route(listed))


def test_a_forged_tournament_is_not_followed() -> None:
    followed = following()
    followed.learn(unchecked(tournament(), sig="00" * 64))
    assert not followed.wants(unchecked(RSVP))


def test_a_start_and_all_moves_of_its_game_wait_in_one_line() -> None:
    start = started(US)
    lines = {route(start), route(moved(start)), route(moved(start, key=BOB))}

    (line,) = lines
    assert isinstance(line, Route)
    assert line.queue == "moves"
    assert route(moved("b" * 64)) not in lines


def test_moves_without_the_arbiters_name_are_received_also_after_a_stop() -> None:
    now = int(time.time())
    start = started(("e", private_reference(SERVER.pubkey)), at=now - 3 * 60 * 60)
    early, late = (moved(start, key=key, at=at) for key, at in ((ALICE, now - 7200), (BOB, now)))
    outages = FakeOutages()
    outages.report_connected((now - 3600) * 1000)
    with FakeRelay() as relay:
        relay.remembered += [json_of(event) for event in (start, early, late)]
        with listening(relay, outages=outages) as watched:
            (entry,) = watched.queue.entries(1)
            assert entry.dedup_id == late.id
            live = moved(start, key=EVE, at=now)
            relay.broadcast(json_of(live))
            assert [one.dedup_id for one in watched.queue.entries(2)] == [late.id, live.id]
