"""Clocks while no relay is heard."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.clocks import LAG_MS, SETTLE_MS
from arbiter.core.outages import RETURN_MS, Outage
from arbiter.core.timers import LOOK_AGAIN_MS
from tests.application.script import Conversation, run

OUTAGE_MS = 600_000


def at_ply_two() -> Conversation:
    """White is to move and has three minutes, and a relay was heard right now."""
    talk = run("alice seek blitz; bob seek blitz; moves e2e4 e7e5")
    talk.world.outages.report_connected(talk.world.clock.ms)
    return talk


def hear_until(talk: Conversation, until_ms: int) -> None:
    """A listener hears a relay from now until then, and notes it every five seconds."""
    for at_ms in range(talk.world.clock.ms, until_ms + 1, 5000):
        talk.world.outages.report_connected(at_ms)


def test_no_flag_falls_while_no_relay_is_heard_and_its_timer_looks_again_after_a_pause() -> None:
    talk = at_ply_two()
    for _ in range(20):
        before_ms = talk.game().timer_at_ms or 0
        talk.line("timer")
        assert talk.fact("status") == "tick-early"
        assert (talk.game().timer_at_ms or 0) >= before_ms + 5000
    talk.line("wait 10m; bob flag > bob !time-left")


def test_after_an_outage_the_time_is_given_back_and_then_the_flag_falls() -> None:
    talk = at_ply_two()
    falls_ms = (talk.game().deadline_ms() or 0) + OUTAGE_MS + RETURN_MS + SETTLE_MS
    talk.line("wait 10m")
    hear_until(talk, falls_ms)
    talk.world.clock.ms = falls_ms - 1001  # and a second passes before it is said
    talk.line("bob flag > bob !time-left")
    while talk.fact("end") == "-":
        talk.line("timer")
    assert talk.fact("end") == "0-1 timeout"
    assert falls_ms <= talk.world.clock.ms <= falls_ms + LOOK_AGAIN_MS


def test_a_move_after_an_outage_is_charged_without_it() -> None:
    talk = at_ply_two()
    talk.line("wait 10m")
    hear_until(talk, talk.world.clock.ms + 30_000)
    talk.line("wait 29s; alice g1f3 > state")
    assert talk.fact("clock") == f"{180_000 - (29_000 - RETURN_MS) + 2000} 180000"


def test_a_move_may_name_the_state_from_before_the_outage() -> None:
    talk = at_ply_two()
    talk.line("3 x timer")
    talk.world.outages.report_connected(talk.world.clock.ms)
    talk.line("alice g1f3 > state")


def say(talk: Conversation, words: str, *, at_gateway: bool) -> None:
    event, _ = talk.players.event(words)
    talk.deliver(talk.world.body(event, at_gateway=at_gateway))


@pytest.mark.parametrize("known_from", ["the request", "a move", "this move"])
def test_an_outage_pauses_no_clock_of_a_player_at_the_gateway(known_from: str) -> None:
    talk = run("alice seek blitz")
    say(talk, "bob seek blitz", at_gateway=known_from == "the request")
    talk.line("wait 1s")
    black = talk.fact("white") == "alice"
    moves = ("alice e2e4", "bob e7e5", "alice g1f3") if black else ("bob e2e4", "alice e7e5")
    for move in moves:
        say(talk, move, at_gateway=move[0] == "b" and known_from != "this move")
    talk.world.outages.report_connected(talk.world.clock.ms)
    talk.line("wait 60s")
    hear_until(talk, talk.world.clock.ms + 30_000)
    talk.line("wait 20s")
    say(talk, "bob b8c6" if black else "bob g1f3", at_gateway=True)
    assert str(180_000 - 80_000 + 2000) in talk.fact("clock").split()


@pytest.mark.parametrize(("color", "falls"), [("alice", True), ("bob", False)])
def test_the_flag_of_a_player_at_the_gateway_falls_in_an_outage_and_no_other(
    color: str, *, falls: bool
) -> None:
    talk = at_ply_two()
    say(talk, f"{color} draw", at_gateway=True)
    talk.line("wait 200s; timer; timer")
    assert (talk.fact("end") != "-") is falls


@dataclass
class Late:
    """An arbiter that was late at these times."""

    delays: list[Outage]

    def during(self, since_ms: int, until_ms: int) -> Sequence[Outage]:
        return [one for one in self.delays if one.until_ms > since_ms and one.from_ms < until_ms]


SECONDS = st.integers(0, 170)


@given(
    thought=st.integers(1, 170),
    late=st.lists(st.tuples(SECONDS, SECONDS), max_size=4),
    waited=st.integers(0, 60),
)
@pytest.mark.parametrize("at_gateway", [False, True])
def test_neither_player_is_charged_for_a_delay_before_or_after_a_move_is_received(
    thought: int, late: list[tuple[int, int]], waited: int, *, at_gateway: bool
) -> None:
    talk = run("alice seek blitz; bob seek blitz; moves e2e4 e7e5")
    world, began_ms = talk.world, talk.game().position_since_ms
    spans = [sorted(ends) for ends in late]
    delays = [Outage(began_ms + 1000 * a, began_ms + 1000 * b) for a, b in spans]
    world.deps = replace(world.deps, delays=Late(delays), outages=None)
    event, _ = talk.players.event("alice g1f3")
    world.clock.ms = began_ms + 1000 * thought
    received = world.body(event, at_gateway=at_gateway)
    world.clock.ms += 1000 * waited
    talk.deliver(received)
    own = thought - len({at for a, b in spans for at in range(a, min(b, thought))})
    left_ms = 180_000 - max(0, 1000 * own - LAG_MS) + 2000
    clocks = talk.game().clocks
    assert clocks is not None
    assert (clocks.white_ms, clocks.black_ms) == (left_ms, 180_000)
    assert clocks.since_ms == world.clock.ms


def test_no_flag_falls_while_the_arbiter_stands_still() -> None:
    talk = run("alice seek blitz; bob seek blitz; moves e2e4 e7e5")
    world, began_ms = talk.world, talk.world.clock.ms
    world.deps = replace(world.deps, delays=Late([Outage(began_ms, began_ms + 600_000)]))
    talk.line("wait 10m; timer; bob flag > bob !time-left")
    talk.line("alice g1f3 > state")
    assert talk.fact("clock") == "181000 180000"
