"""What nudges say, when they are due, and what becomes of a batch of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from arbiter.application.queue_messages import (
    Malformed,
    Timer,
    TimerFired,
    parse,
    parse_timer,
    timer_body,
)
from arbiter.application.routing import route, timer_entry, timers_group
from arbiter.application.timers import (
    ClockDeps,
    TimerStatus,
    delay_seconds,
    due_second,
    forward_due_timers,
    is_far,
)
from tests.builders import ALICE, NOW_MS, SERVER, an_event
from tests.fakes.clock import FakeClock
from tests.fakes.faults import crash_at
from tests.fakes.queue import FakeEventQueue
from tests.fakes.timers import FakeTimers

GAME = "0123456789abcdef0123456789abcdef"
QUARTER_MS = 900_000


@dataclass
class Desk:
    """The clock function's surroundings, to look into."""

    clock: FakeClock = field(default_factory=lambda: FakeClock(NOW_MS))
    timers: FakeTimers = field(default_factory=FakeTimers)
    moves: FakeEventQueue = field(default_factory=FakeEventQueue)

    def pass_on(self, *bodies: str) -> Sequence[TimerStatus]:
        return forward_due_timers(
            ClockDeps(clock=self.clock, timers=self.timers, moves=self.moves), bodies
        )


def a_nudge(after_ms: int = 0, ply: int = 7, game_id: str = GAME) -> Timer:
    return Timer(game_id, ply, NOW_MS + after_ms)


@pytest.mark.parametrize(
    ("after_ms", "seconds"),
    [(-5000, 0), (0, 0), (1, 1), (1000, 1), (1001, 2), (QUARTER_MS, 900), (QUARTER_MS * 9, 900)],
)
def test_a_delay_is_whole_seconds_rounded_up_and_a_quarter_of_an_hour_at_most(
    after_ms: int, seconds: int
) -> None:
    assert delay_seconds(a_nudge(after_ms), NOW_MS) == seconds


@pytest.mark.parametrize(("after_ms", "far"), [(0, False), (QUARTER_MS, False), (900_001, True)])
def test_far_is_what_one_delay_cannot_reach(after_ms: int, far: bool) -> None:  # noqa: FBT001
    assert is_far(a_nudge(after_ms), NOW_MS) is far


@pytest.mark.parametrize(("after_ms", "second"), [(0, 0), (1, 1), (999, 1), (1000, 1)])
def test_a_schedule_is_for_the_first_second_that_is_not_too_early(
    after_ms: int, second: int
) -> None:
    assert due_second(a_nudge(after_ms)) == NOW_MS // 1000 + second


def test_a_body_reads_back_as_the_nudge_it_was_made_of() -> None:
    assert parse_timer(timer_body(a_nudge())) == a_nudge()
    assert json.loads(timer_body(a_nudge())) == {
        "nudge": {"game_id": GAME, "ply": 7, "at_ms": NOW_MS}
    }


def test_a_nudge_waits_among_the_moves_in_a_group_of_its_games_own() -> None:
    entry = timer_entry(a_nudge(), NOW_MS + 5)
    assert (entry.queue, entry.group_id) == ("moves", timers_group(GAME))
    assert parse(entry.body) == TimerFired(GAME, 7, NOW_MS + 5)
    assert json.loads(entry.body) == {
        "nudge": {"game_id": GAME, "ply": 7},
        "received_at_ms": NOW_MS + 5,
    }


def test_a_nudge_for_a_player_waits_behind_what_that_player_said_in_the_game() -> None:
    move = an_event(ALICE, 20303, "e2e4", (("d", GAME), ("p", SERVER.pubkey)))
    turn = route(move)
    nudge = Timer(GAME, 7, NOW_MS, ALICE.pubkey)
    entry = timer_entry(nudge, NOW_MS + 5)
    assert turn is not None
    assert (entry.queue, entry.group_id) == (turn.queue, turn.group_id)
    assert parse_timer(timer_body(nudge)) == nudge
    assert parse(entry.body) == TimerFired(GAME, 7, NOW_MS + 5, ALICE.pubkey)
    assert entry.dedup_id not in {timer_entry(a_nudge(), 1).dedup_id, nudge.name}


@pytest.mark.parametrize("player", [None, "", "ab", "A" * 64, 7, ["a" * 64]])
def test_a_player_that_could_be_none_is_none(player: Any) -> None:
    assert parse_timer(a_body(player=player)) == Timer(GAME, 7, 1)
    assert parse(a_body(player=player)) == TimerFired(GAME, 7, 1)


def test_a_nudge_has_one_name_whenever_it_is_passed_on_and_no_other_has_it() -> None:
    others = [a_nudge(1), a_nudge(ply=8), a_nudge(game_id="f" * 32)]
    assert timer_entry(a_nudge(), 1).dedup_id == timer_entry(a_nudge(), 2).dedup_id
    assert len({nudge.name for nudge in [a_nudge(), *others]}) == 4


