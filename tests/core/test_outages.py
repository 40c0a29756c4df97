"""For how long a clock stands still (reliability F36)."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.clocks import (
    LONGEST_MS,
    OUTAGES_KEPT,
    RETURN_MS,
    SILENCE_MS,
    Outage,
    RelayUptime,
)

_MINUTE_MS = 60_000
_TIMES = st.integers(0, 20 * _MINUTE_MS)


def _noted(*minutes: float) -> RelayUptime:
    """Noted every five seconds, from each even moment to the next odd one."""
    hearing = RelayUptime(round(minutes[0] * _MINUTE_MS))
    for begins, ends in zip(minutes[::2], minutes[1::2], strict=True):
        for at_ms in range(round(begins * _MINUTE_MS), round(ends * _MINUTE_MS) + 1, 5000):
            hearing = hearing.heard(at_ms)
    return hearing


def test_who_notes_all_the_time_has_no_outage() -> None:
    assert _noted(0, 9).outages == ()
    assert _noted(0, 9).paused_ms(0, 9 * _MINUTE_MS) == 0


def test_a_silence_is_an_outage_once_it_is_longer_than_listeners_may_be_late() -> None:
    assert RelayUptime(0).heard(SILENCE_MS).outages == ()
    assert RelayUptime(0).heard(SILENCE_MS + 1).outages == (Outage(0, SILENCE_MS + 1),)
    assert RelayUptime(0).paused_ms(0, SILENCE_MS) == 0
    assert RelayUptime(0).paused_ms(0, SILENCE_MS + 1) == SILENCE_MS + 1


def test_what_is_noted_late_or_twice_changes_nothing() -> None:
    hearing = _noted(0, 1, 3, 4)
    assert hearing.heard(2 * _MINUTE_MS) is hearing
    assert hearing.heard(4 * _MINUTE_MS) is hearing


def test_an_outage_while_one_thinks_is_given_back_with_the_time_to_come_back() -> None:
    hearing = _noted(0, 2, 5, 9)
    whole_ms = 3 * _MINUTE_MS + RETURN_MS
    assert hearing.paused_ms(_MINUTE_MS, 9 * _MINUTE_MS) == whole_ms
    assert hearing.paused_ms(4 * _MINUTE_MS, 9 * _MINUTE_MS) == _MINUTE_MS + RETURN_MS
    assert hearing.paused_ms(6 * _MINUTE_MS, 9 * _MINUTE_MS) == 0
    assert hearing.paused_ms(0, 3 * _MINUTE_MS) == _MINUTE_MS


def test_an_outage_that_goes_on_counts_as_long_as_it_does() -> None:
    hearing = _noted(0, 2)
    assert hearing.paused_ms(_MINUTE_MS, 7 * _MINUTE_MS) == 5 * _MINUTE_MS


def test_a_silence_that_turned_out_to_be_an_outage_counts_from_its_beginning() -> None:
    """A timer that came after eight seconds of silence, and was looked at after thirty."""
    hearing = _noted(0, 2)
    heard_ms = 2 * _MINUTE_MS
    assert hearing.paused_ms(_MINUTE_MS, heard_ms + 8000, heard_ms + 8000) == 0
    assert hearing.paused_ms(_MINUTE_MS, heard_ms + 8000, heard_ms + 30_000) == 8000
    assert hearing.paused_ms(_MINUTE_MS, heard_ms - 5000, heard_ms + 30_000) == 0


def test_of_one_outage_no_more_than_a_day_is_given_back() -> None:
    over = RelayUptime(0).heard(3 * LONGEST_MS).heard(3 * LONGEST_MS + 5000)
    assert over.paused_ms(0, 3 * LONGEST_MS + 5000) == LONGEST_MS + RETURN_MS
    assert RelayUptime(0).paused_ms(0, 3 * LONGEST_MS) == LONGEST_MS + RETURN_MS


def test_only_the_latest_outages_are_kept() -> None:
    hearing = RelayUptime(0)
    for minute in range(2 * OUTAGES_KEPT):
        hearing = hearing.heard(minute * _MINUTE_MS)
    assert len(hearing.outages) == OUTAGES_KEPT
    assert hearing.outages[-1].until_ms == (2 * OUTAGES_KEPT - 1) * _MINUTE_MS


@given(st.lists(_TIMES, max_size=12), st.lists(_TIMES, min_size=3, max_size=3))
def test_no_moment_is_given_back_twice(noted: list[int], moments: list[int]) -> None:
    hearing = RelayUptime(0)
    for at_ms in sorted(noted):
        hearing = hearing.heard(at_ms)
    since_ms, between_ms, until_ms = sorted(moments)
    whole = hearing.paused_ms(since_ms, until_ms)
    assert 0 <= whole <= until_ms - since_ms
    assert hearing.paused_ms(between_ms, until_ms) <= whole
    assert [(a, b) for a, b in pairwise(hearing.outages) if a.until_ms > b.from_ms] == []
