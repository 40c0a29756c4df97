"""One run of a seed, from the first request to quiet."""

import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.simulation.checker.invariants import check
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.fault_plans import plan_faults
from tests.simulation.history import History
from tests.simulation.patched_modules import patched_modules
from tests.simulation.players import seat_players
from tests.simulation.settings import Settings, settings_of
from tests.simulation.world import World

LOOKS_EVERY_SECONDS = 0.5
QUIET_SECONDS = 3600.0
MAX_TIMER_SECONDS = 3 * 86_400.0
AFTERWARDS_SECONDS = 1000.0


def run_seed(seed: int, settings: Settings | None = None) -> World:
    world = World(settings or settings_of(seed))
    with patched_modules(world):
        _begin(world)
        while world.scheduler.now < world.ends_at and not _is_quiet(world):
            world.scheduler.run(world.ends_at, lambda: _is_seen_quiet(world))
        bring_to_rest(world)
    return world


def bring_to_rest(world: World) -> None:
    _heal(world)
    until = world.scheduler.now + QUIET_SECONDS
    world.scheduler.run(until, lambda: _is_seen_quiet(world))
    world.is_quiet = _is_quiet(world)
    _let_time_pass(world)
    world.stop()


def history_of(world: World) -> History:
    return History(
        seed=world.settings.seed,
        servers=tuple(world.servers),
        actors=tuple(actor.actor() for actor in world.actors),
        happenings=tuple(world.happenings),
        table={item["pk"]["S"]: item for item in world.cloud.items()},
        beliefs=tuple(belief for actor in world.actors for belief in actor.beliefs()),
        ended_at_ms=world.now_ms(),
        healed_at_ms=world.healed_at_ms,
        is_quiet=world.is_quiet,
        skew_ms=world.settings.skew_ms,
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one seed came to. ``failure`` is of the simulation itself."""

    seed: int
    games: int = 0
    moves: int = 0
    fired: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    violations: tuple[Violation, ...] = ()
    failure: str = ""


def outcome_of_seed(seed: int) -> Outcome:
    try:
        return outcome_of(run_seed(seed))
    except Exception:  # noqa: BLE001 - the other seeds are to be run, and this one is to be told of
        return Outcome(seed, failure=traceback.format_exc())


def outcome_of(world: World) -> Outcome:
    history = history_of(world)
    games = [item for key, item in history.table.items() if key.startswith("g#")]
    return Outcome(
        seed=world.settings.seed,
        games=len(games),
        moves=sum(len(item["m"]["B"]) // 2 for item in games if "m" in item),
        fired=world.faults.fired,
        reached=world.faults.reached,
        violations=(*check(history), *_left(world)),
    )


def _left(world: World) -> Iterator[Violation]:
    """What is wrong with the world itself at the end."""
    for failure in world.scheduler.failures:
        yield Violation(Invariant.ACCOUNTED, (), f"a part of the arbiter failed: {failure!r}")
    for key in world.cloud.forgotten():
        yield Violation(Invariant.NOTHING_LOST, (key,), "what newer code wrote was lost")
    if not world.is_quiet:
        yield Violation(
            Invariant.TOLD, (), "an hour after all was healed an actor was still waiting"
        )


def _begin(world: World) -> None:
    for _ in range(2):
        world.listeners.start()
    plan_faults(world)
    seat_players(world)
    for actor in world.actors:
        world.scheduler.after(world.chance.random() * 5, actor.start)


def _heal(world: World) -> None:
    world.heal()
    world.faults.is_healed = True
    world.healed_at_ms = world.now_ms()
    for actor in world.actors:
        actor.finish()


def _let_time_pass(world: World) -> None:
    world.settle()
    until = world.scheduler.now + MAX_TIMER_SECONDS
    world.scheduler.run(until, lambda: world.has_no_timers() and world.is_idle())
    world.scheduler.run(world.scheduler.now + AFTERWARDS_SECONDS)
    world.is_quiet = world.is_quiet and world.has_no_timers() and world.is_idle()


def _is_seen_quiet(world: World) -> bool:
    """As `_is_quiet`, but looked at no oftener than is worth it."""
    if world.scheduler.now < world.looked_at + LOOKS_EVERY_SECONDS:
        return False
    world.looked_at = world.scheduler.now
    return _is_quiet(world)


def _is_quiet(world: World) -> bool:
    return all(actor.is_content() for actor in world.actors) and world.is_idle()
