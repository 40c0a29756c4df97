"""Time controls as they are written, and clocks as arithmetic.

And for how long a clock is stopped (reliability F36).
"""

import pytest
from hypothesis import strategies as st

from arbiter.core.clocks import (
    DAY_MS,
    FIRST_MOVE_MS,
    LAG_MS,
    LONGEST_MS,
    OUTAGE_AFTER_MS,
    RETURN_MS,
    Clocks,
    Outage,
    RelayUptime,
    Speed,
    TimeControl,
    read_time,
    start_clocks,
)
from tests.builders import NOW_MS

BLITZ = TimeControl(base_ms=180_000, increment_ms=2000)
DAYS = TimeControl(move_ms=3 * DAY_MS)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("180+2", BLITZ),
        ("60+0", TimeControl(base_ms=60_000)),
        ("60+60", TimeControl(base_ms=60_000, increment_ms=60_000)),
        ("0+1", TimeControl(increment_ms=1000)),
        ("10800+180", TimeControl(base_ms=10_800_000, increment_ms=180_000)),
        *((f"{days}d", TimeControl(move_ms=days * 86_400_000)) for days in (1, 3, 14)),
    ],
)
def test_a_time_control_is_read_as_it_is_written(text: str, control: TimeControl) -> None:
    assert read_time(text) == control
    assert str(control) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "0", "0+0", "10801+0", "60+181", "99999+0", "0d", "15d", "99d", "-1d", "1000d"),
        *("-1+5", "180+-2", "180", "180+", "+2", "1e9+0", "NaN+0", "inf+0", "180.5+2", "0x10+0"),
        *("180+2\n", " 180+2", "180 + 2", "1_80+2", "1/2+1/2", "٣+٢", "3D", "3d ", "3 d"),
        *("unlimited", "180+2" * 1000, "9" * 10_000),
    ],
)
def test_what_is_no_time_control_is_not_read(text: str) -> None:
    assert read_time(text) is None


@pytest.mark.parametrize(
    ("speed", "texts"),
    [
        (Speed.BULLET, "179+0 60+2 139+1"),
        (Speed.BLITZ, "60+3 180+0 479+0"),
        (Speed.RAPID, "480+0 1499+0"),
        (Speed.CLASSICAL, "1500+0 300+30"),
        (Speed.CORRESPONDENCE, "1d"),
    ],
)
def test_a_speed_is_the_base_and_forty_increments(speed: Speed, texts: str) -> None:
    for text in texts.split():
        control = read_time(text)
        assert control is not None
        assert control.speed is speed
        assert control.is_live == (speed is not Speed.CORRESPONDENCE)


def test_no_clock_runs_before_both_have_moved_and_a_first_move_has_thirty_seconds() -> None:
    clocks = start_clocks(BLITZ, NOW_MS)
    deadlines = [clocks.deadline_ms(ply, white=ply != 1) - NOW_MS for ply in range(3)]

    assert deadlines == [30_000, 30_000, 180_000 + LAG_MS]
    assert FIRST_MOVE_MS == 30_000
    for ply in range(2):
        clocks = clocks.after_move(ply, NOW_MS + 20_000, NOW_MS + 20_100, white=ply == 0)
        assert clocks == Clocks(BLITZ, 180_000, 180_000, NOW_MS + 20_100)


@pytest.mark.parametrize(
    ("thought_ms", "left_ms"),
    [
        # One second of every move is forgiven, and a clock never shows less than nothing.
        *((0, 12_000), (999, 12_000), (1000, 12_000), (1001, 11_999), (11_000, 2000)),
        *((70_000, 2000), (-5000, 12_000)),
    ],
)
def test_from_the_third_ply_a_move_is_charged(thought_ms: int, left_ms: int) -> None:
    received_ms, decided_ms = NOW_MS + thought_ms, NOW_MS + max(0, thought_ms) + 500
    for ply, white in ((2, True), (3, False)):
        clocks = Clocks(BLITZ, *((10_000, 70_000) if white else (70_000, 10_000)), NOW_MS)

        moved = clocks.after_move(ply, received_ms, decided_ms, white=white)

        left = (left_ms, 70_000) if white else (70_000, left_ms)
        assert moved == Clocks(BLITZ, *left, decided_ms)


