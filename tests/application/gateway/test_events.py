"""EVENT at our own relay: every refusal has its prefix, and what is accepted is queued once."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from arbiter.application.gateway.events import COPIES_COUNTED, COUNTED_FREELY
from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip42 import auth_template
from tests.application.gateway.relay_world import URL, RelayWorld, a_relay, told
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, a_key, an_event
from tests.fakes.faults import crash_at

NOW = NOW_MS // 1000
US = ("p", SERVER.pubkey)
TO_BOB, TO_EVE = ("p", BOB.pubkey), ("p", EVE.pubkey)
GAME = a_game()
PLAYED = ("d", GAME.id)
STRANGERS = [a_key(f"stranger {number}") for number in range(6)]


def a_relay_with_a_game(**limits: Any) -> RelayWorld:
    relay = a_relay(**limits)
    relay.world.games.standing[GAME.id] = GAME
    return relay


def a_request(*tags: tuple[str, ...], content: str = "", at: int = NOW) -> VerifiedEvent:
    return an_event(ALICE, 20300, content, (US, *tags), at)


def a_move(key: SecretKey, text: str = "e2e4", *tags: tuple[str, ...]) -> VerifiedEvent:
    return an_event(key, 20303, text, tags or (PLAYED, US))


def a_chat(key: SecretKey, text: str = "hello", *tags: tuple[str, ...]) -> VerifiedEvent:
    return an_event(key, 20306, text, tags or (PLAYED,))


def fates(relay: RelayWorld, events: Iterable[VerifiedEvent], on: str = "x") -> str:
    """What becomes of each: ``OK``, the prefix of a refusal, or ``-`` where the arbiter answers."""
    answers = [told(relay.publish(event, on=on))[-1:] for event in events]
    return " ".join(answer[0].split()[-1] if answer else "-" for answer in answers)


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
    ],
    "invalid": [
        a_request(at=NOW - 901),
        a_request(at=NOW + 901),
        a_request(*(("t", str(number)) for number in range(20))),
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
    challenge = relay.connections.standing["x"].challenge
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


def test_a_socket_player_is_answered_by_the_arbiter_and_not_by_the_relay() -> None:
    relay = a_relay_with_a_game()
    relay.open("y")
    relay.subscribe({"authors": [ALICE.pubkey]}, on="y")
    assert relay.publish(an_event(ALICE, 5000, "connect", (US,))) == []
    (entry,) = relay.queue.waiting
    assert (entry.queue, json.loads(entry.body)["via"]) == ("seeks", "x")
    assert relay.sockets.heard("y") == []


@pytest.mark.parametrize("content", ["connect", "cancelsearch"])
def test_a_request_that_names_no_arbiter_is_accepted_only_from_a_socket_of_its_author(
    content: str,
) -> None:
    """Signed for another server, it was seen there by a stranger, who brings it here."""
    relay, request = a_relay_with_a_game(), an_event(ALICE, 5000, content)
    text = "auth-required: name this arbiter in a p tag, or authenticate"
    assert relay.publish(request)[-1] == ["OK", request.id, False, text]
    assert not relay.queue.waiting
    relay.connections.proved("x", ALICE.pubkey)
    assert relay.publish(request) == []
    assert len(relay.queue.waiting) == 1


def test_a_socket_player_waits_in_the_group_of_the_game_they_play() -> None:
    relay = a_relay_with_a_game()
    named = (("d", relay.a_game().game_id), US)
    relay.connections.proved("x", ALICE.pubkey)
    for event in (a_move(ALICE, "e2e4", *named), an_event(ALICE, 5001, "e2e4")):
        relay.publish(event)
    assert len({entry.group_id for entry in relay.queue.waiting}) == 1
    assert {entry.queue for entry in relay.queue.waiting} == {"moves"}


def test_a_move_that_a_stranger_saw_cannot_be_sent_again_by_them() -> None:
    relay, move = a_relay_with_a_game(), an_event(ALICE, 5001, "e2e4")
    relay.open("y")
    relay.connections.proved("x", ALICE.pubkey)
    relay.connections.proved("y", EVE.pubkey)
    assert (fates(relay, [move]), fates(relay, [move], on="y")) == ("-", "restricted")


def test_each_copy_of_a_move_over_a_socket_is_queued_and_a_few_are() -> None:
    """NIP-01: "OK messages MUST be sent in response to EVENT messages received from clients"."""
    relay, move = a_relay_with_a_game(), an_event(ALICE, 5001, "e2e4")
    relay.connections.proved("x", ALICE.pubkey)
    few = COUNTED_FREELY + COPIES_COUNTED
    assert fates(relay, [move] * 60).split() == ["-"] * few + ["rate-limited"] * (60 - few)
    assert len({entry.dedup_id for entry in relay.queue.waiting}) == few == 22


def test_players_and_spectators_talk_past_the_arbiter() -> None:
    relay = a_relay_with_a_game()
    relay.open("y")
    relay.subscribe({"kinds": [20305], "#p": [BOB.pubkey]}, {"kinds": [20306], "#d": [GAME.id]})
    for line in (an_event(ALICE, 20305, "secret", (PLAYED, TO_BOB)), a_chat(EVE, "well played")):
        assert fates(relay, [line], on="y") == "OK"
        assert relay.sockets.heard("x") == [["EVENT", "s", event_to_json(line)]]
    assert not relay.queue.waiting


def test_who_talks_too_fast_may_still_move() -> None:
    relay = a_relay_with_a_game(chats_per_ten_seconds=1)
    lines = [a_chat(ALICE, "a"), a_chat(ALICE, "b"), a_request()]
    assert fates(relay, lines) == "OK rate-limited OK"


def test_copies_that_others_send_do_not_use_up_the_share_of_the_author() -> None:
    relay = a_relay_with_a_game()
    relay.open("thief", address="192.0.2.66")
    signed = [a_request(content=str(number)) for number in range(3)]
    for copy in [*signed, *signed] * 60:
        relay.world.clock.ms += 20
        relay.publish(copy, on="thief")
    assert fates(relay, signed[:1], on="thief") == "rate-limited"
    assert fates(relay, [a_request(content="fresh")]) == "OK"
    fates(relay, [a_chat(ALICE)] * 10, on="thief")
    assert fates(relay, [a_chat(ALICE, "thanks")]) == "OK"


def test_who_floods_with_copies_of_one_event_each_has_used_up_their_own_share_alone() -> None:
    """A bot's last quarter of an hour, once or twice each, from one foreign address."""
    relay = a_relay_with_a_game()
    relay.open("thief", address="192.0.2.66")
    signed = [a_request(content=str(number), at=NOW - number) for number in range(140)]
    statuses = fates(relay, signed * 3, on="thief").split()
    assert (statuses.count("OK"), statuses[-1]) == (300, "rate-limited")
    fresh = [a_request(content=f"fresh {number}") for number in range(300)]
    assert {*fates(relay, fresh).split()} == {"OK"}


