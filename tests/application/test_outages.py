"""Clocks while no relay is heard, over the wire (reliability F36)."""

from arbiter.core.clocks import LOOK_AGAIN_MS, RETURN_MS, SETTLE_MS, SILENCE_MS
from tests.application.talk import BLITZ, nudge, play, say, states, tag
from tests.application.world import Table, World
from tests.builders import ALICE, BOB

_OUTAGE_MS = 600_000


def _at_ply_two() -> tuple[World, Table]:
    """White is to move and has three minutes, and a relay was heard right now."""
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    world.outages.note(world.clock.ms)
    return world, table


def _hear_until(world: World, until_ms: int) -> None:
    """A listener hears a relay from now until then, and notes it every five seconds."""
    for at_ms in range(world.clock.ms, until_ms + 1, 5000):
        world.outages.note(at_ms)


def test_no_flag_falls_while_no_relay_is_heard() -> None:
    world, table = _at_ply_two()

    for _ in range(20):
        assert nudge(world, table) == "tick-early"
    assert world.game(table.game_id).outcome is None
    world.clock.ms += _OUTAGE_MS
    assert say(table, "flag", table.black).content.startswith("time-left: ")


def test_a_timer_looks_again_but_not_without_a_pause() -> None:
    world, table = _at_ply_two()
    for _ in range(5):
        before_ms = world.game(table.game_id).timer_at_ms or 0
        assert nudge(world, table) == "tick-early"
        assert (world.game(table.game_id).timer_at_ms or 0) >= before_ms + 5000


def test_after_an_outage_the_time_is_given_back_and_then_the_flag_falls() -> None:
    world, table = _at_ply_two()
    deadline_ms = world.game(table.game_id).deadline_ms()
    assert deadline_ms is not None
    world.clock.ms += _OUTAGE_MS
    falls_ms = deadline_ms + _OUTAGE_MS + RETURN_MS + SETTLE_MS
    _hear_until(world, falls_ms)

    world.clock.ms = falls_ms - 1001  # and a second passes before it is said
    assert say(table, "flag", table.black).content.startswith("time-left: ")
    while world.game(table.game_id).outcome is None:
        nudge(world, table)
    assert world.statuses()[-1] == "timeout"
    assert falls_ms <= world.clock.ms <= falls_ms + LOOK_AGAIN_MS


def test_a_move_after_an_outage_is_charged_without_it() -> None:
    world, table = _at_ply_two()
    world.clock.ms += _OUTAGE_MS
    _hear_until(world, world.clock.ms + 30_000)
    world.clock.ms += 30_000

    (state,) = states(table.say("g1f3"))

    thought_ms = 30_000 - RETURN_MS - 1000
    assert tag(state, "clock") == (str(180_000 - thought_ms + 2000), "180000")


def test_a_move_may_name_the_state_from_before_the_outage() -> None:
    world, table = _at_ply_two()
    for _ in range(3):
        nudge(world, table)
    world.clock.ms += 10_000
    world.outages.note(world.clock.ms)

    assert states(table.say("g1f3"))


def test_a_silence_that_listeners_may_make_costs_the_clock_as_ever() -> None:
    world, table = _at_ply_two()
    world.clock.ms += SILENCE_MS
    world.outages.note(world.clock.ms)
    world.clock.ms += 1000

    (state,) = states(table.say("g1f3"))

    assert tag(state, "clock") == (str(180_000 - SILENCE_MS + 2000), "180000")


def test_before_any_listener_noted_anything_clocks_run() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    statuses = [nudge(world, table) for _ in range(3)]
    assert statuses[-1] in {"timeout", "tick-again"}
