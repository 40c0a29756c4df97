"""EVENT at our own relay: every refusal has its prefix, and what is taken is queued once."""

import json
from dataclasses import replace

import pytest

from arbiter.application.gateway.events import COPIES_COUNTED, COUNTED_FREELY
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_to_json
from arbiter.nostr.nip11 import RelayLimits
from arbiter.nostr.nip42 import auth_template
from tests.application.gateway.relay_world import URL, RelayWorld, told
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, a_key, an_event
from tests.fakes.faults import crash_at

NOW = NOW_MS // 1000
US = ("p", SERVER.pubkey)
GAME = a_game()
PLAYED = ("d", GAME.id)


def a_relay(limits: RelayLimits | None = None) -> RelayWorld:
    relay = RelayWorld(limits or RelayLimits())
    assert relay.open("x")
    relay.world.games.standing[GAME.id] = GAME
    return relay


def a_request(*tags: tuple[str, ...], content: str = "", at: int = NOW) -> VerifiedEvent:
    return an_event(ALICE, 20300, content, (US, *tags), at)


@pytest.mark.parametrize(
    ("event", "prefix"),
    [
        (an_event(ALICE, 1, "hello", (US,)), "blocked"),
        (an_event(ALICE, 22242, "", (US,)), "blocked"),
        (an_event(ALICE, 20301, "", (US,)), "blocked"),
        (an_event(ALICE, 20302, "", (US,)), "blocked"),
        (an_event(ALICE, 64, "1. e4 *", (US,)), "blocked"),
        (an_event(SERVER, 20300, "", (US,)), "blocked"),
        (an_event(ALICE, 20300), "blocked"),
        (an_event(ALICE, 20303, "e2e4", (PLAYED, ("p", BOB.pubkey))), "blocked"),
        (an_event(ALICE, 5000, "connect", (("p", BOB.pubkey),)), "blocked"),
        (a_request(at=NOW - 901), "invalid"),
        (a_request(at=NOW + 901), "invalid"),
        (a_request(*(("t", str(number)) for number in range(20))), "invalid"),
        (a_request(content="x" * 1025), "invalid"),
        (a_request(("expiration", str(NOW - 1))), "invalid"),
        (replace(a_request(), sig="00" * 64), "invalid"),
        (replace(a_request(), content="state"), "invalid"),
        (a_request(("-",)), "auth-required"),
        (an_event(ALICE, 5001, "e2e4"), "restricted"),
        (an_event(ALICE, 5002, "offer"), "restricted"),
        (an_event(ALICE, 5003, "resign"), "restricted"),
        (an_event(EVE, 20305, "x", (PLAYED, ("p", BOB.pubkey))), "restricted"),
        (an_event(ALICE, 20305, "x", (PLAYED, ("p", EVE.pubkey))), "invalid"),
        (an_event(ALICE, 20305, "x", (PLAYED,)), "invalid"),
        (an_event(ALICE, 20306, "x", (("d", "f" * 32),)), "restricted"),
        (an_event(ALICE, 20306, "x", (("d", "no game"),)), "invalid"),
        (an_event(ALICE, 20306, "x", (("d",),)), "invalid"),
        (an_event(ALICE, 20306, "x", (PLAYED, PLAYED)), "invalid"),
        (an_event(ALICE, 20306, "x"), "invalid"),
    ],
)
def test_what_is_refused_is_refused_by_id_and_prefix_and_goes_nowhere(
    event: VerifiedEvent, prefix: str
) -> None:
    relay = a_relay()
    relay.open("y")
    relay.subscribe({"kinds": [event.kind if event.kind > 20000 else 20300]}, on="y")

    *_, message = relay.publish(event)

    assert message[:3] == ["OK", event.id, False]
    assert message[3].partition(": ")[0] == prefix
    assert relay.answered.status == f"refused-{prefix}"
    assert relay.answered.event_id == event.id
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
        an_event(ALICE, 20303, "e2e4", (PLAYED, ("p", BOB.pubkey), US)),
    ],
)
def test_what_is_within_the_limits_is_taken_once_and_told_so(event: VerifiedEvent) -> None:
    relay = a_relay()

    assert relay.publish(event) == [["OK", event.id, True, ""]]
    assert [entry.dedup_id for entry in relay.queue.waiting] == [event.id]
    assert "via" not in json.loads(relay.queue.waiting[0].body)