def test_at_the_same_address_who_proved_the_key_has_a_share_of_their_own() -> None:
    relay = a_relay_with_a_game(events_per_ten_seconds=3)
    relay.open("thief")
    relay.connections.proved("x", ALICE.pubkey)
    signed = [a_request(content=str(number)) for number in range(4)]
    assert fates(relay, signed, on="thief").endswith("rate-limited")
    assert fates(relay, [a_request(content="fresh")]) == "OK"


@pytest.mark.parametrize("is_proved", [False, True])
def test_no_flooder_has_more_by_opening_more_sockets(*, is_proved: bool) -> None:
    relay, accepted = a_relay_with_a_game(events_per_ten_seconds=10), 0
    for number in range(40):
        socket = f"socket {number % 8}"
        if number < 8:
            relay.open(socket, address=f"192.0.2.{number}" if is_proved else "192.0.2.9")
            if is_proved:
                relay.connections.proved(socket, ALICE.pubkey)
        accepted += fates(relay, [a_request(content=str(number))], on=socket) == "OK"
    assert accepted == 10


def test_a_usual_move_is_counted_once() -> None:
    relay = a_relay_with_a_game()
    fates(relay, [a_move(ALICE)])
    counted = [key for key, *_ in relay.rates.counts]
    assert [key for key in counted if key.startswith("events:")] == [
        f"events:{ALICE.pubkey}@192.0.2.1"
    ]
    assert [key for key in counted if key.startswith("questions:")] == []


def test_questions_about_one_game_are_counted_together_whoever_asks() -> None:
    relay = a_relay_with_a_game(questions_per_ten_seconds=2)
    asked = [a_move(key, "state") for key in (EVE, BOB, ALICE)]
    assert fates(relay, asked) == "OK OK rate-limited"
    assert fates(relay, [a_move(ALICE), a_request(content="state")]) == "OK OK"


