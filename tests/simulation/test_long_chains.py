"""Chains of invocations that Lambda could take for a loop: the timers of a long game, and a reply
that no relay takes for a day.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from arbiter.core.clocks import LAG_MS, SETTLE_MS
from bench.long_game import long_game
from tests.simulation import lambdas
from tests.simulation.clients import Seen
from tests.simulation.history import Published, of_kind
from tests.simulation.natives import NativePlayer, Plan
from tests.simulation.relays import Habits
from tests.simulation.settings import Settings
from tests.simulation.stage import staged
from tests.simulation.world import World

DAY_SECONDS = 86_400.0
LONGEST_PAUSE_SECONDS = 900.0
CONTROL, LEFT_SECONDS, THINKS_SECONDS = "60+10", 60.0, 11.0
"""Who thinks as long as this is given back for a move, and a second that the way may take, is
always a minute from their flag: timer follows timer, for as long as the game goes on.
"""
TIMER_LATE_SECONDS = 3.0
"""By SQS and the functions."""

STATE = 20302

MOVES = long_game(400)


@dataclass(eq=False)
class Walker(NativePlayer):
    """A player who makes the next move of a given game, each after the same time, and after
    ``plan.plies`` none.
    """

    ply: int = -1

    def _think(self) -> None:
        seen = self.games[self.game or ""]
        if seen.ply > self.ply:
            self.ply = seen.ply
            self.acts_at = self.world.scheduler.now + self.world.settings.thinks_seconds
            self.world.scheduler.at(self.acts_at, lambda: self._act(self.world.scheduler.now))

    def _my_turn(self, seen: Seen) -> None:
        is_time = self.world.scheduler.now >= self.acts_at
        if is_time and seen.ply < self.plan.plies and self.voice.never_said(seen, "move"):
            self.voice.tell(seen, MOVES[seen.ply], "move")


@contextmanager
def playing(plies: int, *, time: str | None, thinks_seconds: float) -> Iterator[World]:
    """A world of two players without faults, who have begun to play."""
    habits = Habits(latency=0.05, most_stored=500, keeps_ephemeral=False, wants_auth=False)
    world = World(
        Settings(
            seed=1,
            faults=frozenset(),
            relays=(("relay-1", habits), ("relay-2", habits)),
            skew_ms=0,
            seconds=0.0,
            thinks_seconds=thinks_seconds,
        )
    )
    with staged(world):
        for _ in range(2):
            world.listeners.start()
        for name in ("native 1", "native 2"):
            walker = Walker(world, name, [*world.relays], Plan(1, plies, time))
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


def test_after_two_moves_a_flag_falls_by_itself() -> None:
    with playing(2, time=CONTROL, thinks_seconds=THINKS_SECONDS) as world:
        play_to(2, world)
        assert flag_falls(world)


def test_after_three_hundred_moves_a_flag_falls_by_itself_though_timer_followed_timer() -> None:
    with playing(len(MOVES), time=CONTROL, thinks_seconds=THINKS_SECONDS) as world:
        play_to(300, world)
        run_to_a_loop(world)
        assert flag_falls(world)


def test_a_chain_that_lambda_drops_is_begun_anew_by_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it heeded no ``RecursiveLoop``."""
    monkeypatch.setattr(lambdas, "MAY_LOOP", frozenset())
    with playing(len(MOVES), time=CONTROL, thinks_seconds=THINKS_SECONDS) as world:
        play_to(20, world)
        run_to_a_loop(world)
        seen = seen_in(world)
        assert seen is not None
        play_to(seen.ply + 2, world)
        assert flag_falls(world)


def states_taken(world: World) -> list[Published]:
    return [
        one
        for one in of_kind(world.happenings, Published)
        if one.taken and json.loads(one.event)["kind"] == STATE
    ]


def lose_relays_behind_move(ply: int, world: World) -> None:
    """The listeners have a move, and no relay is there when its state is to be said; from then on
    there are no players to ask for it either.
    """

    def is_decided() -> bool:
        games = [one for one in world.cloud.items() if one["pk"]["S"].startswith("g#")]
        return any(len(game["m"]["B"]) == 2 * ply for game in games)

    world.scheduler.run(world.scheduler.now + 60.0, is_decided)
    assert is_decided()
    for relay in world.relays.values():
        relay.go_down(forgets=True)
    for player in world.actors:
        player.leave()
    world.go_away(2 * DAY_SECONDS)


def test_what_no_relay_took_for_a_day_is_said_when_one_is_back() -> None:
    with playing(4, time=None, thinks_seconds=2.0) as world:
        play_to(2, world)
        lose_relays_behind_move(3, world)
        said = states_taken(world)
        world.scheduler.run(world.scheduler.now + DAY_SECONDS)
        assert world.faults.fired["loop"] > 0
        assert states_taken(world) == said
        for relay in world.relays.values():
            relay.come_back()
        world.scheduler.run(world.scheduler.now + LONGEST_PAUSE_SECONDS + 10.0)
        again = states_taken(world)[len(said) :]
        plies = {
            tag[1] for one in again for tag in json.loads(one.event)["tags"] if tag[0] == "ply"
        }
        assert plies == {"3"}
        assert {one.way for one in again} == {*world.relays}
