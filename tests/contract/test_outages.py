"""What every implementation of the port on outages does."""

from arbiter.application.ports import Outages
from arbiter.core.clocks import SILENCE_MS, Outage, RelayUptime
from tests.builders import NOW_MS
from tests.contract.race import race

LATER_MS = NOW_MS + SILENCE_MS + 1


def test_what_is_noted_in_time_is_the_last_time_that_a_relay_was_connected(
    outages: Outages,
) -> None:
    assert outages.uptime() is None
    for at_ms in (NOW_MS, NOW_MS + 5000, NOW_MS + 5000 + SILENCE_MS):
        outages.note(at_ms)

    assert outages.uptime() == RelayUptime(NOW_MS + 5000 + SILENCE_MS)


def test_a_note_after_a_silence_is_the_end_of_an_outage(outages: Outages) -> None:
    outages.note(NOW_MS)
    outages.note(LATER_MS)
    outages.note(LATER_MS + 1000)
    outages.note(LATER_MS + 60_000)

    kept = (Outage(NOW_MS, LATER_MS), Outage(LATER_MS + 1000, LATER_MS + 60_000))
    assert outages.uptime() == RelayUptime(LATER_MS + 60_000, kept)


def test_listeners_whose_clocks_differ_find_no_silence_between_them(outages: Outages) -> None:
    fast_ms = SILENCE_MS + 1
    outages.note(NOW_MS + fast_ms)

    for at_ms in range(NOW_MS, NOW_MS + 60_000, 5000):
        outages.note(at_ms)
        outages.note(at_ms + fast_ms)

    assert outages.uptime() == RelayUptime(at_ms + fast_ms)


def test_of_listeners_that_come_back_together_one_notes_the_outage(outages: Outages) -> None:
    outages.note(NOW_MS)
    race(*[lambda: outages.note(LATER_MS)] * 8)

    assert outages.uptime() == RelayUptime(LATER_MS, (Outage(NOW_MS, LATER_MS),))
