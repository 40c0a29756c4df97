import json
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.conversation import REPLAY_SECONDS, SUBSCRIPTION, Pacing
from arbiter.adapters.relays.listener import Listener, ListenerLimits
from arbiter.adapters.relays.sender import SenderLimits
from arbiter.adapters.relays.session import SessionLimits
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_from_json, verify
from arbiter.nostr.limits import MAX_FRAME_BYTES
from tests.adapters.relays.watching import (
    SystemTime,
    WatchedQueue,
    WatchedTally,
    a_move,
    a_seek,
    forged,
    json_of,
    received_at_ms,
)
from tests.builders import BOB, SERVER
from tests.fakes.relay import CONTINUED, PATIENCE_SECONDS, TEXT, Client, FakeRelay, Message

AT_ONCE = Backoff(first_seconds=0.001, longest_seconds=0.001)
PATIENT = Pacing(resubscribe=AT_ONCE)


class Ears:
    """A listener, with what a test wants to know of it."""

    def __init__(self, relays: Sequence[FakeRelay], pacing: Pacing, sender: SenderLimits) -> None:
        self.queue = WatchedQueue()
        self.tally = WatchedTally()
        self.listener = Listener(
            relays=[relay.url for relay in relays],
            server_pubkey=SERVER.pubkey,
            event_queue=self.queue,
            clock=SystemTime(),
            chance=lambda: 0.5,
            tally=self.tally,
            limits=ListenerLimits(
                pacing=pacing,
                session=SessionLimits(reconnect=AT_ONCE),
                sender=sender,
                flush_seconds=PATIENCE_SECONDS,
            ),
        )


@contextmanager
def listening(
    *relays: FakeRelay, pacing: Pacing = PATIENT, sender: SenderLimits | None = None
) -> Iterator[Ears]:
    ears = Ears(relays, pacing, sender or SenderLimits())
    ears.listener.start()
    try:
        yield ears
    finally:
        ears.queue.is_open.set()
        ears.listener.close()


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


def test_it_asks_for_no_more_than_relays_keep() -> None:
    with FakeRelay() as relay, listening(relay):
        _, _, wanted = relay.message("REQ")
        assert wanted["#p"] == [SERVER.pubkey]
        assert wanted["kinds"] == [20300, 20303]
        age = SystemTime().now_ms() // 1000 - wanted["since"]
        assert REPLAY_SECONDS <= age <= REPLAY_SECONDS + PATIENCE_SECONDS


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
        ears.tally.reaches("silent")
        relay.client(2)


def test_a_half_open_socket_is_noticed_by_its_silence() -> None:
    def fall_silent(client: Client, message: Message) -> None:
        relay.answer_req(client, message)
        client.go_deaf()

    relay = FakeRelay(on_req=fall_silent)
    pacing = Pacing(ping_after_seconds=0.02, pong_within_seconds=0.05)
    with relay, listening(relay, pacing=pacing) as ears:
        ears.tally.reaches("silent")
        relay.on_req = relay.answer_req
        relay.message("REQ", 2)


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
        assert relay.count("ping") > 0
        relay.client(2)


def test_a_quiet_relay_that_answers_pings_is_kept() -> None:
    pacing = Pacing(ping_after_seconds=0.01, pong_within_seconds=PATIENCE_SECONDS)
    with FakeRelay() as relay, listening(relay, pacing=pacing):
        relay.message("ping", 5)
        assert len(relay.clients) == 1


def an_oversized_frame(client: Client) -> None:
    client.send_header(TEXT, MAX_FRAME_BYTES + 1)


def an_oversized_message(client: Client) -> None:
    client.send_frame(TEXT, b"x" * MAX_FRAME_BYTES, fin=False)
    client.send_header(CONTINUED, 1)


@pytest.mark.parametrize("misbehave", [an_oversized_frame, an_oversized_message])
def test_too_much_at_once_costs_the_relay_its_connection(
    misbehave: Callable[[Client], None],
) -> None:
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        misbehave(relay.client())
        ears.tally.reaches("too-large")
        relay.message("REQ", 2)
        relay.broadcast(json_of(a_move("e2e4")))
        ears.queue.ids(1)


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
        ears.tally.reaches("hostile")
        relay.client(2)


def test_events_that_were_not_asked_for_are_dropped() -> None:
    old = BOB.sign(EventTemplate(20300, (("p", SERVER.pubkey),), "", 1))
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        relay.client().deliver(json_of(old))
        relay.client().deliver({**json_of(a_seek()), "kind": 1})
        relay.client().deliver({**json_of(a_seek()), "tags": []})
        for drop in ("not-asked-for", "not-listened-kind", "not-for-us"):
            ears.tally.reaches(drop)


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
    with FakeRelay() as absent:
        port = absent.port
    with FakeRelay() as present, listening(present, absent) as ears:
        ears.tally.reaches("unreachable", 2)
        present.message("REQ")
        present.broadcast(json_of(a_move("e2e4")))
        ears.queue.ids(1)
        with FakeRelay(port=port) as back:
            back.message("REQ")


