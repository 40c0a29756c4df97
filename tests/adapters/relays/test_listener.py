import json
import threading
from collections.abc import Callable

import pytest

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import MOST_PASSED_OVER
from arbiter.adapters.relays.loopback_probe import LoopbackPacing
from arbiter.adapters.relays.protocol import SUBSCRIPTION, Pacing
from arbiter.application.routing import LISTENED_KINDS
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_from_json, verify
from arbiter.nostr.limits import MAX_AGE_SECONDS, MAX_FRAME_BYTES
from tests.adapters.relays.ears import AT_ONCE, listening
from tests.adapters.relays.watching import (
    SystemTime,
    a_move,
    a_seek,
    forged,
    json_of,
    received_at_ms,
)
from tests.builders import BOB, SERVER
from tests.fakes.relay import CONTINUED, PATIENCE_SECONDS, TEXT, Client, FakeRelay, Message


def test_what_players_say_reaches_the_queues() -> None:
    move, seek = a_move("e2e4"), a_seek(by=BOB)
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        before_ms = SystemTime().now_ms()
        relay.broadcast(json_of(move))
        relay.broadcast(json_of(seek))
        entries = ears.queue.entries(2)
        assert {entry.dedup_id: entry.queue for entry in entries} == {
            move.id: "moves",
            seek.id: "seeks",
        }
        for entry in entries:
            assert before_ms <= received_at_ms(entry) <= SystemTime().now_ms()


def test_it_asks_for_what_players_with_slow_clocks_say_too() -> None:
    with FakeRelay() as relay, listening(relay):
        _, _, wanted, _ = relay.message("REQ")
        assert wanted["#p"] == [SERVER.pubkey]
        assert wanted["kinds"] == [*LISTENED_KINDS]
        age = SystemTime().now_ms() // 1000 - wanted["since"]
        assert MAX_AGE_SECONDS <= age <= MAX_AGE_SECONDS + PATIENCE_SECONDS


def test_the_same_event_from_three_relays_is_passed_on_once() -> None:
    move = a_move("e2e4")
    with (
        FakeRelay() as one,
        FakeRelay() as two,
        FakeRelay() as three,
        listening(one, two, three) as ears,
    ):
        for relay in (one, two, three):
            relay.message("REQ")
            relay.broadcast(json_of(move))
        ears.tally.reaches("repeated", 2)
        assert ears.queue.ids(1) == [move.id]


def test_a_relay_named_twice_is_one_relay() -> None:
    with FakeRelay() as relay, listening(relay, relay) as ears:
        relay.message("REQ")
        relay.broadcast(json_of(a_move("e2e4")))
        ears.queue.ids(1)
        assert len(relay.clients) == 1


def test_a_forged_copy_that_comes_first_does_not_shadow_the_genuine_event() -> None:
    move = a_move("e2e4")
    with FakeRelay() as hostile, FakeRelay() as honest, listening(hostile, honest) as ears:
        hostile.message("REQ")
        honest.message("REQ")
        hostile.client().deliver(forged(move))
        ears.tally.reaches("forged")
        honest.broadcast(json_of(move))
        (entry,) = ears.queue.entries(1)
        assert json.loads(entry.body)["event"] == json_of(move)


def test_the_servers_own_events_are_not_heard() -> None:
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        relay.client().deliver(json_of(a_move("e2e4", by=SERVER)))
        ears.tally.reaches("own")
        relay.broadcast(json_of(a_move("e2e4")))
        ears.tally.reaches("sent")
        assert len(ears.queue.taken) == 1


def test_a_closed_subscription_is_made_again_on_the_same_connection() -> None:
    closings = iter([True, True])

    def close_twice(client: Client, message: Message) -> None:
        if next(closings, False):
            client.subscriptions.clear()
            client.send("CLOSED", message[1], "error: too busy")

    with FakeRelay(on_req=close_twice) as relay, listening(relay) as ears:
        relay.message("REQ", 3)
        relay.broadcast(json_of(a_move("e2e4")))
        ears.queue.ids(1)
        assert ears.tally.counts()["closed"] == 2
        assert len(relay.clients) == 1


def test_a_flood_of_notices_is_counted_and_drowns_nothing() -> None:
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        for _ in range(500):
            relay.client().send("NOTICE", "la " * 100)
        relay.broadcast(json_of(a_move("e2e4")))
        ears.queue.ids(1)
        assert ears.tally.counts()["notice"] == 500


