"""Clocks by arithmetic, whatever time our own machine thinks it is."""

import time
from dataclasses import replace
from datetime import datetime
from typing import Any

import chess
import pytest

from clients.player.messages import Started
from clients.player.terms import TimeControl
from clients.terminal.clocks import (
    FLAG_AFTER_MS,
    Clock,
    days_words,
    due_words,
    is_up,
    left_ms,
    live_words,
)
from tests.builders import BOB
from tests.clients.terminal.scene import GAME, START, Scene, state

NOW = 1_800_000_000.0
NOW_MS = 1_800_000_000_000
WHITE = chess.WHITE


def a_clock(*, white_ms: int = 60_000, ply: int = 4, ahead_ms: int = 0) -> Clock:
    """White to move, since just now; Black has 50 seconds."""
    deadline_ms = NOW_MS + white_ms + 1_000
    return Clock(TimeControl(60), white_ms, 50_000, deadline_ms, WHITE, ply, ahead_ms)


@pytest.mark.parametrize("ahead", [-3600.0, 0.0, 47.5])
def test_a_wrong_clock_of_ours_shows_the_right_time(ahead: float) -> None:
    scene = Scene()
    scene.now += ahead
    scene.find_the_relay()
    scene.hear(Started(GAME, BOB.pubkey))
    clocks: Any = {"time": TimeControl(60), "clock": (60_000, 50_000)}
    scene.hear(state("e4 e5", deadline=int(START) * 1000 + 61_000, **clocks))
    assert scene.game.clock is not None
    assert left_ms(scene.game.clock, WHITE, scene.now + 10) == 51_000
    scene.enter("Nf3")
    # By our own date the arbiter would find it too late, or too early.
    assert abs(scene.sends()[0].draft.created_at - START) < 60


@pytest.mark.parametrize(
    ("zone", "due", "words"),
    [
        ("Europe/Berlin", "2027-01-15T17:40", "today, 18:40"),
        ("Europe/Berlin", "2027-01-16T17:40", "tomorrow, 18:40"),
        ("Asia/Tokyo", "2027-01-16T17:40", "Sunday, 02:40"),
        ("America/New_York", "2027-01-16T03:40", "today, 22:40"),
        ("UTC", "2027-02-03T03:40", "3 Feb, 03:40"),
    ],
)
@pytest.mark.parametrize("ahead_ms", [0, 3_600_000])
def test_a_deadline_is_told_in_the_zone_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, zone: str, due: str, words: str, ahead_ms: int
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    # By the arbiter's clock, which ours may be ahead of: the reader looks at theirs.
    deadline_ms = round(datetime.fromisoformat(f"{due}+00:00").timestamp() * 1000) - ahead_ms
    clock = Clock(TimeControl(days=3), 1, 1, deadline_ms, WHITE, 4, ahead_ms)
    assert due_words(clock, NOW) == words
    assert due_words(replace(clock, deadline_ms=None), NOW) == ""
    assert due_words(replace(clock, control=TimeControl(60)), NOW) == ""
    monkeypatch.undo()
    time.tzset()


def test_a_flag_can_be_claimed_after_three_seconds() -> None:
    up = (1_000 + FLAG_AFTER_MS) / 1000
    assert not is_up(a_clock(white_ms=0), NOW + up - 0.1)
    assert is_up(a_clock(white_ms=0), NOW + up)


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        *((0, "0.0"), (99, "0.0"), (9_999, "9.9"), (10_000, "0:10")),
        *((61_999, "1:01"), (3_600_000, "1:00:00")),
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
def test_a_move_of_days_has_days_and_hours(ms: int, words: str) -> None:
    assert days_words(ms) == words
