"""Time for the engine to think."""

from clients.bot.config import read_config
from clients.bot.timing import limits
from clients.player.timing import Timing
from tests.clients.bot.scene import NOW, state

CONFIG = read_config("")
MOVES = ("e2e4", "e7e5")


def test_the_way_is_measured_and_taken_off_the_clock() -> None:
    timing = (
        Timing().round_trip(NOW, NOW + 80).round_trip(NOW, NOW + 300).received(NOW // 1000, NOW)
    )
    told = limits(state(MOVES), True, NOW, NOW, timing, CONFIG)

    assert (told.white_ms, told.black_ms, told.increment_ms) == (180_000 - 300, 180_000, 2_000)


def test_a_state_that_was_read_again_shows_by_its_deadline_how_long_ago_the_move_began() -> None:
    later = NOW + 60_000
    timing = Timing().received(later // 1000, later)
    told = limits(state(MOVES), True, later, later, timing, CONFIG)

    assert told.white_ms == 120_000


def test_a_clock_an_hour_ahead_changes_nothing() -> None:
    ahead = NOW + 3_600_000
    timing = Timing().received(NOW // 1000, ahead)
    told = limits(state(MOVES), True, ahead, ahead, timing, CONFIG)

    assert told.white_ms == 180_000
    assert timing.to_seconds(ahead) == NOW // 1000


def test_a_clock_that_has_run_out_is_still_a_little_time() -> None:
    told = limits(state(MOVES, clock=(5, 5)), True, NOW, NOW + 9_000, Timing(), CONFIG)

    assert told.white_ms is not None
    assert 0 < told.white_ms < 100


def test_the_first_move_takes_a_fixed_short_time() -> None:
    told = limits(state(time="60+0", clock=(60_000, 60_000)), True, NOW, NOW, Timing(), CONFIG)

    assert told.white_ms is None
    assert told.time_ms == 1_500


def test_without_a_live_clock_a_move_takes_the_configured_time() -> None:
    config = read_config("[correspondence]\nmove_time = 7")
    for time in ("", "3d"):
        told = limits(state(MOVES, time=time), True, NOW, NOW, Timing(), config)
        assert told.time_ms == 7_000


def test_the_configured_limits_are_told_besides_the_clock() -> None:
    config = read_config("[engine.go_commands]\nnodes = 500\ndepth = 3")
    told = limits(state(MOVES), True, NOW, NOW, Timing(), config)

    assert (told.nodes, told.depth) == (500, 3)
    assert told.white_ms is not None