def test_a_relay_that_asks_who_listens_is_told_by_a_key_that_is_nobodys() -> None:
    def close_strangers(client: Client, message: Message) -> None:
        if relay.count("AUTH") == 0:
            client.send("CLOSED", message[1], "auth-required: who are you?")
            client.subscriptions.clear()
            client.send("AUTH", "prove it")

    relay = FakeRelay(on_req=close_strangers)
    with relay, listening(relay, pacing=Pacing()) as ears:
        answer = event_from_json(relay.message("AUTH")[1])
        verified = verify(answer)  # type: ignore[arg-type]
        assert isinstance(verified, VerifiedEvent)
        assert verified.pubkey != SERVER.pubkey
        assert ("challenge", "prove it") in verified.tags
        assert ("relay", relay.url) in verified.tags
        relay.message("REQ", 2)
        relay.broadcast(json_of(a_move("e2e4")))
        ears.queue.ids(1)
        assert len(relay.clients) == 1


def test_two_listeners_show_relays_different_keys() -> None:
    with (
        FakeRelay(on_connect=lambda client: client.send("AUTH", "who?")) as relay,
        listening(relay),
        listening(relay),
    ):
        keys = {relay.message("AUTH", number)[1]["pubkey"] for number in (1, 2)}
        assert len(keys) == 2


def test_a_relay_that_leaves_the_subscription_unanswered_is_dialled_again() -> None:
    with (
        FakeRelay(on_req=lambda *_: None) as relay,
        listening(relay, pacing=Pacing(answer_within_seconds=0.05)) as ears,
    ):
        assert ears.tally.reaches("silent") >= 1
        first, _ = relay.sender_and_message("REQ")
        second, _ = relay.sender_and_message("REQ", 2)
        assert second is not first


def test_chatter_does_not_hide_that_the_subscription_is_unanswered() -> None:
    is_over = threading.Event()

    def chatter(client: Client, message: Message) -> None:
        while not is_over.is_set():
            client.send("NOTICE", "la")

    relay = FakeRelay(on_req=chatter)
    with relay, listening(relay, pacing=Pacing(answer_within_seconds=0.05)) as ears:
        try:
            heard = ears.tally.reaches("notice")
            before = ears.tally.counts()["silent"]
            assert heard >= 1
            assert ears.tally.reaches("silent", before + 1) > before
        finally:
            is_over.set()


def test_a_half_open_socket_is_noticed_by_its_silence() -> None:
    missed = a_move("e2e4")

    def fall_silent(client: Client, message: Message) -> None:
        relay.answer_req(client, message)
        client.go_deaf()

    relay = FakeRelay(on_req=fall_silent)
    # Short, for it is waited for; long enough for the relay that hears again to be believed.
    pacing = Pacing(ping_after_seconds=0.02, pong_within_seconds=0.3)
    with relay, listening(relay, pacing=pacing) as ears:
        assert ears.tally.reaches("silent") >= 1
        relay.remembered.append(json_of(missed))
        relay.on_req = relay.answer_req
        assert ears.queue.ids(1) == [missed.id]


def test_a_relay_that_answers_pings_but_forgot_the_subscription_is_dialled_again() -> None:
    def answer_once(client: Client, message: Message) -> None:
        if relay.count("REQ") == 1:
            relay.answer_req(client, message)

    relay = FakeRelay(on_req=answer_once)
    pacing = Pacing(
        ping_after_seconds=0.01,
        pong_within_seconds=PATIENCE_SECONDS,
        refresh_after_seconds=0.02,
        answer_within_seconds=0.1,
    )
    with relay, listening(relay, pacing=pacing) as ears:
        ears.tally.reaches("silent")
        assert relay.message("ping") == ["ping"]
        relay.client(2)


def test_a_quiet_relay_that_answers_pings_is_kept() -> None:
    pacing = Pacing(ping_after_seconds=0.01, pong_within_seconds=PATIENCE_SECONDS)
    with FakeRelay() as relay, listening(relay, pacing=pacing):
        relay.message("ping", 5)
        assert len(relay.clients) == 1


def an_oversized_frame(client: Client) -> None:
    client.send_header(TEXT, MOST_PASSED_OVER + 1)


def an_oversized_message(client: Client) -> None:
    client.send_frame(TEXT, b"x" * MAX_FRAME_BYTES, fin=False)
    client.send_header(CONTINUED, MOST_PASSED_OVER)


@pytest.mark.parametrize("misbehave", [an_oversized_frame, an_oversized_message])
def test_too_much_at_once_costs_the_relay_its_connection(
    misbehave: Callable[[Client], None],
) -> None:
    move = a_move("e2e4")
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        misbehave(relay.client())
        assert ears.tally.reaches("too-large") == 1
        relay.message("REQ", 2)
        relay.broadcast(json_of(move))
        assert ears.queue.ids(1) == [move.id]
        assert len(relay.clients) == 2