LIVE = Clocks(BLITZ, 100_000, 60_000, NOW_MS)


@pytest.mark.parametrize(
    ("waited_ms", "late_ms"),
    [(0, 0), (LAG_MS, 0), (LAG_MS + 1, 1), (6000, 5000), (11_000, 10_000), (60_000, 10_000)],
)
def test_the_opponents_clock_runs_while_a_public_move_waits(waited_ms: int, late_ms: int) -> None:
    received_ms = NOW_MS + 5000
    decided_ms = received_ms + waited_ms

    assert LIVE.late_ms(2, received_ms, decided_ms, white=True) == late_ms
    moved = LIVE.after_move(2, received_ms, decided_ms, white=True, late_ms=late_ms)
    assert moved == Clocks(BLITZ, 100_000 - 4000 + 2000, 60_000, decided_ms - late_ms)
    assert moved.deadline_ms(3, white=False) == decided_ms - late_ms + 60_000 + LAG_MS


def test_only_what_waits_in_its_turn_counts_and_no_first_move() -> None:
    for ply in (0, 1):
        assert LIVE.late_ms(ply, NOW_MS, NOW_MS + 20_000, white=ply == 0) == 0
    assert LIVE.late_ms(2, NOW_MS - 20_000, NOW_MS + 3000, white=True) == 2000
    little = Clocks(BLITZ, 8001, 100_000, NOW_MS)
    assert little.late_ms(3, NOW_MS, NOW_MS + 20_000, white=False) == 4000


def test_with_days_for_each_move_every_move_has_them_anew() -> None:
    clocks = start_clocks(DAYS, NOW_MS)
    assert clocks.deadline_ms(0, white=True) == NOW_MS + 3 * DAY_MS + LAG_MS

    late = NOW_MS + 2 * DAY_MS
    moved = clocks.after_move(0, late, late, white=True)

    assert (moved.white_ms, moved.black_ms) == (3 * DAY_MS, 3 * DAY_MS)
    assert moved.deadline_ms(1, white=False) == late + 3 * DAY_MS + LAG_MS
    much_later = moved.after_move(1, late + 2 * DAY_MS, late + 2 * DAY_MS, white=False)
    assert much_later.left_ms(white=False) == 3 * DAY_MS


@pytest.mark.parametrize(
    ("before", "undone", "left"),
    [
        ((184_000, 170_000), [True, False], (182_000, 168_000)),
        ((184_000, 170_000), [True], (182_000, 170_000)),
        ((184_000, 170_000), [], (184_000, 170_000)),
        ((1500, 2000), [True, False], (0, 0)),
    ],
)
def test_a_takeback_takes_the_increments_of_the_undone_moves_and_gives_no_time_back(
    before: tuple[int, int], undone: list[bool], left: tuple[int, int]
) -> None:
    assert Clocks(BLITZ, *before, 0).taken_back(undone, 9) == Clocks(BLITZ, *left, 9)


def test_a_first_move_and_one_with_days_take_no_time_of_a_clock() -> None:
    clocks = Clocks(TimeControl(base_ms=180_000), 180_000, 180_000, 0)

    assert [clocks.thought_ms(ply, 9000) for ply in (1, 2)] == [0, 9000 - LAG_MS]
    assert clocks.thought_ms(2, LAG_MS - 1) == 0
    assert start_clocks(TimeControl(move_ms=DAY_MS), 0).thought_ms(2, 9000) == 0


@pytest.mark.parametrize(
    ("text", "start_ms"),
    [("0+1", 3000), ("0+3", 3000), ("0+180", 180_000), ("60+0", 60_000), ("2d", 2 * DAY_MS)],
)
def test_a_clock_without_a_base_begins_with_an_increment(text: str, start_ms: int) -> None:
    control = read_time(text)

    assert control is not None
    assert start_clocks(control, NOW_MS) == Clocks(control, start_ms, start_ms, NOW_MS)


