"""The listener's threads, against relays on loopback. What a connection does with each message is
in test_protocol.py, and what is let through to the queues in test_ingest.py.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from arbiter.adapters.relays.connection import MAX_PASSED_OVER
from arbiter.adapters.relays.listener import Listener
from arbiter.adapters.relays.protocol import SUBSCRIPTION, Pacing
from arbiter.adapters.relays.publisher import RelayPublisher
from arbiter.adapters.relays.sender import SenderLimits
from arbiter.nostr.limits import MAX_FRAME_BYTES
from tests.adapters.relays.stand_ins import (
    OwnThreads,
    SystemTime,
    WatchedQueue,
    a_move,
    a_seek,
    forged,
    json_of,
    received_at_ms,
)
from tests.adapters.relays.watched_listener import (
    AT_ONCE,
    PATIENT,
    PROBING,
    WatchedListener,
    listening,
)
from tests.builders import BOB, SERVER
from tests.fakes.relay import PATIENCE_SECONDS, TEXT, Client, FakeRelay, Message

FEW = SenderLimits(max_entries=3, retry=AT_ONCE)


@contextmanager
def subscribed(
    relay: FakeRelay, pacing: Pacing = PATIENT, sender: SenderLimits | None = None
) -> Iterator[WatchedListener]:
    with relay, listening(relay, pacing=pacing, sender=sender) as watched:
        relay.message("REQ")
        yield watched


def test_events_of_three_relays_reach_their_queues_once() -> None:
    move, seek = a_move("e2e4"), a_seek(by=BOB)
    with (
        FakeRelay() as one,
        FakeRelay() as two,
        FakeRelay() as three,
        listening(one, two, three, one) as watched,
    ):
        before_ms = SystemTime().now_ms()
        for relay in (one, two, three):
            relay.message("REQ")
            relay.broadcast(json_of(move))
        one.broadcast(json_of(seek))
        watched.counters.reaches("repeated", 2)
        entries = watched.queue.entries(2)
        assert {entry.dedup_id: entry.queue for entry in entries} == {
            move.id: "moves",
            seek.id: "seeks",
        }
        for entry in entries:
            assert before_ms <= received_at_ms(entry) <= SystemTime().now_ms()
        assert len(one.clients) == 1, "a relay that is named twice"


def test_what_a_relay_stored_while_the_connection_was_lost_is_received() -> None:
    missed = a_move("e2e4")
    with subscribed(relay := FakeRelay()) as watched:
        relay.remembered.append(json_of(missed))
        relay.client().drop()
        assert watched.queue.ids(1) == [missed.id]
        relay.client(2).drop()
        watched.counters.reaches("repeated")


def test_a_relay_that_is_not_there_yet_is_found_when_it_comes() -> None:
    moves = [a_move("e2e4"), a_move("d2d4")]
    with FakeRelay() as absent:
        port = absent.port
    with FakeRelay() as present, listening(present, absent) as watched:
        assert watched.counters.reaches("unreachable", 2) >= 2
        present.message("REQ")
        present.broadcast(json_of(moves[0]))
        assert watched.queue.ids(1) == [moves[0].id]
        with FakeRelay(port=port) as back:
            back.message("REQ")
            back.broadcast(json_of(moves[1]))
            assert watched.queue.ids(2) == [move.id for move in moves]


def test_two_listeners_authenticate_with_different_keys_and_not_the_servers() -> None:
    with (
        FakeRelay(on_connect=lambda client: client.send("AUTH", "who?")) as relay,
        listening(relay),
        listening(relay),
    ):
        keys = {relay.message("AUTH", number)[1]["pubkey"] for number in (1, 2)}
        assert len(keys - {SERVER.pubkey}) == 2


def test_a_half_open_socket_is_noticed_by_its_silence() -> None:
    missed = a_move("e2e4")

    def fall_silent(client: Client, message: Message) -> None:
        relay.answer_req(client, message)
        client.go_deaf()

    # Short, because the test waits for it; long enough for the relay when it answers again.
    pacing = Pacing(ping_after_seconds=0.02, pong_within_seconds=0.3)
    with subscribed(relay := FakeRelay(on_req=fall_silent), pacing) as watched:
        assert watched.counters.reaches("silent") >= 1
        relay.remembered.append(json_of(missed))
        relay.on_req = relay.answer_req
        assert watched.queue.ids(1) == [missed.id]


def an_oversized_frame(client: Client) -> None:
    client.send_text("x" * (MAX_PASSED_OVER + 1))


def forgeries(client: Client) -> None:
    for number in range(80):
        client.deliver(forged(a_seek(content=str(number))))


@pytest.mark.parametrize(
    ("misbehave", "failure"), [(an_oversized_frame, "too-large"), (forgeries, "hostile")]
)
def test_a_relay_that_misbehaves_is_left_and_dialled_again(
    misbehave: Callable[[Client], None], failure: str
) -> None:
    move = a_move("e2e4")
    with subscribed(relay := FakeRelay()) as watched:
        misbehave(relay.client())
        assert watched.counters.reaches(failure) == 1
        relay.message("REQ", 2)
        relay.broadcast(json_of(move))
        assert watched.queue.ids(1) == [move.id]
        assert len(relay.clients) == 2


def test_events_too_large_and_junk_do_not_cost_an_honest_relay_its_connection() -> None:
    large, move = a_move("x" * MAX_FRAME_BYTES), a_move("e2e4")
    with subscribed(relay := FakeRelay()) as watched:
        relay.client().send("EVENT", SUBSCRIPTION, json_of(large))
        for text in (b"{", b'["OK",1]', b"[" * 5000, b"\xff\xfe\x00"):
            relay.client().send_frame(TEXT, text)
        relay.client().send("EVENT", SUBSCRIPTION, json_of(move))
        assert watched.queue.ids(1) == [move.id]
        assert watched.counters.reaches("malformed") == 5
        assert len(relay.clients) == 1


def test_a_relay_that_accepts_events_and_delivers_none_is_dialled_again() -> None:
    def swallow(client: Client, message: Message) -> None:
        client.send("OK", message[1]["id"], True, "")

    with FakeRelay() as relay, listening(relay, pacing=PROBING) as watched:
        watched.counters.reaches("probe-seen")
        relay.on_event = swallow
        assert watched.counters.reaches("probe-lost") == 1
        relay.client(2)
        relay.on_event = relay.answer_event
        relay.message("REQ", 2)
        relay.broadcast(json_of(a_move("e2e4")))
        watched.queue.ids(1)


def test_a_probe_reaches_no_other_listener_and_no_queue() -> None:
    with (
        FakeRelay() as relay,
        listening(relay, pacing=PROBING) as one,
        listening(relay, pacing=PROBING) as other,
    ):
        for watched in (one, other):
            watched.counters.reaches("probe-seen", 3)
            assert watched.queue.taken == []
            assert watched.counters.counts()["not-listened-kind"] == 0


def test_while_the_queue_is_away_nothing_is_lost_and_relays_wait() -> None:
    moves = [a_move(f"move {number}") for number in range(40)]
    with subscribed(relay := FakeRelay(), sender=FEW) as watched:
        watched.queue.refuse = lambda _: True
        for move in moves:
            relay.broadcast(json_of(move))
        watched.counters.reaches("send-failed", 3)
        # Three wait, the fourth holds up its relay, the others are still in the socket.
        assert watched.counters.counts()["passed-on"] <= 3
        watched.queue.refuse = lambda _: False
        assert watched.queue.ids(40) == [move.id for move in moves]


def test_closing_sends_what_waits_and_ends_its_threads() -> None:
    threads = OwnThreads()
    with subscribed(relay := FakeRelay()) as watched:
        watched.queue.is_open.clear()
        for uci in ("e2e4", "d2d4"):
            relay.broadcast(json_of(a_move(uci)))
        watched.counters.reaches("passed-on", 2)
        opening = threading.Timer(0.2, watched.queue.is_open.set)
        opening.start()
        watched.listener.close()
        assert watched.counters.counts()["sent"] == 2
        opening.join()
        assert threads.lasting() == []


def test_closing_wakes_a_relay_that_waits_for_room() -> None:
    with subscribed(relay := FakeRelay(), sender=SenderLimits(max_entries=1)) as watched:
        watched.queue.is_open.clear()
        for number in range(3):
            relay.broadcast(json_of(a_move(str(number))))
        watched.queue.tried(1)
        closing = threading.Thread(target=watched.listener.close)
        closing.start()
        watched.counters.reaches("queue-full")
        watched.queue.is_open.set()
        closing.join(PATIENCE_SECONDS)
        assert not closing.is_alive()


@pytest.mark.parametrize(
    ("seconds", "is_stopped"),
    [(3600.0, "before"), (3600.0, "while running"), (0.05, ""), (0.0, ""), (-5.0, "")],
)
def test_running_ends_when_it_is_stopped_or_its_time_is_over(
    seconds: float, is_stopped: str
) -> None:
    with FakeRelay() as relay:
        threads = OwnThreads()
        watched = WatchedListener([relay], PATIENT, SenderLimits())
        if is_stopped == "before":
            watched.listener.stop()
        running = threading.Thread(target=watched.listener.run, args=(seconds,), daemon=True)
        running.start()
        if is_stopped == "while running":
            relay.message("REQ")
            watched.listener.stop()
        running.join(PATIENCE_SECONDS)
        assert not running.is_alive()
        assert threads.lasting() == []


def test_the_log_has_counts_and_nothing_that_a_relay_wrote(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with subscribed(relay := FakeRelay()) as watched:
        relay.client().send("NOTICE", "sesame")
        relay.client().send_text("sesame")
        relay.client().deliver({**json_of(a_seek()), "content": "sesame"})
        watched.counters.reaches("forged")
        relay.client().send_text("sesame" * MAX_PASSED_OVER)
        watched.counters.reaches("too-large")
        watched.listener.close()
    assert "sesame" not in caplog.text
    (_, heartbeat) = (record.msg for record in caplog.records[-2:])
    assert isinstance(heartbeat, dict)
    assert (heartbeat["status"], heartbeat["waiting"], heartbeat["relays"]) == ("heartbeat", 0, 0)
    assert (heartbeat["counts"]["notice"], heartbeat["counts"]["malformed"]) == (1, 1)
    assert json.dumps(heartbeat)


def test_another_url_than_a_relays_is_refused_at_once() -> None:
    relays, queue = ["http://relay.example/"], WatchedQueue()
    with pytest.raises(ValueError, match="relay URL"):
        Listener(relays=relays, server_pubkey="", event_queue=queue, clock=SystemTime())
    with pytest.raises(ValueError, match="relay URL"):
        RelayPublisher(relays)