def test_what_a_stranger_had_an_honest_relay_pass_on_costs_it_nothing_however_large() -> None:
    large, move = a_move("x" * MAX_FRAME_BYTES), a_move("e2e4")
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        for event in (large, move):
            relay.client().send("EVENT", SUBSCRIPTION, json_of(event))
        assert ears.queue.ids(1) == [move.id]
        assert ears.tally.reaches("malformed") == 1
        assert len(relay.clients) == 1


def test_junk_is_counted_and_the_next_event_is_heard() -> None:
    move = a_move("e2e4")
    truncated = json.dumps(["EVENT", SUBSCRIPTION, json_of(move)])[:-40]
    junk = [
        "", "{", "null", "[]", "[1]", '["BOO"]', '["EVENT"]', '["EVENT","arbiter"]',
        '["EVENT","arbiter",{}]', '["OK",1]', "[" * 5000, '"\ud83d"', "\x00", truncated,
    ]  # fmt: skip
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        for text in junk:
            relay.client().send_frame(TEXT, text.encode("utf-8", "surrogatepass"))
        relay.client().send_frame(TEXT, b"\xff\xfe\x00")
        relay.client().send("EVENT", "another", json_of(move))
        relay.client().send("EOSE", "another")
        relay.broadcast(json_of(move))
        assert ears.queue.ids(1) == [move.id]
        assert ears.tally.counts()["malformed"] == len(junk) + 1
        assert ears.tally.counts()["foreign-subscription"] == 2


def test_a_relay_that_goes_on_forging_is_left() -> None:
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        for number in range(80):
            relay.client().deliver(forged(a_seek(content=str(number))))
        assert ears.tally.reaches("hostile") == 1
        successor, _ = relay.sender_and_message("REQ", 2)
        assert successor is relay.client(2)
        assert ears.tally.counts()["passed-on"] == 0


def test_events_that_were_not_asked_for_are_dropped() -> None:
    old = BOB.sign(EventTemplate(20300, (("p", SERVER.pubkey),), "", 1))
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        relay.client().deliver(json_of(old))
        relay.client().deliver({**json_of(a_seek()), "kind": 1})
        relay.client().deliver({**json_of(a_seek()), "tags": []})
        for drop in ("not-asked-for", "not-listened-kind", "not-for-us"):
            assert ears.tally.reaches(drop) == 1
        assert ears.tally.counts()["passed-on"] == 0


def test_a_relay_that_was_away_is_subscribed_again_and_replays() -> None:
    missed = a_move("e2e4")
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        relay.remembered.append(json_of(missed))
        relay.client().drop()
        assert ears.queue.ids(1) == [missed.id]
        relay.client(2).drop()
        ears.tally.reaches("repeated")


def test_a_relay_that_is_not_there_yet_is_found_when_it_comes() -> None:
    moves = [a_move("e2e4"), a_move("d2d4")]
    with FakeRelay() as absent:
        port = absent.port
    with FakeRelay() as present, listening(present, absent) as ears:
        assert ears.tally.reaches("unreachable", 2) >= 2
        present.message("REQ")
        present.broadcast(json_of(moves[0]))
        assert ears.queue.ids(1) == [moves[0].id]
        with FakeRelay(port=port) as back:
            back.message("REQ")
            back.broadcast(json_of(moves[1]))
            assert ears.queue.ids(2) == [move.id for move in moves]


HASTY = LoopbackPacing(
    silence=Backoff(first_seconds=0.02, longest_seconds=0.02),
    after_loss=AT_ONCE,
    back_within_seconds=0.3,
)


def test_a_relay_that_takes_all_and_brings_nothing_is_dialled_again() -> None:
    def swallow(client: Client, message: Message) -> None:
        client.send("OK", message[1]["id"], True, "")

    with FakeRelay() as relay, listening(relay, pacing=Pacing(probe=HASTY)) as ears:
        ears.tally.reaches("canary-seen")
        relay.on_event = swallow
        assert ears.tally.reaches("canary-lost") == 1
        relay.client(2)
        relay.on_event = relay.answer_event
        relay.message("REQ", 2)
        relay.broadcast(json_of(a_move("e2e4")))
        ears.queue.ids(1)


def test_a_canary_is_heard_by_no_other_listener_and_goes_into_no_queue() -> None:
    with (
        FakeRelay() as relay,
        listening(relay, pacing=Pacing(probe=HASTY)) as one,
        listening(relay, pacing=Pacing(probe=HASTY)) as other,
    ):
        one.tally.reaches("canary-seen", 3)
        other.tally.reaches("canary-seen", 3)
        for ears in (one, other):
            assert ears.queue.taken == []
            assert ears.tally.counts()["not-listened-kind"] == 0
