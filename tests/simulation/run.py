"""One run of a seed, from the first request to quiet."""

import gc
import shutil
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.simulation.checker.invariants import check
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.history import History
from tests.simulation.patches import patched_modules
from tests.simulation.planned import plan_faults
from tests.simulation.players import seat_players
from tests.simulation.settings import Settings, settings_of
from tests.simulation.world import World

QUIET_SECONDS = 2 * 3600.0
LONGEST_TIMER_SECONDS = 3 * 86_400.0
SETTLES_SECONDS, AFTERWARDS_SECONDS = 30.0, 2000.0
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of our own in it


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one seed came to, in so many seconds of CPU. ``failure`` is of the simulation itself."""

    seed: int
    games: int = 0
    moves: int = 0
    hours: float = 0.0
    seconds: float = 0.0
    fired: Counter[str] = field(default_factory=Counter)
    violations: tuple[Violation, ...] = ()
    failure: str = ""


def run_seed(seed: int, settings: Settings | None = None) -> tuple[World, History]:
    folder = Path(
        tempfile.mkdtemp(prefix="sim-", dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None)
    )
    world = World(settings or settings_of(seed), folder)
    gc.disable()  # it looked at all happenings again and again
    try:
        with patched_modules(world):
            return world, _run(world)
    finally:
        gc.enable()
        shutil.rmtree(folder, ignore_errors=True)


def _run(world: World) -> History:
    scheduler = world.scheduler
    scheduler.after(0.0, lambda: _begin(world))
    scheduler.run(10.0)
    while scheduler.now < world.ends_at - 1.0 and not _is_quiet(world):
        scheduler.run(world.ends_at, lambda: _is_quiet(world))
    scheduler.after(0.0, lambda: _heal(world))
    scheduler.run(scheduler.now + QUIET_SECONDS, lambda: _is_healed_quiet(world))
    world.is_quiet = _is_quiet(world)
    beliefs = tuple(belief for actor in world.actors for belief in actor.beliefs())
    scheduler.after(0.0, world.settle)
    scheduler.run(scheduler.now + SETTLES_SECONDS)
    # Two looks: what a timer of long ago sets may be due later.
    for _ in range(2):
        scheduler.jump(LONGEST_TIMER_SECONDS)
        until = scheduler.now + AFTERWARDS_SECONDS
        scheduler.run(until, lambda: not [*world.serving.left()], every=20.0)
    history = History(
        seed=world.settings.seed,
        servers=world.servers,
        actors=tuple(actor.actor() for actor in world.actors),
        happenings=tuple(world.happenings),
        table={item["pk"]["S"]: item for item in world.serving.items()},
        beliefs=beliefs,
        ended_at_ms=world.now_ms(),
        healed_at_ms=world.healed_at_ms,
        is_quiet=world.is_quiet,
        has_relays=bool(world.relays),
        skew_ms=world.settings.skew_ms,
        left=(*world.serving.left(),),
    )
    world.serving.is_wanted = False
    scheduler.after(0.0, world.serving.kill)
    scheduler.run(scheduler.now + 1.0)
    return history


def outcome_of_seed(seed: int) -> Outcome:
    began = time.process_time()
    try:
        outcome = outcome_of(*run_seed(seed))
        return replace(outcome, seconds=time.process_time() - began)
    except Exception:  # noqa: BLE001 - the other seeds are to be run, and this one is to be told of
        return Outcome(seed, failure=traceback.format_exc())


def outcome_of(world: World, history: History) -> Outcome:
    games = [item for key, item in history.table.items() if key.startswith("g#")]
    return Outcome(
        seed=world.settings.seed,
        games=len(games),
        moves=sum(len(item["m"]["B"]) // 2 for item in games if "m" in item),
        hours=world.scheduler.now / 3600,
        fired=world.faults.fired,
        violations=(*check(history), *_left(history)),
    )


def _left(history: History) -> Iterator[Violation]:
    for sentence in history.left:
        yield Violation(
            Invariant.STEADY, (), f"at the end nothing was expected, and there were {sentence}"
        )
    if not history.is_quiet:
        yield Violation(
            Invariant.TOLD, (), "two hours after all was healed an actor was still waiting"
        )


def _begin(world: World) -> None:
    world.serving.start()
    plan_faults(world)
    seat_players(world)
    for actor in world.actors:
        world.scheduler.after(world.chance.random() * 5, actor.start)


def _heal(world: World) -> None:
    world.heal()
    for actor in world.actors:
        actor.finish()


def _is_quiet(world: World) -> bool:
    return all(actor.is_content() for actor in world.actors) and world.serving.is_idle()


def _is_healed_quiet(world: World) -> bool:
    healed_at_ms = world.healed_at_ms or world.now_ms()
    return world.now_ms() > healed_at_ms + 10_000 and _is_quiet(world)
