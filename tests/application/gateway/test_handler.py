"""Our own relay answers whatever comes, in NIP-01's words, and a game can be played over it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from arbiter.application.connections import SocketBusy
from arbiter.nostr.event import event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip42 import auth_template
from tests.application.gateway.relay_world import URL, RelayWorld, a_relay, told
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, an_event
from tests.fakes.faults import Crash, crash_at

SEEK = (("p", SERVER.pubkey),)
REQ = ["REQ", "s", {"kinds": [20302]}]


def a_request(key: SecretKey = ALICE, content: str = "") -> dict[str, object]:
    return event_to_json(an_event(key, 20300, content, SEEK))


def an_answer(
    relay: RelayWorld, key: SecretKey = ALICE, on: str = "x", url: str = URL
) -> dict[str, object]:
    """This player's AUTH to the challenge of that socket."""
    challenge = relay.connections.open[on].challenge
    return event_to_json(key.sign(auth_template(url, challenge, NOW_MS // 1000)))


def test_a_closed_subscription_hears_nothing_more_and_a_closed_socket_is_forgotten() -> None:
    relay = a_relay()
    relay.subscribe({"kinds": [20300]})
    assert relay.say("CLOSE", "s") == []
    assert told(relay.publish(an_event(ALICE, 20300, tags=SEEK))) == ("OK",)
    relay.subscribe({"kinds": [20300]})
    relay.close("x")
    assert (relay.connections.open, relay.connections.filed) == ({}, {})


def test_a_socket_that_is_gone_before_it_is_answered_is_forgotten() -> None:
    relay = a_relay()
    relay.sockets.gone.add("x")
    assert relay.say(*REQ) == []
    assert (relay.connections.open, relay.connections.filed) == ({}, {})


def test_a_socket_that_we_do_not_know_is_asked_to_come_again() -> None:
    relay, request = RelayWorld(), a_request()
    assert relay.say(*REQ, on="a") == [["CLOSED", "s", "error: reconnect"]]
    refused = relay.say("EVENT", request, on="b")
    assert refused == [["OK", request["id"], False, "error: reconnect"]]
    assert relay.say("CLOSE", "s", on="c") == [["NOTICE", "error: reconnect"]]
    assert relay.sockets.hung_up == ["a", "b", "c"]


def test_a_client_may_prove_several_keys_and_not_without_end() -> None:
    relay = a_relay(pubkeys=2)
    answers = [an_answer(relay, key) for key in (ALICE, BOB, EVE, ALICE)]
    said = [told(relay.say("AUTH", answer))[0] for answer in answers]
    assert said == ["OK", "OK", "OK restricted", "OK"]
    assert relay.connections.open["x"].pubkeys == {ALICE.pubkey, BOB.pubkey}


@pytest.mark.parametrize(
    "spoilt",
    [{"sig": "00" * 64}, {"pubkey": BOB.pubkey}, {"created_at": NOW_MS // 1000 + 1}, {"kind": 1}],
)
def test_a_forged_answer_proves_nothing(spoilt: dict[str, object]) -> None:
    relay = a_relay()
    assert told(relay.say("AUTH", {**an_answer(relay), **spoilt})) == ("OK invalid",)
    assert not relay.connections.open["x"].pubkeys


def test_an_answer_proves_nothing_elsewhere_and_is_never_published() -> None:
    relay = a_relay()
    relay.open("y")
    elsewhere = an_answer(relay, url="wss://evil.example")
    assert told(relay.say("AUTH", an_answer(relay, on="x"), on="y")) == ("OK invalid",)
    assert told(relay.say("AUTH", elsewhere)) == ("OK invalid",)
    assert told(relay.say("EVENT", an_answer(relay))) == ("OK blocked",)
    assert not relay.connections.open["y"].pubkeys


def test_a_connection_that_is_too_fast_is_refused_and_at_twice_the_limit_hung_up_on() -> None:
    relay = a_relay(frames_per_ten_seconds=3)
    said = [told(relay.say("CLOSE", "s")) for _ in range(7)]
    assert said == [(), (), (), *[("NOTICE rate-limited",)] * 4]
    assert (relay.sockets.hung_up, relay.connections.open) == (["x"], {})


def test_an_event_that_came_too_fast_is_refused_by_its_id_so_that_it_can_be_sent_again() -> None:
    relay, request = a_relay(frames_per_ten_seconds=1), a_request()
    relay.say("CLOSE", "s")
    assert relay.say("EVENT", request)[0][:3] == ["OK", request["id"], False]
    relay.world.clock.ms += 10_000
    assert told(relay.say("EVENT", request)) == ("OK",)
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


def test_a_key_has_one_share_over_all_its_connections_and_a_forged_event_costs_none() -> None:
    relay = a_relay(events_per_ten_seconds=2)
    relay.open("y")
    forged = {**a_request(), "sig": "11" * 64}
    assert {told(relay.say("EVENT", forged)) for _ in range(3)} == {("OK invalid",)}
    said = [told(relay.say("EVENT", a_request(content=at), on=at)) for at in "xyxy"]
    again = [told(relay.say("EVENT", a_request(content=f"{at}2"), on=at)) for at in "xy"]
    assert {*said[:2]} == {("OK",)}
    assert again == [("OK rate-limited",)] * 2
    assert told(relay.say("EVENT", a_request(BOB))) == ("OK",)


def test_an_address_is_counted_over_all_its_connections() -> None:
    relay = a_relay(address_frames_per_ten_seconds=20)
    for socket in "abc":
        relay.open(socket)
    said = [[told(relay.say("CLOSE", "s", on=socket)) for _ in range(10)][-1] for socket in "abc"]
    assert said == [(), (), ("NOTICE rate-limited",)]


def test_who_goes_on_is_hung_up_on_from_many_sockets_too_and_let_in_no_more_for_a_while() -> None:
    """110 sockets that send four frames a second in all."""
    relay = a_relay(address_frames_per_ten_seconds=100)
    sockets = [f"s{number}" for number in range(110)]
    for socket in sockets:
        assert relay.open(socket)
    relay.open("far", "192.0.2.2")
    for at in range(400):
        relay.say("CLOSE", "s", on=sockets[at % 110])
    assert len(set(relay.sockets.hung_up)) == 110
    assert told(relay.say("CLOSE", "s", on="far")) == ()
    heard = []
    for _ in range(12):
        heard.append((relay.open("again"), relay.open("other", "192.0.2.2")))
        relay.world.clock.ms += 10_000
    assert (False, True) in heard[:6]
    assert heard[0] == (False, True)
    relay.world.clock.ms += 10_000
    assert relay.open("again")


def test_an_address_or_a_network_may_not_open_sockets_without_end() -> None:
    relay = a_relay(address_connections_per_minute=2)
    assert [relay.open(socket) for socket in "ab"] == [True, False]
    assert relay.open("c", address="192.0.2.2")
    network = "2001:db8:1:2"
    ends = ("::1", ":ffff::9", ":ffff::a")
    assert [relay.open(end, address=network + end) for end in ends] == [True, True, False]
    assert relay.open("other", address="2001:db8:1:3::1")
    assert relay.connections.open["::1"].address == "2001:0db8:0001:0002"


def test_garbage_gets_a_few_notices_and_then_the_line_is_cut() -> None:
    relay, said = a_relay(garbage=2), []
    for _ in range(3):
        relay.say_text("{nonsense")
        said += relay.sockets.heard("x")
    assert said[:2] == [["NOTICE", "invalid: not a JSON text"]] * 2
    assert told(said) == ("NOTICE invalid",) * 3
    assert relay.sockets.hung_up == ["x"]


@pytest.mark.parametrize(
    ("message", "told_of"),
    [
        (lambda: ["EVENT", a_request()], "OK error"),
        (lambda: REQ, "CLOSED error"),
        (lambda: ["CLOSE", "s"], "NOTICE error"),
        (lambda: ["REQ", "s", 7], "CLOSED error"),
        (lambda: ["NONSENSE"], "NOTICE error"),
    ],
)
def test_a_fault_of_ours_is_told_and_kept_for_the_log(
    message: Callable[[], list[Any]], told_of: str
) -> None:
    relay = a_relay()
    relay.connections.hook = crash_at("connections.count_frame")
    assert told(relay.say(*message())) == (told_of,)
    assert isinstance(relay.answered.failure, Crash)


@pytest.mark.parametrize("point", ["rates.take", "lobby.player"])
def test_an_event_that_cannot_be_judged_is_refused_so_that_its_client_keeps_it(point: str) -> None:
    relay = a_relay()
    relay.rates.hook = relay.world.lobby.hook = crash_at(point)
    relay.connections.authenticate("x", ALICE.pubkey)
    resignation = event_to_json(an_event(ALICE, 5003, "resign"))
    assert told(relay.say("EVENT", resignation)) == ("OK error",)
    assert told(relay.say("EVENT", resignation)) == ()
    assert len(relay.queue.waiting) == 1


def test_an_answer_that_a_socket_is_too_busy_for_is_no_fault_of_ours() -> None:
    relay = a_relay()

    def busy(point: str) -> None:
        if point.startswith("sockets.send"):
            raise SocketBusy

    relay.sockets.hook = busy
    assert relay.say("EVENT", a_request(EVE)) == []
    assert (relay.answered.status, relay.answered.failure) == ("queued", None)
    assert "x" in relay.connections.open


def test_a_fault_of_ours_that_cannot_even_be_told_is_not_raised() -> None:
    relay = a_relay()
    relay.connections.hook = relay.sockets.hook = broken
    assert relay.say("EVENT", a_request(EVE)) == []
    assert isinstance(relay.answered.failure, Crash)


def broken(point: str) -> None:
    raise Crash(point)
