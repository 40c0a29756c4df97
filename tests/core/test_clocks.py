"""Time controls as they are written, and clocks as arithmetic.

And for how long a clock is stopped (reliability F36).
"""

import pytest

from arbiter.core.clocks import DAY_MS, LAG_MS, Clocks, Speed, TimeControl, read_time, start_clocks
from arbiter.core.outages import Outage, RelayUptime
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


def test_with_days_for_each_move_every_move_has_them_anew() -> None:
    clocks = start_clocks(DAYS, NOW_MS)
    assert clocks.deadline_ms(0, white=True) == NOW_MS + 3 * DAY_MS + LAG_MS

    late = NOW_MS + 2 * DAY_MS
    moved = clocks.after_move(0, late, late, white=True)

    assert (moved.white_ms, moved.black_ms) == (3 * DAY_MS, 3 * DAY_MS)
    assert moved.deadline_ms(1, white=False) == late + 3 * DAY_MS + LAG_MS
    much_later = moved.after_move(1, late + 2 * DAY_MS, late + 2 * DAY_MS, white=False)
    assert much_later.left_ms(white=False) == 3 * DAY_MS


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


def reported(text: str) -> RelayUptime:
    """Reports every five seconds of each span, as 0-120, and at the last one's end."""
    seconds: list[float] = []
    for begins, ends in (map(float, it.split("-")) for it in text.split()):
        seconds += [begins, *range(round(begins) + 5, round(ends), 5), ends]
    uptime = RelayUptime(round(seconds[0] * 1000))
    for at in seconds[1:]:
        uptime = uptime.after_report(round(at * 1000))
    return uptime


DAY = 86_400


@pytest.mark.parametrize(
    ("reports", "since", "until", "now", "paused"),
    [
        ("0-540", 0, 540, 540, 0),
        # Given back with ten seconds to come back in, as far as one was thinking.
        ("0-120 300-540", 60, 540, 540, 190),
        ("0-120 300-540", 240, 540, 540, 70),
        ("0-120 300-540", 360, 540, 540, 0),
        ("0-120 300-540", 0, 180, 180, 60),
        # It goes on, and a silence of fifteen seconds is none yet.
        ("0-120", 60, 420, 420, 300),
        ("0-0", 0, 15, 15, 0),
        ("0-0", 0, 15.001, 15.001, 15.001),
        ("0-0 15-20", 0, 20, 20, 0),
        ("0-0 15.001-30", 0, 30, 30, 25.001),
        ("0-0 15-15", 0, 60, 60, 45),
        # A timer that came after eight seconds of silence, and was looked at after thirty.
        ("0-120", 60, 128, 128, 0),
        ("0-120", 60, 128, 150, 8),
        ("0-120", 60, 115, 150, 0),
        # Of one no more than a day.
        (f"0-0 {3 * DAY}-{3 * DAY + 15}", 0, 3 * DAY + 15, 3 * DAY + 15, DAY + 10),
        ("0-0", 0, 3 * DAY, 3 * DAY, DAY + 10),
    ],
)
def test_an_outage_pauses_a_clock(
    reports: str, since: float, until: float, now: float, paused: float
) -> None:
    times = (round(seconds * 1000) for seconds in (since, until, now))

    assert reported(reports).paused_ms(*times) == round(paused * 1000)


def test_late_reports_change_nothing_and_the_latest_twenty_outages_are_kept() -> None:
    uptime = reported("0-60 180-240")
    for late_ms in (120_000, 240_000):
        assert uptime.after_report(late_ms) is uptime
    assert reported("0-540").outages == ()
    assert uptime.outages == (Outage(60_000, 180_000),)

    many = reported(" ".join(f"{minute * 60}-{minute * 60}" for minute in range(40)))
    assert (len(many.outages), many.outages[-1].until_ms) == (20, 39 * 60_000)