_MINUTE_MS = 60_000
_TIMES = st.integers(0, 20 * _MINUTE_MS)


def _noted(*minutes: float) -> RelayUptime:
    """Noted every five seconds, from each even moment to the next odd one."""
    hearing = RelayUptime(round(minutes[0] * _MINUTE_MS))
    for begins, ends in zip(minutes[::2], minutes[1::2], strict=True):
        for at_ms in range(round(begins * _MINUTE_MS), round(ends * _MINUTE_MS) + 1, 5000):
            hearing = hearing.after_report(at_ms)
    return hearing


def test_who_notes_all_the_time_has_no_outage_and_late_notes_change_nothing() -> None:
    assert _noted(0, 9).outages == ()
    assert _noted(0, 9).paused_ms(0, 9 * _MINUTE_MS) == 0
    hearing = _noted(0, 1, 3, 4)
    for minutes in (2, 4):
        assert hearing.after_report(minutes * _MINUTE_MS) is hearing


def test_a_silence_is_an_outage_once_it_is_longer_than_listeners_may_be_late() -> None:
    assert RelayUptime(0).after_report(OUTAGE_AFTER_MS).outages == ()
    assert RelayUptime(0).after_report(OUTAGE_AFTER_MS + 1).outages == (
        Outage(0, OUTAGE_AFTER_MS + 1),
    )
    assert RelayUptime(0).paused_ms(0, OUTAGE_AFTER_MS) == 0
    assert RelayUptime(0).paused_ms(0, OUTAGE_AFTER_MS + 1) == OUTAGE_AFTER_MS + 1


@pytest.mark.parametrize(
    ("since", "until", "paused_ms"),
    [
        (1, 9, 3 * _MINUTE_MS + RETURN_MS),
        (4, 9, _MINUTE_MS + RETURN_MS),
        (6, 9, 0),
        (0, 3, _MINUTE_MS),
    ],
)
def test_an_outage_is_given_back_and_more(since: int, until: int, paused_ms: int) -> None:
    assert _noted(0, 2, 5, 9).paused_ms(since * _MINUTE_MS, until * _MINUTE_MS) == paused_ms


def test_an_outage_that_goes_on_counts_as_long_as_it_does() -> None:
    assert _noted(0, 2).paused_ms(_MINUTE_MS, 7 * _MINUTE_MS) == 5 * _MINUTE_MS


@pytest.mark.parametrize(
    ("since_ms", "until_ms", "now_ms", "paused_ms"),
    [(-60_000, 8000, 8000, 0), (-60_000, 8000, 30_000, 8000), (-60_000, -5000, 30_000, 0)],
)
def test_a_silence_may_turn_out_an_outage(
    since_ms: int, until_ms: int, now_ms: int, paused_ms: int
) -> None:
    """A timer that came after eight seconds of silence, and was looked at after thirty."""
    last_ms = 2 * _MINUTE_MS
    times = (last_ms + ms for ms in (since_ms, until_ms, now_ms))

    assert _noted(0, 2).paused_ms(*times) == paused_ms


def test_of_one_outage_no_more_than_a_day_is_given_back() -> None:
    over = RelayUptime(0).after_report(3 * LONGEST_MS).after_report(3 * LONGEST_MS + 5000)
    assert over.paused_ms(0, 3 * LONGEST_MS + 5000) == LONGEST_MS + RETURN_MS
    assert RelayUptime(0).paused_ms(0, 3 * LONGEST_MS) == LONGEST_MS + RETURN_MS


def test_only_the_latest_outages_are_kept() -> None:
    hearing = RelayUptime(0)
    for minute in range(40):
        hearing = hearing.after_report(minute * _MINUTE_MS)
    assert len(hearing.outages) == 20
    assert hearing.outages[-1].until_ms == 39 * _MINUTE_MS
