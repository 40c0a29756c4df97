"""How a listener meets a queue that is away, and how it ends."""

import logging
import threading

import pytest

from arbiter.adapters.relays.listener import Listener
from arbiter.adapters.relays.sender import SenderLimits
from tests.adapters.relays.ears import AT_ONCE, PATIENT, Ears, listening
from tests.adapters.relays.watching import (
    OwnThreads,
    SystemTime,
    WatchedQueue,
    a_move,
    a_seek,
    json_of,
)
from tests.builders import SERVER
from tests.fakes.relay import PATIENCE_SECONDS, TEXT, FakeRelay


def has_ended(running: threading.Thread) -> bool:
    """Whether it ends by itself."""
    running.join(PATIENCE_SECONDS)
    return not running.is_alive()


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
    threads = OwnThreads()
    with FakeRelay() as relay, listening(relay) as ears:
        ears.queue.is_open.clear()
        relay.message("REQ")
        relay.broadcast(json_of(move))
        relay.broadcast(json_of(a_move("d2d4")))
        ears.tally.reaches("passed-on", 2)
        opening = threading.Timer(0.2, ears.queue.is_open.set)
        opening.start()
        ears.listener.close()
        assert ears.tally.counts()["sent"] == 2
        opening.join()
        assert threads.lasting() == []


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
        assert has_ended(running)


def test_running_ends_by_itself_when_its_time_is_over() -> None:
    with FakeRelay() as relay:
        threads = OwnThreads()
        ears = Ears([relay], PATIENT, SenderLimits())
        running = threading.Thread(target=ears.listener.run, args=(0.05,), daemon=True)
        running.start()
        assert has_ended(running)
        assert threads.lasting() == []


@pytest.mark.parametrize("seconds", [0.0, -5.0])
def test_no_time_to_listen_is_no_error(seconds: float) -> None:
    with FakeRelay() as relay:
        threads = OwnThreads()
        ears = Ears([relay], PATIENT, SenderLimits())
        running = threading.Thread(target=ears.listener.run, args=(seconds,), daemon=True)
        running.start()
        assert has_ended(running)
        assert threads.lasting() == []


def test_stopping_before_the_start_ends_it_at_once() -> None:
    with FakeRelay() as relay:
        ears = Ears([relay], PATIENT, SenderLimits())
        ears.listener.stop()
        threads = OwnThreads()
        running = threading.Thread(target=ears.listener.run, daemon=True)
        running.start()
        assert has_ended(running)
        assert threads.lasting() == []


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
    (_, heartbeat) = (record.msg for record in caplog.records[-2:])
    assert isinstance(heartbeat, dict)
    assert (heartbeat["status"], heartbeat["waiting"], heartbeat["relays"]) == ("heartbeat", 0, 0)
    assert heartbeat["counts"]["notice"] == 1
    assert heartbeat["counts"]["malformed"] == 2


@pytest.mark.parametrize("url", ["http://relay.example/", "relay.example", ""])
def test_a_relay_url_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="relay URL"):
        Listener(
            relays=[url],
            server_pubkey=SERVER.pubkey,
            event_queue=WatchedQueue(),
            clock=SystemTime(),
        )
