"""A listener's notes of the relays, and their times."""

import queue
import threading
from collections.abc import Callable, Sequence

import pytest

from arbiter.adapters.relays import heartbeat
from arbiter.adapters.relays.heartbeat import Heartbeat
from arbiter.adapters.relays.listener import Listener
from arbiter.core.outages import ACTIVE_MS, FOR_GOOD_MS, IDLE_REPORT_MS, RelayUptime
from tests.adapters.relays.stand_ins import SystemTime, a_move, forged, json_of
from tests.adapters.relays.watched_listener import PROBING, listening
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.fakes.queue import FakeEventQueue
from tests.fakes.relay import PATIENCE_SECONDS, FakeRelay


class Notes:
    """The times that are noted, and until when often; noting fails ``failures`` times first."""

    def __init__(self, failures: int = 0, uptime: RelayUptime | None = None) -> None:
        self.at: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.active_until_ms: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._failures = failures
        self._uptime = uptime

    def uptime(self) -> RelayUptime | None:
        return self._uptime

    def report_connected(self, now_ms: int, active_until_ms: int = FOR_GOOD_MS) -> None:
        if self._failures:
            self._failures -= 1
            raise ConnectionError
        self.at.put(now_ms)
        self.active_until_ms.put(active_until_ms)

    def next(self) -> int:
        return self.at.get(timeout=PATIENCE_SECONDS)


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> Notes:
    for pause in ("NOTE_SECONDS", "LOOK_SECONDS"):
        monkeypatch.setattr(heartbeat, pause, 0.001)
    return Notes(failures=3)


def test_times_are_noted_while_a_relay_is_connected_though_the_table_fails_at_first(
    notes: Notes,
) -> None:
    before_ms = SystemTime().now_ms()
    with FakeRelay() as relay, listening(relay, outages=notes):
        assert before_ms <= notes.next() <= notes.next() <= SystemTime().now_ms()


def test_no_time_is_noted_without_a_connected_relay(notes: Notes) -> None:
    looked: queue.SimpleQueue[None] = queue.SimpleQueue()
    connected = [False]

    def is_connected() -> bool:
        looked.put(None)
        return connected[0]

    one = Heartbeat(notes, is_connected, lambda: 0, SystemTime(), notes.uptime)
    one.start()
    for _ in range(5):
        looked.get(timeout=PATIENCE_SECONDS)
    assert notes.at.empty()
    connected[0] = True
    notes.next()
    one.stop()


def test_no_time_is_noted_while_the_only_relay_loses_probes(notes: Notes) -> None:
    with FakeRelay() as relay, listening(relay, outages=notes, pacing=PROBING) as watched:
        watched.counters.reaches("probe-seen")
        relay.on_event = lambda *_: None
        watched.counters.reaches("probe-lost")
        lost_ms = SystemTime().now_ms()
        watched.counters.reaches("probe-lost", 3)
        noted = [notes.next() for _ in range(notes.at.qsize())]
        # One may have been under way when the probe was lost.
        assert sum(at_ms > lost_ms for at_ms in noted) <= 1
        relay.on_event = relay.answer_event
        assert notes.next() > lost_ms


def noted_seconds(stored: RelayUptime | None, events: Callable[[int], int]) -> Sequence[int]:
    """The seconds of its first ten minutes at which a listener notes the time, with a look every
    five seconds. ``events`` returns the number of events by a second.
    """
    clock, notes, is_over = FakeClock(NOW_MS), Notes(uptime=stored), threading.Event()
    passed = [-5]

    def is_connected() -> bool:
        passed[0] += 5
        clock.ms = NOW_MS + 1000 * passed[0]
        if passed[0] >= 600:
            one.stop()
            is_over.set()
        return passed[0] < 600

    one = Heartbeat(notes, is_connected, lambda: events(passed[0]), clock, notes.uptime)
    one.start()
    assert is_over.wait(PATIENCE_SECONDS)
    return [(notes.next() - NOW_MS) // 1000 for _ in range(notes.at.qsize())]


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize(
    "stored",
    [
        pytest.param(None, id="nothing was noted yet"),
        pytest.param(RelayUptime(NOW_MS - 5000), id="by an earlier release"),
        pytest.param(
            RelayUptime(NOW_MS - 5000, active_until_ms=NOW_MS + ACTIVE_MS), id="an event just came"
        ),
    ],
)
def test_the_time_is_noted_every_five_seconds_for_hours_after_an_event(
    stored: RelayUptime | None,
) -> None:
    assert noted_seconds(stored, lambda _: 0) == [*range(0, 600, 5)]


@pytest.mark.usefixtures("notes")
def test_the_time_is_noted_every_minute_when_no_event_came_for_hours() -> None:
    quiet = RelayUptime(NOW_MS - 5000, active_until_ms=NOW_MS - 5000)

    assert noted_seconds(quiet, lambda _: 0) == [*range(0, 600, IDLE_REPORT_MS // 1000)]


@pytest.mark.usefixtures("notes")
def test_an_event_has_the_time_noted_often_again_at_once() -> None:
    quiet = RelayUptime(NOW_MS - 5000, active_until_ms=NOW_MS - 5000)

    assert noted_seconds(quiet, lambda second: second >= 335) == [
        *range(0, 335, 60),
        *range(335, 600, 5),
    ]


@pytest.mark.usefixtures("notes")
def test_an_event_of_a_game_makes_a_listener_busy_and_a_forged_one_does_not() -> None:
    now_ms = SystemTime().now_ms()
    quiet = Notes(uptime=RelayUptime(now_ms, active_until_ms=now_ms))
    with FakeRelay() as relay, listening(relay, outages=quiet) as watched:
        relay.message("REQ")
        relay.broadcast(forged(a_move("d2d4")))
        watched.counters.reaches("forged")
        assert quiet.active_until_ms.get(timeout=PATIENCE_SECONDS) == now_ms
        relay.broadcast(json_of(a_move("e2e4")))
        assert quiet.active_until_ms.get(timeout=PATIENCE_SECONDS) >= now_ms + ACTIVE_MS


@pytest.mark.parametrize(("ago_ms", "unheard"), [(3_999, 3), (75_000, 75), (-500, 0)])
def test_a_listener_logs_for_how_long_no_relay_was_heard_before_it(
    ago_ms: int, unheard: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    listener = Listener(
        relays=(),
        server_pubkey="11" * 32,
        event_queue=FakeEventQueue(),
        clock=FakeClock(NOW_MS),
        outages=Notes(uptime=RelayUptime(NOW_MS - ago_ms)),
    )
    listener._catch_up()
    assert {"status": "took-over", "unheard_seconds": unheard} in [
        record.msg for record in caplog.records
    ]