def test_a_protected_event_is_taken_from_its_author_alone() -> None:
    relay = a_relay()
    protected = a_request(("-",))
    challenge = relay.connections.standing["x"].challenge

    asked, refused = relay.publish(protected)
    assert asked == ["AUTH", challenge]
    assert told([refused]) == ("OK auth-required",)

    def prove(template: EventTemplate) -> None:
        for key in (EVE, ALICE):
            relay.say("AUTH", event_to_json(key.sign(template)))
            expected = ("OK",) if key is ALICE else ("AUTH", "OK auth-required")
            assert told(relay.publish(protected)) == expected

    prove(auth_template(URL, challenge, NOW))


def test_an_event_that_the_queue_does_not_take_is_refused_and_not_passed_on() -> None:
    relay = a_relay()
    relay.subscribe({"kinds": [20300]})
    request = a_request()
    relay.queue.hook = crash_at(f"queue.entry {request.id}")

    (message,) = relay.publish(request)
    assert message[:3] == ["OK", request.id, False]
    assert message[3] == "error: the queue did not take this: send it again"
    assert told(relay.publish(request)) == ("OK", "EVENT")


def test_what_cannot_be_passed_on_was_taken_all_the_same() -> None:
    relay = a_relay()
    relay.connections.hook = crash_at("connections.subscribers")

    assert told(relay.publish(a_request())) == ("OK",)
    assert len(relay.queue.waiting) == 1


def test_a_socket_player_is_answered_by_the_arbiter_and_not_by_the_relay() -> None:
    relay = a_relay()
    relay.open("y")
    relay.subscribe({"authors": [ALICE.pubkey]}, on="y")
    connect = an_event(ALICE, 5000, "connect", (US,))

    assert relay.publish(connect) == []

    (entry,) = relay.queue.waiting
    assert entry.queue == "seeks"
    assert json.loads(entry.body)["via"] == "x"
    assert relay.sockets.heard("y") == []


@pytest.mark.parametrize("content", ["connect", "cancelsearch"])
def test_a_request_that_names_no_arbiter_is_taken_only_from_a_socket_of_its_author(
    content: str,
) -> None:
    """Signed for another server, it was seen there by a stranger, who brings it here."""
    relay = a_relay()
    challenge = relay.connections.standing["x"].challenge
    request = an_event(ALICE, 5000, content)

    assert relay.publish(request) == [
        ["AUTH", challenge],
        ["OK", request.id, False, "auth-required: name this arbiter in a p tag, or authenticate"],
    ]
    assert not relay.queue.waiting

    relay.connections.proved("x", ALICE.pubkey)
    assert relay.publish(request) == []
    assert len(relay.queue.waiting) == 1


def test_a_socket_player_waits_in_the_group_of_the_game_they_play() -> None:
    relay = a_relay()
    table = relay.a_game()
    relay.connections.proved("x", ALICE.pubkey)
    move = an_event(ALICE, 20303, "e2e4", (("d", table.game_id), US))
    for event in (move, an_event(ALICE, 5001, "e2e4"), an_event(ALICE, 5003, "resign")):
        relay.publish(event)

    assert len({entry.group_id for entry in relay.queue.waiting}) == 1
    assert {entry.queue for entry in relay.queue.waiting} == {"moves"}


def test_a_move_that_somebody_saw_cannot_be_said_again_by_him() -> None:
    relay = a_relay()
    relay.open("y")
    relay.connections.proved("x", ALICE.pubkey)
    relay.connections.proved("y", EVE.pubkey)
    move = an_event(ALICE, 5001, "e2e4")

    assert relay.publish(move, on="x") == []
    assert told(relay.publish(move, on="y")) == ("OK restricted",)


