"""Timers: their text, their times, and the fate of a batch of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from arbiter.application.intake.due_timers import ClockDeps, TimerStatus, forward_due_timers
from arbiter.application.intake.queue_messages import parse, parse_timer, timer_body
from arbiter.application.intake.routing import route, timer_entry, timers_group
from arbiter.application.play.timers import delay_seconds, due_second, is_far
from arbiter.application.records import Timer, TimerFired
from tests.builders import ALICE, NOW_MS, SERVER, an_event
from tests.fakes.clock import FakeClock
from tests.fakes.faults import crash_at
from tests.fakes.queue import FakeEventQueue
from tests.fakes.timers import FakeTimers

GAME = "0123456789abcdef0123456789abcdef"
QUARTER_MS = 900_000
PASSED_ON, EARLY = TimerStatus.PASSED_ON, TimerStatus.EARLY


def a_timer(after_ms: int = 0, ply: int = 7, game_id: str = GAME) -> Timer:
    return Timer(game_id, ply, NOW_MS + after_ms)


@pytest.mark.parametrize(
    ("after_ms", "delay", "far", "second"),
    [
        (-5000, 0, False, -5),
        (0, 0, False, 0),
        (1, 1, False, 1),
        (999, 1, False, 1),
        (1000, 1, False, 1),
        (1001, 2, False, 2),
        (QUARTER_MS, 900, False, 900),
        (QUARTER_MS + 1, 900, True, 901),
        (QUARTER_MS * 9, 900, True, 8100),
    ],
)
def test_a_timer_is_never_too_early_and_one_delay_is_a_quarter_of_an_hour_at_most(
    after_ms: int, delay: int, second: int, *, far: bool
) -> None:
    timer = a_timer(after_ms)
    assert (delay_seconds(timer, NOW_MS), is_far(timer, NOW_MS)) == (delay, far)
    assert due_second(timer) == NOW_MS // 1000 + second


def test_a_timer_waits_among_the_moves_in_a_group_of_its_games_own() -> None:
    entry = timer_entry(a_timer(), NOW_MS + 5)
    assert (entry.queue, entry.group_id) == ("moves", timers_group(GAME))
    assert parse(entry.body) == TimerFired(GAME, 7, NOW_MS + 5)
    assert parse_timer(timer_body(a_timer())) == a_timer()


def test_a_timer_for_a_player_waits_behind_what_that_player_said_in_the_game() -> None:
    turn = route(an_event(ALICE, 20303, "e2e4", (("d", GAME), ("p", SERVER.pubkey))))
    timer = Timer(GAME, 7, NOW_MS, ALICE.pubkey)
    entry = timer_entry(timer, NOW_MS + 5)
    assert turn
    assert (entry.queue, entry.group_id) == (turn.queue, turn.group_id)
    assert parse_timer(timer_body(timer)) == timer
    assert parse(entry.body) == TimerFired(GAME, 7, NOW_MS + 5, ALICE.pubkey)
    assert entry.dedup_id not in {timer_entry(a_timer(), 1).dedup_id, timer.name}


def test_a_timer_has_one_name_whenever_it_is_passed_on_and_no_other_has_it() -> None:
    timers = [a_timer(), a_timer(1), a_timer(ply=8), a_timer(game_id="f" * 32)]
    assert timer_entry(a_timer(), 1).dedup_id == timer_entry(a_timer(), 2).dedup_id
    assert len({timer.name for timer in timers}) == 4


def test_the_longest_name_fits_a_schedule() -> None:
    most = 10**14 - 1
    assert len(Timer(GAME, most, most).name) <= 64
    assert parse_timer(timer_body(Timer(GAME, most, most)))
    assert parse_timer(timer_body(Timer(GAME, most + 1, most))) is None
    assert parse_timer(timer_body(Timer(GAME, most, most + 1))) is None


def a_body(**parts: Any) -> str:
    """A body that both readers take, but for the parts that are given."""
    said = {"game_id": GAME, "ply": 7, "at_ms": 1, **parts}
    return json.dumps({"timer": said, "received_at_ms": said["at_ms"]}, separators=(",", ":"))


@pytest.mark.parametrize("player", [None, "", "ab", "A" * 64, 7, ["a" * 64]])
def test_a_player_that_could_be_none_is_none(player: Any) -> None:
    assert parse_timer(a_body(player=player)) == Timer(GAME, 7, 1)
    assert parse(a_body(player=player)) == TimerFired(GAME, 7, 1)


@dataclass
class Harness:
    """The clock function's surroundings, to look into."""

    clock: FakeClock = field(default_factory=lambda: FakeClock(NOW_MS))
    timers: FakeTimers = field(default_factory=FakeTimers)
    moves: FakeEventQueue = field(default_factory=FakeEventQueue)

    def pass_on(self, *timers: Timer | str) -> Sequence[TimerStatus]:
        bodies = [it if isinstance(it, str) else timer_body(it) for it in timers]
        deps = ClockDeps(clock=self.clock, timers=self.timers, moves=self.moves)
        return forward_due_timers(deps, bodies)


def test_a_timer_whose_time_has_come_is_passed_on_with_the_time_it_has_now() -> None:
    harness = Harness()
    assert harness.pass_on(a_timer(0), a_timer(-1, ply=8)) == (PASSED_ON, PASSED_ON)
    fired = [TimerFired(GAME, 7, NOW_MS), TimerFired(GAME, 8, NOW_MS)]
    assert [parse(entry.body) for entry in harness.moves.waiting] == fired
    assert (harness.timers.near, harness.timers.far) == ([], {})


def test_an_early_timer_waits_again_and_never_comes_before_its_time() -> None:
    harness = Harness()
    assert harness.pass_on(a_timer(1)) == (EARLY,)
    assert (harness.moves.waiting, harness.timers.near) == ([], [(timer_body(a_timer(1)), 1)])
    harness.clock.advance(0.001)
    assert harness.pass_on(a_timer(1)) == (PASSED_ON,)


def test_a_timer_that_came_twice_is_passed_on_once() -> None:
    harness = Harness()
    assert harness.pass_on(a_timer(), a_timer()) == (PASSED_ON, PASSED_ON)
    harness.clock.advance(1)
    assert harness.pass_on(a_timer()) == (PASSED_ON,)
    assert len(harness.moves.waiting) == 1


def test_what_fails_comes_again_alone_and_what_is_no_timer_is_dropped() -> None:
    harness, other = Harness(), a_timer(game_id="f" * 32)
    harness.moves.hook = crash_at(f"queue.entry {a_timer().name}")
    assert harness.pass_on("{", a_timer(), other) == (
        *(TimerStatus.MALFORMED, TimerStatus.FAILED, PASSED_ON),
    )
    harness.timers.hook = crash_at("timers.set")
    statuses = harness.pass_on(a_timer(5000), a_timer(6000), other)
    assert statuses == (TimerStatus.FAILED, EARLY, PASSED_ON)
