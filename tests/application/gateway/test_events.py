"""EVENT at our own relay: every refusal has its prefix, and what is accepted is queued once."""

import json
from dataclasses import replace

import pytest

from arbiter.application.gateway.events import COPIES_COUNTED, COUNTED_FREELY, FRAMES_UNCOUNTED
from arbiter.application.gateway.taken_events import TakenEvents
from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.nostr.nip42 import auth_template
from tests.application.gateway.relay_world import (
    GAME,
    NOW,
    PLAYED,
    TO_BOB,
    TO_EVE,
    URL,
    US,
    a_chat,
    a_move,
    a_relay_with_a_game,
    a_request,
    fates,
    told,
)
from tests.builders import ALICE, BOB, EVE, SERVER, an_event
from tests.fakes.faults import crash_at

REFUSED = {
    "blocked": [
        an_event(ALICE, 1, "hello", (US,)),
        an_event(ALICE, 22242, "", (US,)),
        an_event(ALICE, 20301, "", (US,)),
        an_event(ALICE, 20302, "", (US,)),
        an_event(ALICE, 64, "1. e4 *", (US,)),
        an_event(SERVER, 20300, "", (US,)),
        an_event(ALICE, 20300),
        a_move(ALICE, "e2e4", PLAYED, TO_BOB),
        an_event(ALICE, 5000, "connect", (TO_BOB,)),
        an_event(ALICE, 31925, "", (("a", f"31923:{BOB.pubkey}:{PLAYED[1]}"),)),
        an_event(ALICE, 20300, "", (("a", f"31923:{SERVER.pubkey}:{PLAYED[1]}"),)),
        an_event(ALICE, 5000, "cancelsearch", (TO_BOB, TO_EVE)),
    ],
    "invalid": [
        a_request(at=NOW - 901),
        a_request(at=NOW + 901),
        a_request(*(("t", str(number)) for number in range(32))),
        a_request(content="x" * 1025),
        a_request(("expiration", str(NOW - 1))),
        replace(a_request(), sig="00" * 64),
        replace(a_request(), content="state"),
        an_event(ALICE, 20305, "x", (PLAYED, TO_EVE)),
        an_event(ALICE, 20305, "x", (PLAYED,)),
        a_chat(ALICE, "x", ("d", "no game")),
        a_chat(ALICE, "x", ("d",)),
        a_chat(ALICE, "x", PLAYED, PLAYED),
        an_event(ALICE, 20306, "x"),
    ],
    "auth-required": [a_request(("-",))],
    "restricted": [
        an_event(ALICE, 5001, "e2e4"),
        an_event(ALICE, 5002, "offer"),
        an_event(ALICE, 5003, "resign"),
        an_event(EVE, 20305, "x", (PLAYED, TO_BOB)),
        a_chat(ALICE, "x", ("d", "f" * 32)),
    ],
}


@pytest.mark.parametrize(
    ("prefix", "event"), [(prefix, event) for prefix, events in REFUSED.items() for event in events]
)
def test_what_is_refused_is_refused_by_id_and_prefix_and_goes_nowhere(
    prefix: str, event: VerifiedEvent
) -> None:
    relay = a_relay_with_a_game()
    relay.open("y")
    relay.subscribe({"kinds": [event.kind if event.kind > 20000 else 20300]}, on="y")
    *_, message = relay.publish(event)
    assert message[:3] == ["OK", event.id, False]
    assert message[3].partition(": ")[0] == prefix
    assert (relay.answered.status, relay.answered.event_id) == (f"refused-{prefix}", event.id)
    assert not relay.queue.waiting
    assert relay.sockets.heard("y") == []


@pytest.mark.parametrize(
    "event",
    [
        a_request(),
        an_event(ALICE, 31925, "", (("a", f"31923:{SERVER.pubkey}:{PLAYED[1]}"),)),
        a_request(at=NOW - 900),
        a_request(at=NOW + 900),
        a_request(*(("t", str(number)) for number in range(19))),
        a_request(content="x" * 1024),
        a_request(("expiration", str(NOW + 1))),
        a_request(("expiration", "soon")),
        a_move(ALICE, "e2e4", PLAYED, TO_BOB, US),
    ],
)
def test_what_is_within_the_limits_is_queued_once_and_accepted(event: VerifiedEvent) -> None:
    relay = a_relay_with_a_game()
    assert relay.publish(event) == [["OK", event.id, True, ""]]
    assert [entry.dedup_id for entry in relay.queue.waiting] == [event.id]
    assert "via" not in json.loads(relay.queue.waiting[0].body)


def test_a_protected_event_is_accepted_from_its_author_alone() -> None:
    relay, protected = a_relay_with_a_game(), a_request(("-",))
    challenge = relay.connections.open["x"].challenge
    asked, refused = relay.publish(protected)
    assert (asked, told([refused])) == (["AUTH", challenge], ("OK auth-required",))
    for key, fate in ((EVE, "auth-required"), (ALICE, "OK")):
        relay.say("AUTH", event_to_json(key.sign(auth_template(URL, challenge, NOW))))
        assert fates(relay, [protected]) == fate