def test_each_copy_of_a_move_over_a_socket_is_queued_and_answered() -> None:
    """NIP-01: "OK messages MUST be sent in response to EVENT messages received from clients"."""
    relay = a_relay()
    relay.open("y")
    connects = [an_event(key, 5000, "connect", (US,)) for key in (ALICE, BOB)]
    for connect, socket in zip(connects, "xy", strict=True):
        relay.publish(connect, on=socket)
        relay.arbitrate()
    colors = {socket: relay.sockets.heard(socket)[-1][3] for socket in "xy"}
    key, socket = (ALICE, "x") if colors["x"] == "white" else (BOB, "y")
    move = an_event(key, 5001, "e2e4")

    assert [relay.publish(move, on=socket) for _ in range(3)] == [[]] * 3
    assert len({entry.dedup_id for entry in relay.queue.waiting}) == 3
    relay.arbitrate()
    assert relay.sockets.heard(socket) == [["OK", move.id, True, ""]] * 3


def test_copies_without_end_are_refused_by_their_id() -> None:
    relay = a_relay()
    relay.connections.proved("x", ALICE.pubkey)
    move = an_event(ALICE, 5001, "e2e4")

    answers = [told(relay.publish(move)) for _ in range(60)]
    assert answers[COUNTED_FREELY + COPIES_COUNTED :] == [("OK rate-limited",)] * 38


def test_players_and_spectators_talk_past_the_arbiter() -> None:
    relay = a_relay()
    relay.open("y")
    relay.subscribe({"kinds": [20305], "#p": [BOB.pubkey]}, {"kinds": [20306], "#d": [GAME.id]})
    between = an_event(ALICE, 20305, "secret", (PLAYED, ("p", BOB.pubkey)))
    public = an_event(EVE, 20306, "well played", (PLAYED,))

    for line in (between, public):
        assert told(relay.publish(line, on="y")) == ("OK",)
        assert relay.sockets.heard("x") == [["EVENT", "s", event_to_json(line)]]
    assert not relay.queue.waiting


def test_who_talks_too_fast_may_still_move() -> None:
    relay = a_relay(RelayLimits(chats_per_ten_seconds=1))
    lines = [an_event(ALICE, 20306, text, (PLAYED,)) for text in "ab"]

    assert [told(relay.publish(line)) for line in lines] == [("OK",), ("OK rate-limited",)]
    assert told(relay.publish(a_request())) == ("OK",)


def test_copies_that_others_send_do_not_use_up_the_share_of_the_author() -> None:
    relay = a_relay()
    relay.open("thief", address="192.0.2.66")
    signed = [a_request(content=str(number)) for number in range(3)]
    for copy in [*signed, *signed] * 60:
        relay.world.clock.ms += 20
        relay.publish(copy, on="thief")
    assert told(relay.publish(signed[0], on="thief")) == ("OK rate-limited",)

    assert told(relay.publish(a_request(content="fresh"))) == ("OK",)


def test_who_floods_with_copies_of_one_event_each_has_used_up_their_own_share_alone() -> None:
    """A bot's last quarter of an hour, once or twice each, from one foreign address."""
    relay = a_relay()
    relay.open("thief", address="192.0.2.66")
    signed = [a_request(content=str(number), at=NOW - number) for number in range(140)]
    statuses = [told(relay.publish(copy, on="thief")) for copy in [*signed, *signed, *signed]]
    assert statuses.count(("OK",)) == 300
    assert statuses[-1] == ("OK rate-limited",)

    fresh = [a_request(content=f"fresh {number}") for number in range(300)]
    assert {told(relay.publish(event)) for event in fresh} == {("OK",)}


def test_at_the_same_address_who_proved_the_key_has_a_share_of_their_own() -> None:
    relay = a_relay(RelayLimits(events_per_ten_seconds=3))
    relay.open("thief")
    relay.connections.proved("x", ALICE.pubkey)
    signed = [a_request(content=str(number)) for number in range(4)]
    assert [told(relay.publish(it, on="thief"))[-1] for it in signed][-1] == "OK rate-limited"

    assert told(relay.publish(a_request(content="fresh"))) == ("OK",)


