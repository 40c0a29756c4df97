"""Both clocks as they are shown to spectators: as of now."""

from dataclasses import replace
from typing import Any

import chess
import pytest

from arbiter.application.queries import ClocksNow, clocks_now
from arbiter.core.clocks import DAY_MS, FIRST_MOVE_MS, LAG_MS, Clocks, TimeControl, start_clocks
from arbiter.core.commands import PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game, Outcome, Termination
from arbiter.core.outages import OUTAGE_AFTER_MS, RETURN_MS, Outage, RelayUptime
from arbiter.core.rules import Rules
from tests.builders import NOW_MS, a_game

MINUTE = TimeControl(base_ms=60_000)
MOVES = tuple(map(chess.Move.from_uci, ("e2e4", "e7e5", "g1f3")))
BOTH_COLORS = pytest.mark.parametrize("turn", [WHITE, BLACK])


def running(turn: chess.Color, **more: Any) -> Game:
    """A live game in which this side began to think at NOW_MS; White has 60 s and Black 50 s."""
    game = replace(a_game(), moves=MOVES[: 2 if turn == WHITE else 3])
    return replace(game, clocks=Clocks(MINUTE, 60_000, 50_000, NOW_MS), **more)


def shown(game: Game, after_ms: int, uptime: RelayUptime | None = None) -> ClocksNow:
    now = clocks_now(game, NOW_MS + after_ms, uptime)
    assert now
    return now


def left(now: ClocksNow) -> tuple[int, int]:
    return now.white_ms, now.black_ms


def test_a_game_without_clocks_shows_none() -> None:
    assert clocks_now(a_game(), NOW_MS) is None


@pytest.mark.parametrize(
    ("after_ms", "gone_ms"),
    [(0, 0), (LAG_MS, 0), (31_000, 30_000), (51_000, 50_000), (500_000, 500_000), (-5000, 0)],
)
@BOTH_COLORS
def test_the_side_to_move_has_used_what_passed_but_the_lag_that_is_forgiven(
    turn: chess.Color, after_ms: int, gone_ms: int
) -> None:
    now = shown(running(turn), after_ms)
    gone = (gone_ms, 0) if turn == WHITE else (0, gone_ms)
    assert left(now) == (max(0, 60_000 - gone[0]), max(0, 50_000 - gone[1]))
    assert (now.is_running, now.is_paused) == (True, False)
    assert now.deadline_ms == running(turn).deadline_ms()


@BOTH_COLORS
@pytest.mark.parametrize("after_ms", [0, 1000, 1001, 17_345])
def test_a_move_received_now_leaves_the_mover_what_is_shown(
    turn: chess.Color, after_ms: int
) -> None:
    game, at_ms = running(turn), NOW_MS + after_ms
    player, uci = game.seat(turn).player, "d2d4" if turn == WHITE else "b8c6"
    played = PlayMove(player=player, uci=uci, made_at_ms=at_ms, received_at_ms=at_ms)
    decided = decide(game, played, at_ms, Rules(), at_ms).game
    assert decided.clocks
    assert decided.ply == game.ply + 1
    assert left(shown(game, after_ms)) == (decided.clocks.white_ms, decided.clocks.black_ms)


@pytest.mark.parametrize("ply", [0, 1])
def test_before_both_have_moved_no_clock_runs_and_the_first_move_has_a_deadline(ply: int) -> None:
    game = replace(a_game(), moves=MOVES[:ply], clocks=start_clocks(MINUTE, NOW_MS))
    now = shown(game, 20_000)
    assert (left(now), now.is_running) == ((60_000, 60_000), False)
    assert now.deadline_ms == NOW_MS + FIRST_MOVE_MS


def test_a_day_a_move_runs_from_the_first_move_on() -> None:
    game = replace(a_game(), clocks=start_clocks(TimeControl(move_ms=DAY_MS), NOW_MS))
    now = shown(game, DAY_MS // 2)
    assert (left(now), now.is_running) == ((DAY_MS // 2 + LAG_MS, DAY_MS), True)


@pytest.mark.parametrize(
    ("turn", "how", "after_ms", "expected"),
    [
        (WHITE, Termination.RESIGNATION, 21_000, (40_000, 50_000)),
        (BLACK, Termination.RESIGNATION, 21_000, (60_000, 30_000)),
        (WHITE, Termination.TIMEOUT, 64_000, (0, 50_000)),
    ],
)
def test_after_the_end_the_clocks_show_what_was_left_at_the_end(
    turn: chess.Color, how: Termination, after_ms: int, expected: tuple[int, int]
) -> None:
    ended = running(turn, outcome=Outcome(how, not turn), ended_at_ms=NOW_MS + after_ms)
    now = shown(ended, 3_600_000)
    assert (left(now), now.is_running) == (expected, False)
    assert (now.at_ms, now.deadline_ms) == (NOW_MS + after_ms, None)


def test_an_outage_stops_the_clock_and_moves_its_deadline() -> None:
    over = RelayUptime(NOW_MS + 29_000, (Outage(NOW_MS + 2000, NOW_MS + 22_000),))
    paused_ms = 20_000 + RETURN_MS
    now = shown(running(WHITE), 41_000, over)
    assert (left(now), now.is_paused) == ((60_000 - (40_000 - paused_ms), 50_000), False)
    assert now.deadline_ms == NOW_MS + 60_000 + LAG_MS + paused_ms


@pytest.mark.parametrize("after_ms", [20_000, 40_000, 1_000_000])
def test_while_no_relay_is_heard_the_clock_is_paused_and_the_page_can_say_so(after_ms: int) -> None:
    now = shown(running(BLACK), after_ms, RelayUptime(NOW_MS + 3000))
    assert (left(now), now.is_paused) == ((60_000, 50_000 - 2000), True)
    assert now.deadline_ms == NOW_MS + after_ms + 48_000


def test_a_short_silence_is_no_outage() -> None:
    now = shown(running(WHITE), OUTAGE_AFTER_MS, RelayUptime(NOW_MS))
    assert (left(now), now.is_paused) == ((60_000 - OUTAGE_AFTER_MS + LAG_MS, 50_000), False)


def test_an_outage_before_the_end_is_not_charged_after_it() -> None:
    over = RelayUptime(NOW_MS + 90_000, (Outage(NOW_MS + 1000, NOW_MS + 21_000),))
    drawn = Outcome(Termination.AGREEMENT, None)
    ended = running(WHITE, outcome=drawn, ended_at_ms=NOW_MS + 41_000)
    assert left(shown(ended, 3_600_000, over)) == (50_000, 50_000)