def test_an_event_that_the_queue_does_not_take_is_refused_and_not_passed_on() -> None:
    relay, request = a_relay_with_a_game(), a_request()
    relay.subscribe({"kinds": [20300]})
    relay.queue.hook = crash_at(f"queue.entry {request.id}")
    text = "error: the queue did not take this: send it again"
    assert relay.publish(request) == [["OK", request.id, False, text]]
    assert told(relay.publish(request)) == ("OK", "EVENT")


def test_what_cannot_be_passed_on_is_queued_all_the_same() -> None:
    relay = a_relay_with_a_game()
    relay.connections.hook = crash_at("connections.subscribers")
    assert fates(relay, [a_request()]) == "OK"
    assert len(relay.queue.waiting) == 1


def test_who_brings_what_was_taken_is_told_so_and_no_subscriber_hears_it_again() -> None:
    """Who sends on what they receive would go on for ever, faster with each subscriber."""
    relay, move = a_relay_with_a_game(), a_move(ALICE)
    frame = json.dumps(["EVENT", event_to_json(move)])
    relay.open("y", address="192.0.2.66")
    relay.subscribe({"kinds": [20303]}, on="y")
    assert relay.say_text(frame).group
    assert len(relay.sockets.heard("y")) == 1
    for _ in range(FRAMES_UNCOUNTED - 2):
        copy = relay.say_text(frame, on="y")
        assert (copy.status, copy.group) == ("duplicate", ""), "the author's turn is no stranger's"
        ((verb, _, is_taken, why),) = relay.sockets.heard("y")
        assert (verb, is_taken, why[:11]) == ("OK", True, "duplicate: ")


def test_what_was_taken_is_forgotten_when_much_was() -> None:
    taken = TakenEvents(most=2)
    for id_ in "abb":
        taken.add(id_)
    assert [id_ in taken for id_ in "abc"] == [True, True, False]
    taken.add("c")
    assert [id_ in taken for id_ in "abc"] == [False, True, True]


def test_a_socket_player_is_answered_by_the_arbiter_and_not_by_the_relay() -> None:
    relay = a_relay_with_a_game()
    relay.open("y")
    relay.subscribe({"authors": [ALICE.pubkey]}, on="y")
    assert relay.publish(an_event(ALICE, 5000, "connect", (US,))) == []
    (entry,) = relay.queue.waiting
    assert (entry.queue, json.loads(entry.body)["via"]) == ("seeks", "x")
    assert relay.sockets.heard("y") == []


def test_a_socket_player_waits_in_the_group_of_the_game_they_play() -> None:
    relay = a_relay_with_a_game()
    named = (("d", relay.a_game().game_id), US)
    relay.connections.authenticate("x", ALICE.pubkey)
    for event in (a_move(ALICE, "e2e4", *named), an_event(ALICE, 5001, "e2e4")):
        relay.publish(event)
    assert len({entry.group_id for entry in relay.queue.waiting}) == 1
    assert {entry.queue for entry in relay.queue.waiting} == {"moves"}


def test_a_move_that_a_stranger_saw_cannot_be_sent_again_by_them() -> None:
    relay, move = a_relay_with_a_game(), an_event(ALICE, 5001, "e2e4")
    relay.open("y")
    relay.connections.authenticate("x", ALICE.pubkey)
    relay.connections.authenticate("y", EVE.pubkey)
    assert (fates(relay, [move]), fates(relay, [move], on="y")) == ("-", "restricted")


def test_each_copy_of_a_move_over_a_socket_is_queued_and_a_few_are() -> None:
    """NIP-01: "OK messages MUST be sent in response to EVENT messages received from clients"."""
    relay, move = a_relay_with_a_game(), an_event(ALICE, 5001, "e2e4")
    relay.connections.authenticate("x", ALICE.pubkey)
    few = FRAMES_UNCOUNTED + COUNTED_FREELY + COPIES_COUNTED
    assert fates(relay, [move] * 60).split() == ["-"] * few + ["rate-limited"] * (60 - few)
    assert len({entry.dedup_id for entry in relay.queue.waiting}) == few == 31


def test_players_and_spectators_talk_past_the_arbiter() -> None:
    relay = a_relay_with_a_game()
    relay.open("y")
    relay.subscribe({"kinds": [20305], "#p": [BOB.pubkey]}, {"kinds": [20306], "#d": [GAME.id]})
    for line in (an_event(ALICE, 20305, "secret", (PLAYED, TO_BOB)), a_chat(EVE, "well played")):
        assert fates(relay, [line], on="y") == "OK"
        assert relay.sockets.heard("x") == [["EVENT", "s", event_to_json(line)]]
    assert not relay.queue.waiting
