"""Our own relay answers whatever comes, in NIP-01's words, and a game can be played over it."""

import json
import logging
from collections.abc import Callable

import pytest

from arbiter.nostr.event import event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip11 import RelayLimits
from arbiter.nostr.nip42 import auth_template
from tests.application.gateway.relay_world import URL, RelayWorld, told
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, an_event
from tests.fakes.faults import Crash, crash_at

SEEK = (("p", SERVER.pubkey),)


def a_request(key: SecretKey = ALICE, content: str = "") -> dict[str, object]:
    return event_to_json(an_event(key, 20300, content, SEEK))


def an_answer(
    relay: RelayWorld, key: SecretKey = ALICE, on: str = "x", url: str = URL
) -> dict[str, object]:
    """This player's AUTH to the challenge of that socket."""
    challenge = relay.connections.standing[on].challenge
    return event_to_json(key.sign(auth_template(url, challenge, NOW_MS // 1000)))


def a_relay(limits: RelayLimits | None = None) -> RelayWorld:
    relay = RelayWorld(limits or RelayLimits())
    assert relay.open("x")
    return relay


def test_two_clients_play_over_this_relay_alone() -> None:
    relay = a_relay()
    relay.open("y")
    for key, socket in ((ALICE, "x"), (BOB, "y")):
        mine = {"kinds": [20301, 20302, 20304], "#p": [key.pubkey]}
        assert told(relay.subscribe(mine, on=socket)) == ("EOSE",)
    for key, socket in ((ALICE, "x"), (BOB, "y")):
        assert told(relay.publish(an_event(key, 20300, tags=SEEK), on=socket)) == ("OK",)
        relay.arbitrate()

    heard = [message[2] for message in relay.sockets.heard("x")]
    assert [event["content"].partition(":")[0] for event in heard if event["kind"] == 20301] == [
        "queued",
        "started",
    ]
    (state,) = [event for event in heard if event["kind"] == 20302]
    white = ALICE if state["tags"][1][1] == ALICE.pubkey else BOB
    socket = "x" if white is ALICE else "y"
    relay.sockets.heard(socket)
    tags = (("d", state["tags"][0][1]), *SEEK, ("e", state["id"]))

    assert relay.publish(an_event(white, 20303, "e2e4", tags), on=socket)[0][2:] == [True, ""]
    relay.arbitrate()

    for each in ("x", "y"):
        (moved,) = [m[2] for m in relay.sockets.heard(each) if m[2]["kind"] == 20302]
        assert moved["content"].split()[1] == "b"


def test_a_player_of_the_draft_meets_one_of_the_native_protocol() -> None:
    relay = a_relay()
    relay.open("y")
    relay.subscribe({"kinds": [20301, 20302], "#p": [BOB.pubkey]}, on="y")
    connect = an_event(ALICE, 5000, "connect", SEEK)
    assert relay.publish(connect) == []
    relay.arbitrate()
    relay.publish(an_event(BOB, 20300, tags=SEEK), on="y")
    relay.arbitrate()

    said = relay.sockets.heard("x")
    assert [message[:2] for message in said] == [
        ["OK", connect.id],
        ["EVENT", 5000],
        ["OK", connect.id],
    ]
    state = [message[2] for message in relay.sockets.heard("y")][-1]
    if said[-1][3] == "white":
        move = an_event(ALICE, 5001, "e2e4")
        relay.publish(move)
        relay.arbitrate()
        assert relay.sockets.heard("x") == [["OK", move.id, True, ""]]
    else:
        tags = (("d", state["tags"][0][1]), *SEEK, ("e", state["id"]))
        relay.publish(an_event(BOB, 20303, "e2e4", tags), on="y")
        relay.arbitrate()
        ((verb, label, event),) = relay.sockets.heard("x")
        assert (verb, label, event["content"]) == ("EVENT", 5002, "e2e4")
    assert relay.sockets.heard("y")[-1][2]["content"].split()[1] == "b"


def test_an_event_is_queued_as_the_listener_queues_it_and_passed_on() -> None:
    relay = a_relay()
    relay.open("y")
    relay.subscribe({"kinds": [20300]}, on="y")
    request = an_event(ALICE, 20300, tags=SEEK)

    assert relay.publish(request) == [["OK", request.id, True, ""]]

    (entry,) = relay.queue.waiting
    assert (entry.queue, entry.dedup_id) == ("seeks", request.id)
    assert json.loads(entry.body) == {
        "event": event_to_json(request),
        "received_at_ms": relay.world.clock.ms,
    }
    assert relay.sockets.heard("y") == [["EVENT", "s", event_to_json(request)]]


def test_a_closed_subscription_hears_nothing_more() -> None:
    relay = a_relay()
    relay.subscribe({"kinds": [20300]})

    assert relay.say("CLOSE", "s") == []
    assert told(relay.publish(an_event(ALICE, 20300, tags=SEEK))) == ("OK",)


def test_a_socket_that_closed_is_forgotten() -> None:
    relay = a_relay()
    relay.subscribe({"kinds": [20300]})

    relay.close("x")

    assert not relay.connections.standing
    assert not relay.connections.filed


def test_a_socket_that_we_do_not_know_is_asked_to_come_again() -> None:
    relay, request = RelayWorld(), a_request()

    asked = relay.say("REQ", "s", {"kinds": [20302]}, on="a")
    assert asked == [["CLOSED", "s", "error: reconnect"]]
    refused = relay.say("EVENT", request, on="b")
    assert refused == [["OK", request["id"], False, "error: reconnect"]]
    assert relay.say("CLOSE", "s", on="c") == [["NOTICE", "error: reconnect"]]
    assert relay.sockets.hung_up == ["a", "b", "c"]


def test_a_socket_that_is_gone_before_it_is_answered_is_forgotten() -> None:
    relay = a_relay()
    relay.sockets.gone.add("x")

    assert relay.subscribe({"kinds": [20302]}) == []
    assert not relay.connections.standing
    assert not relay.connections.filed


def test_a_client_may_prove_several_keys() -> None:
    relay = a_relay()
    for key in (ALICE, BOB):
        answer = an_answer(relay, key)
        assert relay.say("AUTH", answer) == [["OK", answer["id"], True, ""]]

    assert relay.connections.standing["x"].pubkeys == {ALICE.pubkey, BOB.pubkey}


def test_a_client_may_not_prove_keys_without_end() -> None:
    relay = a_relay(RelayLimits(pubkeys=1))
    relay.say("AUTH", an_answer(relay, ALICE))

    assert told(relay.say("AUTH", an_answer(relay, BOB))) == ("OK restricted",)
    assert told(relay.say("AUTH", an_answer(relay, ALICE))) == ("OK",)


def test_an_answer_proves_nothing_on_another_socket() -> None:
    relay = a_relay()
    relay.open("y")

    assert told(relay.say("AUTH", an_answer(relay, on="x"), on="y")) == ("OK invalid",)
    assert not relay.connections.standing["y"].pubkeys


@pytest.mark.parametrize(
    "spoilt",
    [{"sig": "00" * 64}, {"pubkey": BOB.pubkey}, {"created_at": NOW_MS // 1000 + 1}, {"kind": 1}],
)
def test_a_forged_answer_proves_nothing(spoilt: dict[str, object]) -> None:
    relay = a_relay()

    assert told(relay.say("AUTH", {**an_answer(relay), **spoilt})) == ("OK invalid",)
    assert not relay.connections.standing["x"].pubkeys


def test_an_answer_to_another_relay_proves_nothing() -> None:
    relay = a_relay()

    assert told(relay.say("AUTH", an_answer(relay, url="wss://evil.example"))) == ("OK invalid",)


def test_an_answer_is_never_published() -> None:
    relay = a_relay()

    assert told(relay.say("EVENT", an_answer(relay))) == ("OK blocked",)


def test_a_connection_that_is_too_fast_is_refused_and_at_twice_the_limit_hung_up_on() -> None:
    relay = a_relay(RelayLimits(frames_per_ten_seconds=3))
    said = [told(relay.say("CLOSE", "s")) for _ in range(7)]

    assert said == [(), (), (), *[("NOTICE rate-limited",)] * 4]
    assert relay.sockets.hung_up == ["x"]
    assert not relay.connections.standing


def test_an_event_that_came_too_fast_is_refused_by_its_id_so_that_it_can_be_sent_again() -> None:
    relay = a_relay(RelayLimits(frames_per_ten_seconds=1))
    request = a_request()
    relay.say("CLOSE", "s")

    (message,) = relay.say("EVENT", request)
    assert message[:3] == ["OK", request["id"], False]

    relay.world.clock.ms += 10_000
    assert told(relay.say("EVENT", request)) == ("OK",)


def test_the_event_that_ends_a_connection_is_refused_by_its_id() -> None:
    relay = a_relay(RelayLimits(frames_per_ten_seconds=1))
    request = a_request()
    relay.say("CLOSE", "s")
    relay.say("CLOSE", "s")

    refused = relay.say("EVENT", request)
    assert refused == [["OK", request["id"], False, "rate-limited: far too fast"]]
    assert relay.sockets.hung_up == ["x"]


@pytest.mark.parametrize("flaw", ["upper-case id", "short id", "extra element", "as relays say it"])
def test_an_event_in_the_wrong_shape_is_refused_by_the_id_as_it_was_sent(
    flaw: str, caplog: pytest.LogCaptureFixture
) -> None:
    """NIP-01: "OK messages MUST be sent in response to EVENT messages received from clients"."""
    relay, request = a_relay(), a_request()
    genuine = str(request["id"])
    id_ = {"upper-case id": genuine.upper(), "short id": "été"}.get(flaw, genuine)
    event: object = {**request, "id": id_}
    body = {"extra element": [event, {}], "as relays say it": ["s", event]}.get(flaw, [event])
    with caplog.at_level(logging.DEBUG):
        (message,) = relay.say("EVENT", *body)

    assert message[:3] == ["OK", id_, False]
    assert message[3].startswith("invalid: ")
    assert relay.answered.event_id in {"", genuine}
    assert not relay.queue.waiting


def test_a_key_has_one_share_over_all_its_connections() -> None:
    relay = a_relay(RelayLimits(events_per_ten_seconds=2))
    relay.open("y")
    said = [
        told(relay.say("EVENT", a_request(content=str(number)), on=socket))
        for number, socket in enumerate("xyxy")
    ]

    assert said == [("OK",), ("OK",), ("OK rate-limited",), ("OK rate-limited",)]
    assert told(relay.say("EVENT", a_request(BOB))) == ("OK",)


def test_a_forged_event_costs_nobody_his_share() -> None:
    relay = a_relay(RelayLimits(events_per_ten_seconds=1))
    for _ in range(3):
        assert told(relay.say("EVENT", {**a_request(), "sig": "11" * 64})) == ("OK invalid",)

    assert told(relay.say("EVENT", a_request())) == ("OK",)


def test_an_address_is_counted_over_all_its_connections() -> None:
    relay = RelayWorld(RelayLimits(address_frames_per_ten_seconds=20))
    for socket in "abc":
        relay.open(socket)
    said = [[told(relay.say("CLOSE", "s", on=socket)) for _ in range(10)][-1] for socket in "abc"]

    assert said == [(), (), ("NOTICE rate-limited",)]


def test_an_address_may_not_open_sockets_without_end() -> None:
    relay = RelayWorld(RelayLimits(address_connections_per_minute=2))

    assert [relay.open(socket) for socket in "abc"] == [True, True, False]
    assert relay.open("d", address="192.0.2.2")
    assert set(relay.connections.standing) == {"a", "b", "d"}


def test_whoever_has_a_network_has_one_share() -> None:
    relay = RelayWorld(RelayLimits(address_connections_per_minute=1))

    assert relay.open("a", address="2001:db8:1:2::1")
    assert not relay.open("b", address="2001:db8:1:2:ffff::9")
    assert relay.open("c", address="2001:db8:1:3::1")
    assert relay.connections.standing["a"].address == "2001:0db8:0001:0002"


def test_garbage_gets_a_few_notices_and_then_the_line_is_cut() -> None:
    relay = a_relay(RelayLimits(garbage=2))
    said = []
    for _ in range(3):
        relay.say_text("{nonsense")
        said.append(relay.sockets.heard("x"))

    assert said[:2] == [[["NOTICE", "invalid: not a JSON text"]]] * 2
    assert told(said[2]) == ("NOTICE invalid",)
    assert relay.sockets.hung_up == ["x"]


def test_a_frame_that_is_too_large_is_not_read() -> None:
    relay = a_relay(RelayLimits(message_bytes=100))

    assert relay.say("EVENT", a_request()) == [["NOTICE", "invalid: larger than 100 bytes"]]


@pytest.mark.parametrize(
    ("message", "told_of"),
    [
        (lambda: ["EVENT", a_request()], "OK error"),
        (lambda: ["REQ", "s", {"kinds": [20302]}], "CLOSED error"),
        (lambda: ["CLOSE", "s"], "NOTICE error"),
        (lambda: ["REQ", "s", 7], "CLOSED error"),
        (lambda: ["NONSENSE"], "NOTICE error"),
    ],
)
def test_a_fault_of_ours_is_told_and_kept_for_the_log(
    message: Callable[[], list[object]], told_of: str
) -> None:
    relay = a_relay()
    relay.connections.hook = crash_at("connections.heard_from")

    assert told(relay.say(*message())) == (told_of,)
    assert isinstance(relay.answered.failure, Crash)


@pytest.mark.parametrize("point", ["rates.take", "lobby.player"])
def test_an_event_is_refused_when_it_cannot_be_judged_so_that_its_client_keeps_it(
    point: str,
) -> None:
    relay = a_relay()
    relay.rates.hook = relay.world.lobby.hook = crash_at(point)
    relay.connections.proved("x", ALICE.pubkey)
    resignation = event_to_json(an_event(ALICE, 5003, "resign"))

    assert told(relay.say("EVENT", resignation)) == ("OK error",)
    assert told(relay.say("EVENT", resignation)) == ()
    assert len(relay.queue.waiting) == 1


def test_a_fault_of_ours_that_cannot_even_be_told_is_not_raised() -> None:
    relay = a_relay()

    def broken(point: str) -> None:
        raise Crash(point)

    relay.connections.hook = relay.sockets.hook = broken

    assert relay.say("EVENT", a_request(EVE)) == []
    assert isinstance(relay.answered.failure, Crash)