def test_while_the_queue_is_away_nothing_is_lost_and_relays_wait() -> None:
    moves = [a_move(f"move {number}") for number in range(40)]
    sender = SenderLimits(max_entries=5, retry=AT_ONCE)
    with FakeRelay() as relay, listening(relay, sender=sender) as ears:
        ears.queue.refuse = lambda _: True
        relay.message("REQ")
        for move in moves:
            relay.broadcast(json_of(move))
        ears.tally.reaches("send-failed", 5)
        # Five are waiting, the sixth holds up its relay, the others are still in the socket.
        assert ears.tally.counts()["passed-on"] <= 5
        ears.queue.refuse = lambda _: False
        assert ears.queue.ids(40) == [move.id for move in moves]


def test_a_flood_of_requests_to_play_does_not_stand_in_front_of_a_move() -> None:
    sender = SenderLimits(max_entries=3, retry=AT_ONCE)
    with FakeRelay() as relay, listening(relay, sender=sender) as ears:
        ears.queue.refuse = lambda entry: entry.queue == "seeks"
        relay.message("REQ")
        for number in range(20):
            relay.broadcast(json_of(a_seek(content=str(number))))
        ears.tally.reaches("queue-full")
        move = a_move("e2e4")
        relay.broadcast(json_of(move))
        assert ears.queue.ids(1) == [move.id]
        ears.queue.refuse = lambda _: False


def test_closing_flushes_what_waits_and_hangs_up() -> None:
    move = a_move("e2e4")
    with FakeRelay() as relay, listening(relay) as ears:
        ears.queue.is_open.clear()
        relay.message("REQ")
        relay.broadcast(json_of(move))
        relay.broadcast(json_of(a_move("d2d4")))
        ears.tally.reaches("passed-on", 2)
        closing = threading.Thread(target=ears.listener.close)
        closing.start()
        ears.queue.is_open.set()
        closing.join(PATIENCE_SECONDS)
        assert not closing.is_alive()
        assert ears.tally.counts()["sent"] == 2
        assert not [thread for thread in threading.enumerate() if thread.name == "relay"]


def test_closing_wakes_a_relay_that_waits_for_room() -> None:
    sender = SenderLimits(max_entries=1, retry=AT_ONCE)
    with FakeRelay() as relay, listening(relay, sender=sender) as ears:
        ears.queue.is_open.clear()
        relay.message("REQ")
        for number in range(3):
            relay.broadcast(json_of(a_move(str(number))))
        ears.queue.tried(1)
        closing = threading.Thread(target=ears.listener.close)
        closing.start()
        ears.tally.reaches("queue-full")
        ears.queue.is_open.set()
        closing.join(PATIENCE_SECONDS)
        assert not closing.is_alive()


def test_running_ends_when_it_is_stopped_from_anywhere() -> None:
    with FakeRelay() as relay:
        ears = Ears([relay], PATIENT, SenderLimits())
        running = threading.Thread(target=ears.listener.run)
        running.start()
        relay.message("REQ")
        ears.listener.stop()
        running.join(PATIENCE_SECONDS)
        assert not running.is_alive()


def test_running_ends_by_itself_when_its_time_is_over() -> None:
    with FakeRelay() as relay:
        Ears([relay], PATIENT, SenderLimits()).listener.run(0.05)


@pytest.mark.parametrize("seconds", [0.0, -5.0])
def test_no_time_to_listen_is_no_error(seconds: float) -> None:
    with FakeRelay() as relay:
        Ears([relay], PATIENT, SenderLimits()).listener.run(seconds)


def test_stopping_before_the_start_ends_it_at_once() -> None:
    with FakeRelay() as relay:
        ears = Ears([relay], PATIENT, SenderLimits())
        ears.listener.stop()
        ears.listener.run()


def test_the_heartbeat_tells_counts_and_nothing_a_stranger_wrote(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeRelay() as relay, listening(relay) as ears:
        relay.message("REQ")
        relay.client().send("NOTICE", "sesame")
        relay.client().send_text("sesame")
        relay.client().send("sesame")
        relay.client().deliver({**json_of(a_seek()), "content": "sesame"})
        ears.tally.reaches("forged")
        relay.client().send_header(TEXT, 2**40)
        ears.tally.reaches("too-large")
        ears.listener.close()
    assert "sesame" not in caplog.text
    heartbeat = caplog.messages[-1]
    assert heartbeat.startswith("listener: waiting=0 ")
    assert "notice=1" in heartbeat
    assert "malformed=2" in heartbeat


@pytest.mark.parametrize("url", ["http://relay.example/", "relay.example", ""])
def test_a_relay_url_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="relay URL"):
        Listener(
            relays=[url],
            server_pubkey=SERVER.pubkey,
            event_queue=WatchedQueue(),
            clock=SystemTime(),
        )