@pytest.mark.parametrize("is_proved", [False, True])
def test_no_flooder_has_more_by_opening_more_sockets(is_proved: bool) -> None:  # noqa: FBT001
    relay = a_relay(RelayLimits(events_per_ten_seconds=10))
    taken = 0
    for number in range(40):
        socket = f"socket {number % 8}"
        if number < 8:
            relay.open(socket, address=f"192.0.2.{number}" if is_proved else "192.0.2.9")
            if is_proved:
                relay.connections.proved(socket, ALICE.pubkey)
        taken += told(relay.publish(a_request(content=str(number)), on=socket)) == ("OK",)

    assert taken == 10


def test_a_usual_move_is_counted_once() -> None:
    relay = a_relay()
    counted: list[str] = []
    take = relay.rates.take

    def noted(key: str, *rest: int) -> bool:
        counted.append(key)
        return take(key, *rest)

    relay.rates.take = noted  # type: ignore[method-assign,assignment]
    relay.publish(an_event(ALICE, 20303, "e2e4", (PLAYED, US)))

    assert [key for key in counted if key.startswith("events:")] == [
        f"events:{ALICE.pubkey}@192.0.2.1"
    ]
    assert not any(key.startswith("questions:") for key in counted)


def test_questions_about_one_game_are_counted_together_whoever_asks() -> None:
    relay = a_relay(RelayLimits(questions_per_ten_seconds=2))
    asked = [an_event(key, 20303, "state", (PLAYED, US)) for key in (EVE, BOB, ALICE)]
    statuses = [told(relay.publish(event)) for event in asked]

    assert statuses == [("OK",), ("OK",), ("OK rate-limited",)]
    assert told(relay.publish(an_event(ALICE, 20303, "e2e4", (PLAYED, US)))) == ("OK",)
    assert told(relay.publish(a_request(content="state"))) == ("OK",)


STRANGERS = [a_key(f"stranger {number}") for number in range(6)]


