"""What every implementation of the port on outages does."""

from arbiter.application.ports import Outages
from arbiter.core.clocks import ACTIVE_MS, IDLE_REPORT_MS, OUTAGE_AFTER_MS, Outage, RelayUptime
from tests.builders import NOW_MS
from tests.contract.race import race

LATER_MS = NOW_MS + OUTAGE_AFTER_MS + 1


def test_what_is_noted_in_time_is_when_a_relay_was_last_connected(outages: Outages) -> None:
    assert outages.uptime() is None
    for at_ms in (NOW_MS, NOW_MS + 5000, NOW_MS + 5000 + OUTAGE_AFTER_MS):
        outages.report_connected(at_ms)

    assert outages.uptime() == RelayUptime(NOW_MS + 5000 + OUTAGE_AFTER_MS)


def test_a_note_after_a_silence_is_the_end_of_an_outage(outages: Outages) -> None:
    outages.report_connected(NOW_MS)
    outages.report_connected(LATER_MS)
    outages.report_connected(LATER_MS + 1000)
    outages.report_connected(LATER_MS + 60_000)

    kept = (Outage(NOW_MS, LATER_MS), Outage(LATER_MS + 1000, LATER_MS + 60_000))
    assert outages.uptime() == RelayUptime(LATER_MS + 60_000, kept)


def test_listeners_whose_clocks_differ_find_no_silence_between_them(outages: Outages) -> None:
    fast_ms = OUTAGE_AFTER_MS + 1
    outages.report_connected(NOW_MS + fast_ms)

    for at_ms in range(NOW_MS, NOW_MS + 60_000, 5000):
        outages.report_connected(at_ms)
        outages.report_connected(at_ms + fast_ms)

    assert outages.uptime() == RelayUptime(at_ms + fast_ms)


def test_of_listeners_that_come_back_together_one_notes_the_outage(outages: Outages) -> None:
    outages.report_connected(NOW_MS)
    race(*[lambda: outages.report_connected(LATER_MS)] * 8)

    assert outages.uptime() == RelayUptime(LATER_MS, (Outage(NOW_MS, LATER_MS),))


def test_while_no_event_comes_notes_may_be_a_minute_apart(outages: Outages) -> None:
    times_ms = [NOW_MS, NOW_MS + IDLE_REPORT_MS, NOW_MS + 2 * IDLE_REPORT_MS + OUTAGE_AFTER_MS]
    for at_ms in times_ms:
        outages.report_connected(at_ms, NOW_MS)
    assert outages.uptime() == RelayUptime(times_ms[-1], (), NOW_MS)

    late_ms = times_ms[-1] + IDLE_REPORT_MS + OUTAGE_AFTER_MS + 1
    outages.report_connected(late_ms, NOW_MS)

    assert outages.uptime() == RelayUptime(late_ms, (Outage(times_ms[-1], late_ms),), NOW_MS)


def test_the_first_note_after_an_event_is_in_time_and_the_next_have_to_be(outages: Outages) -> None:
    outages.report_connected(NOW_MS, NOW_MS)
    woken_ms = NOW_MS + IDLE_REPORT_MS
    outages.report_connected(woken_ms, woken_ms + ACTIVE_MS)
    assert outages.uptime() == RelayUptime(woken_ms, (), woken_ms + ACTIVE_MS)

    late_ms = woken_ms + OUTAGE_AFTER_MS + 1
    outages.report_connected(late_ms, woken_ms + ACTIVE_MS)

    outage = Outage(woken_ms, late_ms)
    assert outages.uptime() == RelayUptime(late_ms, (outage,), woken_ms + ACTIVE_MS)


def test_the_listener_that_heard_an_event_has_a_silence_begin_early(outages: Outages) -> None:
    for at_ms in (NOW_MS, NOW_MS + 5000):
        outages.report_connected(at_ms, NOW_MS + ACTIVE_MS)
        outages.report_connected(at_ms + 1, NOW_MS)

    assert outages.uptime() == RelayUptime(NOW_MS + 5001, (), NOW_MS + ACTIVE_MS)


def test_a_first_note_says_how_busy_listeners_are(outages: Outages) -> None:
    outages.report_connected(NOW_MS)
    outages.report_connected(NOW_MS + 5000, NOW_MS + ACTIVE_MS)

    assert outages.uptime() == RelayUptime(NOW_MS + 5000, (), NOW_MS + ACTIVE_MS)
