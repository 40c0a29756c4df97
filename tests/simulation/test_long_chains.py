"""Chains of invocations that Lambda could take for a loop: the timers of a long game."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from arbiter.core.clocks import LAG_MS, SETTLE_MS
from bench.long_game import long_game
from tests.simulation import lambdas
from tests.simulation.clients import Seen
from tests.simulation.native_player import NativePlayer, Plan
from tests.simulation.patched_modules import patched_modules
from tests.simulation.relays import Habits
from tests.simulation.settings import Settings
from tests.simulation.world import World

CONTROL, LEFT_SECONDS, THINKS_SECONDS = "60+10", 60.0, 11.0
"""Who thinks as long as this is given back for a move, and a second that the way may take, is
always a minute from their flag: timer follows timer, for as long as the game goes on.
"""
TIMER_LATE_SECONDS = 3.0
"""By SQS and the functions."""

MOVES = long_game(400)


@dataclass(eq=False)
class Walker(NativePlayer):
    """A player who makes the next move of a given game, each after the same time."""

    ply: int = -1

    def _think(self) -> None:
        seen = self.games[self.game or ""]
        if seen.ply > self.ply:
            self.ply = seen.ply
            self.acts_at = self.world.scheduler.now + self.world.settings.thinks_seconds
            self.world.scheduler.at(self.acts_at, lambda: self._act(self.world.scheduler.now))

    def _my_turn(self, seen: Seen) -> None:
        is_time = self.world.scheduler.now >= self.acts_at
        if is_time and self.sender.never_said(seen, "move"):
            self.sender.tell(seen, MOVES[seen.ply], "move")


@contextmanager
def playing() -> Iterator[World]:
    """A world of two players without faults, who have begun to play."""
    habits = Habits(latency=0.05, most_stored=500, keeps_ephemeral=False, wants_auth=False)
    world = World(
        Settings(
            seed=1,
            faults=frozenset(),
            relays=(("relay-1", habits), ("relay-2", habits)),
            skew_ms=0,
            seconds=0.0,
            thinks_seconds=THINKS_SECONDS,
        )
    )
    with patched_modules(world):
        for _ in range(2):
            world.listeners.start()
        for name in ("native 1", "native 2"):
            walker = Walker(world, name, [*world.relays], Plan(1, len(MOVES), CONTROL))
            world.actors.append(walker)
            walker.start()
        yield world
        world.stop()


def seen_in(world: World) -> Seen | None:
    player: NativePlayer = world.actors[0]
    return player.games.get(player.game or "")


def play_to(ply: int, world: World) -> None:
    def is_there() -> bool:
        seen = seen_in(world)
        return seen is not None and (seen.ply >= ply or seen.is_over)

    world.scheduler.run(world.scheduler.now + 3600.0, is_there)
    seen = seen_in(world)
    assert seen is not None
    assert (seen.ply, seen.result) == (ply, "*")


def flag_falls(world: World) -> bool:
    """Whether the game ends by itself when the time of the side to move is up."""
    for player in world.actors:
        player.leave()
    up_seconds = LEFT_SECONDS + (LAG_MS + SETTLE_MS) / 1000
    world.scheduler.run(world.scheduler.now + up_seconds + TIMER_LATE_SECONDS)
    seen = seen_in(world)
    assert seen is not None
    return seen.is_over


def run_to_a_loop(world: World) -> None:
    """To where a timer comes that Lambda takes for a part of a loop."""
    before = world.faults.fired["loop"]
    until = world.scheduler.now + 20 * LEFT_SECONDS
    world.scheduler.run(until, lambda: world.faults.fired["loop"] > before)
    assert world.faults.fired["loop"] > before


def test_after_three_hundred_moves_a_flag_falls_by_itself_though_timer_followed_timer() -> None:
    with playing() as world:
        play_to(300, world)
        run_to_a_loop(world)
        assert flag_falls(world)


def test_a_chain_that_lambda_drops_is_begun_anew_by_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it heeded no ``RecursiveLoop``."""
    monkeypatch.setattr(lambdas, "MAY_LOOP", frozenset())
    with playing() as world:
        play_to(20, world)
        run_to_a_loop(world)
        seen = seen_in(world)
        assert seen is not None
        play_to(seen.ply + 2, world)
        assert flag_falls(world)