def said_by_strangers(relay: RelayWorld, *tags: tuple[str, ...]) -> str:
    """What becomes of a move of each, over a socket and from an address of their own."""
    said = []
    for number, key in enumerate(STRANGERS):
        relay.open(f"socket {number}", address=f"192.0.2.{number + 10}")
        said.append(fates(relay, [a_move(key, "e2e4", US, *tags)], on=f"socket {number}"))
    return " ".join(said)


TWO_OF_SIX = "OK OK" + " rate-limited" * 4


@pytest.mark.parametrize(
    ("limit", "tags"),
    [
        ("strangers_per_ten_seconds", (PLAYED,)),
        ("strangers_per_ten_seconds", (("d", "ab" * 16),)),
        ("all_strangers_per_ten_seconds", (PLAYED,)),
        ("all_strangers_per_ten_seconds", ()),
        ("all_strangers_per_ten_seconds", (("d", "no game"),)),
    ],
)
def test_strangers_have_one_share_of_a_game_and_its_players_are_no_part_of_it(
    limit: str, tags: tuple[tuple[str, ...], ...]
) -> None:
    relay = a_relay_with_a_game(**{limit: 2})
    assert said_by_strangers(relay, *tags) == TWO_OF_SIX
    own = [a_move(key, f"word {number}") for number in range(5) for key in (ALICE, BOB)]
    assert {*fates(relay, own).split()} == {"OK"}


def test_strangers_behind_one_address_have_one_share_of_all_games() -> None:
    relay = a_relay_with_a_game(address_strangers_per_ten_seconds=2)
    moves = [a_move(key, "e2e4", ("d", key.pubkey[:32]), US) for key in STRANGERS]
    assert fates(relay, [*moves, a_move(ALICE)]) == f"{TWO_OF_SIX} OK"


def test_who_plays_no_game_over_a_socket_is_a_stranger_and_who_plays_one_is_none() -> None:
    relay = a_relay_with_a_game(address_strangers_per_ten_seconds=1)
    for key in (ALICE, BOB, EVE):
        relay.connections.proved("x", key.pubkey)
    fates(relay, [an_event(key, 5000, "connect", (US,)) for key in (ALICE, BOB)])
    relay.arbitrate()
    # Were they strangers, the second would be one too many.
    fates(relay, [an_event(key, 5001, "e2e4", (US,)) for key in (ALICE, BOB)])
    assert len(relay.queue.waiting) == 2
    moves = [an_event(EVE, 5001, uci, (US,)) for uci in ("e2e4", "d2d4")]
    assert fates(relay, moves) == "- rate-limited"


def test_chat_of_strangers_for_the_arbiter_has_the_same_share() -> None:
    relay = a_relay_with_a_game(strangers_per_ten_seconds=1)
    assert fates(relay, [a_chat(key) for key in STRANGERS]) == "OK OK OK OK OK OK"
    for_us = [a_chat(key, "hello", PLAYED, US) for key in (*STRANGERS, ALICE)]
    assert fates(relay, for_us) == "OK" + " rate-limited" * 5 + " OK"


def test_who_plays_a_game_is_read_once_and_a_game_that_cannot_be_read_keeps_none_out() -> None:
    relay = a_relay_with_a_game(strangers_per_ten_seconds=1)
    relay.world.games.hook = crash_at("games.load", times=len(STRANGERS))
    assert {*said_by_strangers(relay, PLAYED).split()} == {"OK"}
    reads: list[str] = []
    relay.world.games.hook = reads.append
    fates(relay, [a_move(key, str(number)) for number in range(3) for key in (ALICE, BOB, EVE)])
    assert reads == ["games.load"]


def test_an_address_may_not_ask_for_games_nor_chat_with_keys_without_end() -> None:
    relay = a_relay_with_a_game(address_seeks_per_ten_seconds=1, address_chats_per_ten_seconds=1)
    relay.open("y")
    relay.open("z", address="192.0.2.2")
    connect = an_event(BOB, 5000, "connect", (US,))
    assert fates(relay, [a_request()]) == "OK"
    assert fates(relay, [connect], on="y") == "rate-limited"
    assert fates(relay, [an_event(BOB, 20300, tags=(US,))], on="z") == "OK"
    assert fates(relay, [a_chat(EVE), a_chat(BOB)]) == "OK rate-limited"


def test_a_socket_may_not_speak_for_keys_without_end() -> None:
    relay = a_relay_with_a_game(pubkeys=1)
    relay.connections.proved("x", ALICE.pubkey)
    connects = [an_event(key, 5000, "connect", (US,)) for key in (BOB, ALICE)]
    assert fates(relay, connects) == "restricted -"
    assert len(relay.queue.waiting) == 1
