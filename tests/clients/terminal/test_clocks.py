"""Clocks by arithmetic, whatever time our own machine thinks it is."""

import chess
import pytest

from clients.terminal.clocks import (
    FLAG_AFTER_MS,
    LAG_MS,
    Clock,
    arrived,
    clock_words,
    days_words,
    first_move_ms,
    is_up,
    left_ms,
    live_words,
)

NOW = 1_800_000_000.0
NOW_MS = 1_800_000_000_000


def a_clock(
    *, white_ms: int = 60_000, black_ms: int = 50_000, ply: int = 4, made_ms: int = NOW_MS
) -> Clock:
    """White to move, since just now."""
    return Clock(
        control="60+0",
        white_ms=white_ms,
        black_ms=black_ms,
        deadline_ms=made_ms + white_ms + LAG_MS,
        ply=ply,
    )


def test_only_the_clock_of_the_side_to_move_runs() -> None:
    clock = a_clock()
    assert left_ms(clock, chess.WHITE, chess.WHITE, NOW + 10) == 50_000
    assert left_ms(clock, chess.BLACK, chess.WHITE, NOW + 10) == 50_000
    assert left_ms(clock, chess.BLACK, chess.WHITE, NOW + 20) == 50_000


def test_no_clock_shows_less_than_nothing_nor_more_than_the_state_said() -> None:
    clock = a_clock()
    assert left_ms(clock, chess.WHITE, chess.WHITE, NOW + 100) == 0
    assert left_ms(clock, chess.WHITE, chess.WHITE, NOW - 100) == 60_000


@pytest.mark.parametrize("ahead", [-3600.0, 0.0, 47.5])
def test_a_wrong_clock_of_ours_shows_the_right_time(ahead: float) -> None:
    known = a_clock(ply=3)
    clock = arrived(a_clock(), chess.WHITE, known, NOW + ahead, fresh=True)
    assert left_ms(clock, chess.WHITE, chess.WHITE, NOW + ahead + 10) == 50_000
    later = arrived(a_clock(), chess.WHITE, clock, NOW + ahead + 30, fresh=False)
    assert left_ms(later, chess.WHITE, chess.WHITE, NOW + ahead + 30) == 30_000


def test_a_state_that_was_asked_for_may_be_old_and_measures_nothing() -> None:
    known = a_clock(ply=3)
    clock = arrived(a_clock(), chess.WHITE, known, NOW + 20, fresh=False)
    assert left_ms(clock, chess.WHITE, chess.WHITE, NOW + 20) == 40_000


def test_an_offer_is_another_state_of_an_older_clock_and_measures_nothing() -> None:
    known = a_clock(ply=4)
    clock = arrived(a_clock(ply=4), chess.WHITE, known, NOW + 20, fresh=True)
    assert left_ms(clock, chess.WHITE, chess.WHITE, NOW + 20) == 40_000


def test_a_first_move_has_a_limit_of_its_own_and_no_clock_runs() -> None:
    clock = Clock(
        control="60+0", white_ms=60_000, black_ms=60_000, deadline_ms=NOW_MS + 30_000, ply=1
    )
    assert first_move_ms(clock, NOW + 10) == 20_000
    assert left_ms(clock, chess.BLACK, chess.BLACK, NOW + 10) == 60_000
    assert first_move_ms(a_clock(), NOW) is None


def test_days_run_from_the_first_move_on() -> None:
    day_ms = 86_400_000
    clock = Clock(
        control="1d",
        white_ms=day_ms,
        black_ms=day_ms,
        deadline_ms=NOW_MS + day_ms + LAG_MS,
        ply=0,
    )
    assert first_move_ms(clock, NOW) is None
    assert clock_words(clock, chess.WHITE, chess.WHITE, NOW + 7200) == "22 h 0 min"


def test_time_is_up_for_us_when_it_has_been_up_for_three_seconds() -> None:
    clock = a_clock(white_ms=0)
    up = (LAG_MS + FLAG_AFTER_MS) / 1000
    assert not is_up(clock, NOW + up - 0.1)
    assert is_up(clock, NOW + up)


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0.0"),
        (99, "0.0"),
        (9_999, "9.9"),
        (10_000, "0:10"),
        (61_999, "1:01"),
        (3_600_000, "1:00:00"),
    ],
)
def test_the_last_ten_seconds_have_tenths(ms: int, words: str) -> None:
    assert live_words(ms) == words


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (86_400_000 * 3, "3 d 0 h"),
        (86_400_000 + 3_600_000 * 5, "1 d 5 h"),
        (3_600_000 * 5 + 60_000 * 7, "5 h 7 min"),
        (59_000, "0:59"),
    ],
)
def test_a_move_of_days_is_told_in_days_and_hours(ms: int, words: str) -> None:
    assert days_words(ms) == words
