"""That a listener notes while it hears some relay, and only then."""

import queue

import pytest

from arbiter.adapters.relays import listener
from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.listener import Heartbeat
from arbiter.adapters.relays.loopback_probe import LoopbackPacing
from arbiter.adapters.relays.protocol import Pacing
from arbiter.core.clocks import RelayUptime
from tests.adapters.relays.ears import AT_ONCE, listening
from tests.adapters.relays.watching import SystemTime
from tests.fakes.relay import PATIENCE_SECONDS, FakeRelay

HASTY = Pacing(
    probe=LoopbackPacing(
        silence=Backoff(first_seconds=0.02, longest_seconds=0.02),
        after_loss=AT_ONCE,
        back_within_seconds=0.2,
    )
)


class Notes:
    """What was noted, as it comes; ``failures`` are how often noting fails first."""

    def __init__(self, failures: int = 0) -> None:
        self.at: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._failures = failures

    def uptime(self) -> RelayUptime | None:
        raise AssertionError("a listener reads no notes")

    def note(self, now_ms: int) -> None:
        if self._failures:
            self._failures -= 1
            raise ConnectionError
        self.at.put(now_ms)

    def next(self) -> int:
        return self.at.get(timeout=PATIENCE_SECONDS)


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "NOTE_SECONDS", 0.01)
    monkeypatch.setattr(listener, "_LOOK_SECONDS", 0.01)


def test_a_listener_notes_while_a_relay_is_connected() -> None:
    notes = Notes()
    before_ms = SystemTime().now_ms()
    with FakeRelay() as relay, listening(relay, outages=notes):
        relay.message("REQ")
        assert before_ms <= notes.next() <= notes.next() <= SystemTime().now_ms()


def test_nothing_is_noted_while_no_relay_is_heard_and_again_when_one_is() -> None:
    notes = Notes()
    looked: queue.SimpleQueue[None] = queue.SimpleQueue()
    hears = [False]

    def is_heard() -> bool:
        looked.put(None)
        return hears[0]

    one = Heartbeat(notes, is_heard, SystemTime())
    one.start()
    for _ in range(5):
        looked.get(timeout=PATIENCE_SECONDS)
    assert notes.at.empty()
    hears[0] = True
    notes.next()
    one.stop()


def test_a_table_that_fails_is_tried_again() -> None:
    notes = Notes(failures=3)
    before_ms = SystemTime().now_ms()
    one = Heartbeat(notes, lambda: True, SystemTime())
    one.start()
    assert notes.next() >= before_ms
    one.stop()


def test_nothing_is_noted_while_the_only_relay_is_connected_and_loses_canaries() -> None:
    notes = Notes()
    with FakeRelay() as relay, listening(relay, outages=notes, pacing=HASTY) as ears:
        ears.tally.reaches("canary-seen")
        relay.on_event = lambda *_: None
        ears.tally.reaches("canary-lost")
        lost_ms = SystemTime().now_ms()
        ears.tally.reaches("canary-lost", 3)
        noted = [notes.next() for _ in range(notes.at.qsize())]
        # One may have been under way when the canary was lost.
        assert sum(at_ms > lost_ms for at_ms in noted) <= 1
        relay.on_event = relay.answer_event
        assert notes.next() > lost_ms