def said_by_strangers(relay: RelayWorld, *tags: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What comes of a move of each, over a socket and from an address of their own."""
    fates = []
    for number, key in enumerate(STRANGERS):
        relay.open(f"socket {number}", address=f"192.0.2.{number + 10}")
        move = an_event(key, 20303, "e2e4", (US, *tags))
        fates.append(told(relay.publish(move, on=f"socket {number}")))
    return fates


@pytest.mark.parametrize(
    ("limits", "tags"),
    [
        (RelayLimits(strangers_per_ten_seconds=2), (PLAYED,)),
        (RelayLimits(strangers_per_ten_seconds=2), (("d", "ab" * 16),)),
        (RelayLimits(all_strangers_per_ten_seconds=2), (PLAYED,)),
        (RelayLimits(all_strangers_per_ten_seconds=2), ()),
        (RelayLimits(all_strangers_per_ten_seconds=2), (("d", "no game"),)),
    ],
)
def test_strangers_have_one_share_of_a_game_and_its_players_are_no_part_of_it(
    limits: RelayLimits, tags: tuple[tuple[str, ...], ...]
) -> None:
    relay = a_relay(limits)
    assert said_by_strangers(relay, *tags) == [("OK",)] * 2 + [("OK rate-limited",)] * 4
    for number, key in enumerate((ALICE, BOB) * 5):
        move = an_event(key, 20303, f"word {number}", (PLAYED, US))
        assert told(relay.publish(move)) == ("OK",)


def test_strangers_behind_one_address_have_one_share_of_all_games() -> None:
    relay = a_relay(RelayLimits(address_strangers_per_ten_seconds=2))
    fates = [
        told(relay.publish(an_event(key, 20303, "e2e4", (("d", key.pubkey[:32]), US))))
        for key in STRANGERS
    ]
    assert fates == [("OK",)] * 2 + [("OK rate-limited",)] * 4
    assert told(relay.publish(an_event(ALICE, 20303, "e2e4", (PLAYED, US)))) == ("OK",)


def test_who_plays_no_game_over_a_socket_is_a_stranger_and_who_plays_one_is_none() -> None:
    relay = a_relay(RelayLimits(address_strangers_per_ten_seconds=1))
    for key in (ALICE, BOB, EVE):
        relay.connections.proved("x", key.pubkey)
    for key in (ALICE, BOB):
        relay.publish(an_event(key, 5000, "connect", (US,)))
    relay.arbitrate()
    # Were they strangers, the second would be one too many.
    for key in (ALICE, BOB):
        relay.publish(an_event(key, 5001, "e2e4", (US,)))
    assert len(relay.queue.waiting) == 2
    fates = [told(relay.publish(an_event(EVE, 5001, move, (US,)))) for move in ("e2e4", "d2d4")]
    assert fates == [(), ("OK rate-limited",)]


def test_chat_of_strangers_for_the_arbiter_has_the_same_share() -> None:
    relay = a_relay(RelayLimits(strangers_per_ten_seconds=1))
    for_all = [an_event(key, 20306, "hello", (PLAYED,)) for key in STRANGERS]
    for_us = [an_event(key, 20306, "hello", (PLAYED, US)) for key in (*STRANGERS, ALICE)]
    assert {told(relay.publish(event)) for event in for_all} == {("OK",)}
    fates = [told(relay.publish(event)) for event in for_us]
    assert fates == [("OK",)] + [("OK rate-limited",)] * 5 + [("OK",)]


def test_who_plays_a_game_is_read_once() -> None:
    relay = a_relay()
    reads: list[str] = []
    relay.world.games.hook = reads.append
    for number, key in enumerate((ALICE, BOB, EVE) * 3):
        relay.publish(an_event(key, 20303, f"word {number}", (PLAYED, US)))
    assert reads == ["games.load"]


def test_a_game_that_cannot_be_read_keeps_nobody_out() -> None:
    relay = a_relay(RelayLimits(strangers_per_ten_seconds=1))
    relay.world.games.hook = crash_at("games.load", times=len(STRANGERS))
    assert set(said_by_strangers(relay, PLAYED)) == {("OK",)}
    assert len(relay.queue.waiting) == len(STRANGERS)


def test_copies_of_chat_do_not_use_up_the_share_of_the_author() -> None:
    relay = a_relay()
    relay.open("thief", address="192.0.2.66")
    line = an_event(ALICE, 20306, "well played", (PLAYED,))
    for _ in range(10):
        relay.publish(line, on="thief")

    assert told(relay.publish(an_event(ALICE, 20306, "thanks", (PLAYED,)))) == ("OK",)


def test_an_address_may_not_ask_for_games_with_keys_without_end() -> None:
    relay = a_relay(RelayLimits(address_seeks_per_ten_seconds=1))
    relay.open("y")
    relay.open("z", address="192.0.2.2")

    assert told(relay.publish(a_request())) == ("OK",)
    assert told(relay.publish(an_event(BOB, 5000, "connect", (US,)), on="y")) == (
        "OK rate-limited",
    )
    assert told(relay.publish(an_event(BOB, 20300, tags=(US,)), on="z")) == ("OK",)


def test_an_address_may_not_chat_with_keys_without_end() -> None:
    relay = a_relay(RelayLimits(address_chats_per_ten_seconds=1))
    lines = [an_event(key, 20306, "hello", (PLAYED,)) for key in (EVE, BOB)]

    assert [told(relay.publish(line)) for line in lines] == [("OK",), ("OK rate-limited",)]


def test_a_socket_may_not_speak_for_keys_without_end() -> None:
    relay = a_relay(RelayLimits(pubkeys=1))
    relay.connections.proved("x", ALICE.pubkey)

    assert told(relay.publish(an_event(BOB, 5000, "connect", (US,)))) == ("OK restricted",)
    assert relay.publish(an_event(ALICE, 5000, "connect", (US,))) == []
    assert len(relay.queue.waiting) == 1