def test_the_longest_name_fits_a_schedule() -> None:
    most = 10**14 - 1
    assert len(Timer(GAME, most, most).name) <= 64
    assert parse_timer(timer_body(Timer(GAME, most, most))) is not None
    assert parse_timer(timer_body(Timer(GAME, most + 1, most))) is None
    assert parse_timer(timer_body(Timer(GAME, most, most + 1))) is None


@pytest.mark.parametrize(
    "body", ["", "null", "[" * 200_000, "9" * 5000, '{"nudge":null}', '{"nudge":{}}', '{"nudge":']
)
def test_what_is_no_nudge_is_none_and_raises_nothing(body: str) -> None:
    assert parse_timer(body) is None
    assert isinstance(parse(body), Malformed)


def a_body(**parts: Any) -> str:
    """A body that both readers take, but for the parts that are given."""
    said = {"game_id": GAME, "ply": 7, "at_ms": 1, **parts}
    return json.dumps({"nudge": said, "received_at_ms": said["at_ms"]}, separators=(",", ":"))


@pytest.mark.parametrize(
    "part",
    [
        {"game_id": GAME.upper()},
        {"game_id": GAME[:-1]},
        {"game_id": GAME + "\n"},
        {"game_id": None},
        *({name: wrong} for name in ("ply", "at_ms") for wrong in (True, -1, 1.0, "1", None)),
    ],
)
def test_a_nudge_with_one_unsound_part_is_none(part: dict[str, Any]) -> None:
    assert (parse_timer(a_body()), parse(a_body())) == (
        Timer(GAME, 7, 1),
        TimerFired(GAME, 7, 1),
    )
    assert parse_timer(a_body(**part)) is None
    assert isinstance(parse(a_body(**part)), Malformed)


def test_an_event_is_no_nudge_whatever_it_holds() -> None:
    assert isinstance(parse('{"event":{"nudge":1},"received_at_ms":1}'), Malformed)


def test_a_nudge_whose_time_has_come_is_passed_on_with_the_time_it_has_now() -> None:
    deps = Desk()
    assert deps.pass_on(timer_body(a_nudge(0)), timer_body(a_nudge(-1, ply=8))) == (
        TimerStatus.PASSED_ON,
        TimerStatus.PASSED_ON,
    )
    assert [parse(entry.body) for entry in deps.moves.waiting] == [
        TimerFired(GAME, 7, NOW_MS),
        TimerFired(GAME, 8, NOW_MS),
    ]
    assert (deps.timers.near, deps.timers.far) == ([], {})


def test_an_early_nudge_waits_again_and_never_comes_before_its_time() -> None:
    deps = Desk()
    body = timer_body(a_nudge(1))
    assert deps.pass_on(body) == (TimerStatus.EARLY,)
    assert deps.moves.waiting == []
    assert deps.timers.near == [(body, 1)]
    deps.clock.advance(0.001)
    assert deps.pass_on(body) == (TimerStatus.PASSED_ON,)


def test_what_is_no_nudge_is_dropped_and_holds_nobody_up() -> None:
    deps = Desk()
    assert deps.pass_on("{", timer_body(a_nudge())) == (
        TimerStatus.MALFORMED,
        TimerStatus.PASSED_ON,
    )
    assert len(deps.moves.waiting) == 1


def test_a_nudge_that_came_twice_is_passed_on_once() -> None:
    deps = Desk()
    assert (
        deps.pass_on(timer_body(a_nudge()), timer_body(a_nudge())) == (TimerStatus.PASSED_ON,) * 2
    )
    deps.clock.advance(1)
    assert deps.pass_on(timer_body(a_nudge())) == (TimerStatus.PASSED_ON,)
    assert len(deps.moves.waiting) == 1


def test_a_nudge_that_the_moves_did_not_take_comes_again_alone() -> None:
    deps = Desk()
    lost, well = a_nudge(), a_nudge(game_id="f" * 32)
    deps.moves.hook = crash_at(f"queue.entry {lost.name}")
    assert deps.pass_on(timer_body(lost), timer_body(well)) == (
        TimerStatus.FAILED,
        TimerStatus.PASSED_ON,
    )


def test_a_nudge_that_could_not_wait_again_comes_again_alone() -> None:
    deps = Desk()
    deps.timers.hook = crash_at("timers.set")
    statuses = deps.pass_on(
        timer_body(a_nudge(5000)), timer_body(a_nudge(6000)), timer_body(a_nudge())
    )
    assert statuses == (TimerStatus.FAILED, TimerStatus.EARLY, TimerStatus.PASSED_ON)


def test_a_batch_of_nothing_asks_nothing_of_the_queue() -> None:
    deps = Desk()
    deps.moves.hook = crash_at("queue.send")
    assert deps.pass_on() == ()
    assert deps.pass_on("{") == (TimerStatus.MALFORMED,)
